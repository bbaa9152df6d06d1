// ParseXml: the elements of a small XML document, for tests of what we write:
// elements, attributes, text and the five named entities, and nothing else.
//
// Threading: pure functions. Ownership: value types.
#ifndef ASCEND_TESTS_TESTING_TINY_XML_H_
#define ASCEND_TESTS_TESTING_TINY_XML_H_

#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ascend::testing {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // right inside it
};

class XmlParser {
 public:
  explicit XmlParser(const std::string& text) : text_(text) {}

  // In the order in which they begin. Nothing: it is not well-formed.
  std::optional<std::vector<XmlElement>> Parse() {
    if (text_.starts_with("<?xml ")) at_ = text_.find("?>") + 2;
    std::vector<size_t> open;
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        if (!TakeText(open)) return std::nullopt;
      } else if (text_.compare(at_, 2, "</") == 0) {
        if (!TakeEnd(&open)) return std::nullopt;
      } else if (!TakeBegin(&open)) {
        return std::nullopt;
      }
    }
    if (!open.empty() || elements_.empty()) return std::nullopt;
    return elements_;
  }

 private:
  std::string TakeName() {
    std::string name;
    while (at_ < text_.size() && (std::isalnum(Byte()) || Byte() == '-' ||
                                  Byte() == ':' || Byte() == '_')) {
      name += text_[at_++];
    }
    return name;
  }

  unsigned char Byte() const { return static_cast<unsigned char>(text_[at_]); }

  void SkipBlanks() {
    while (at_ < text_.size() && std::isspace(Byte()) != 0) ++at_;
  }

  // One character or entity.
  bool TakeCharacter(std::string* out) {
    if (Byte() == '<' || (Byte() < 0x20 && Byte() != '\n')) return false;
    if (Byte() != '&') {
      *out += text_[at_++];
      return true;
    }
    for (const auto& [entity, character] :
         {std::pair<std::string, char>{"&amp;", '&'},
          {"&lt;", '<'},
          {"&gt;", '>'},
          {"&quot;", '"'},
          {"&apos;", '\''}}) {
      if (text_.compare(at_, entity.size(), entity) != 0) continue;
      *out += character;
      at_ += entity.size();
      return true;
    }
    return false;
  }

  bool TakeText(const std::vector<size_t>& open) {
    std::string text;
    while (at_ < text_.size() && text_[at_] != '<') {
      if (!TakeCharacter(&text)) return false;
    }
    if (!open.empty()) {
      elements_[open.back()].text += text;
      return true;
    }
    return text.find_first_not_of(" \n") == text.npos;
  }

  bool TakeEnd(std::vector<size_t>* open) {
    at_ += 2;
    if (open->empty() || TakeName() != elements_[open->back()].name ||
        text_.compare(at_, 1, ">") != 0) {
      return false;
    }
    ++at_;
    open->pop_back();
    return true;
  }

  bool TakeBegin(std::vector<size_t>* open) {
    ++at_;
    XmlElement element;
    element.name = TakeName();
    // One root.
    if (element.name.empty() || (open->empty() && !elements_.empty())) {
      return false;
    }
    for (SkipBlanks(); at_ < text_.size() && std::isalpha(Byte()) != 0;
         SkipBlanks()) {
      const std::string key = TakeName();
      if (text_.compare(at_, 2, "=\"") != 0) return false;
      at_ += 2;
      std::string value;
      while (at_ < text_.size() && text_[at_] != '"') {
        if (!TakeCharacter(&value)) return false;
      }
      ++at_;
      if (!element.attributes.emplace(key, value).second) return false;
    }
    elements_.push_back(std::move(element));
    if (text_.compare(at_, 2, "/>") == 0) {
      at_ += 2;
      return true;
    }
    if (text_.compare(at_, 1, ">") != 0) return false;
    ++at_;
    open->push_back(elements_.size() - 1);
    return true;
  }

  const std::string& text_;
  size_t at_ = 0;
  std::vector<XmlElement> elements_;
};

inline std::optional<std::vector<XmlElement>> ParseXml(
    const std::string& text) {
  return XmlParser(text).Parse();
}

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_TINY_XML_H_
