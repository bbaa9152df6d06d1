// Reads C++ text just far enough for the rules of this directory: comments and
// literals blanked out, words, include directives.
//
// Threading: any thread; all functions are pure.
// Ownership: results own their text.
#ifndef ASCEND_TESTS_LINT_SOURCE_TEXT_H_
#define ASCEND_TESTS_LINT_SOURCE_TEXT_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ascend::lint {

// A file of the tree. `path` is relative to its root, with slashes.
struct SourceFile {
  std::string path;
  std::string text;
};

struct Word {
  std::string text;
  int line = 0;  // from 1
  // Where the word begins in the text it was taken from.
  size_t offset = 0;
};

struct Include {
  std::string target;  // without the quotes or angle brackets
  int line = 0;        // from 1
};

// The text with comments and the inside of string and character literals, raw
// ones too, replaced by blanks. Line ends stay, so offsets and lines do too.
std::string BlankCommentsAndLiterals(std::string_view text);

// The identifiers and numbers of `text`, in order.
std::vector<Word> Words(std::string_view text);

// The include directives of `text` that are not inside a comment.
std::vector<Include> Includes(std::string_view text);

std::vector<std::string_view> Lines(std::string_view text);

// The parts one after the other. (gcc 12 warns without cause, bug 105651, about
// a literal + std::string.)
std::string Join(std::initializer_list<std::string_view> parts);

// Whether the file is C or C++.
bool IsCpp(std::string_view path);
bool IsHeader(std::string_view path);

// Whether `path` is `prefix` itself or, for a prefix that ends in a slash,
// lies below it.
bool IsUnder(std::string_view path, std::string_view prefix);

// "core/base/check.h" -> "core/base"; a file of the root gives "".
std::string_view DirectoryOf(std::string_view path);

}  // namespace ascend::lint

#endif  // ASCEND_TESTS_LINT_SOURCE_TEXT_H_
