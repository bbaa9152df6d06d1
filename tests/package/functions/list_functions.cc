// Prints client/capi/functions.inc for tests and people:
//
//   list_functions names     one name a line
//   list_functions headers   header and name, a line each
//   list_functions summary   the sentence that client/README.md has
//   list_functions table     client/FUNCTIONS.md
//
// Threading: one thread.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Function {
  bool supported;
  std::string_view header;
  std::string_view subject;
  std::string_view name;
  std::string_view note;
};

const std::vector<Function>& Functions() {
  static const auto* const kFunctions = new std::vector<Function>{
#define SUPPORTED(header, subject, result, name, parameters, note) \
  {true, header, subject, #name, note},
#define UNSUPPORTED(header, subject, result, name, parameters, note) \
  {false, header, subject, #name, note},
#include "client/capi/functions.inc"
  };
  return *kFunctions;
}

// The rows of a header, which follow one another.
struct Section {
  std::string_view header;
  std::vector<Function> functions;
  size_t supported = 0;
};

std::vector<Section> Sections() {
  std::vector<Section> sections;
  for (const Function& function : Functions()) {
    if (sections.empty() || sections.back().header != function.header) {
      sections.push_back({function.header, {}});
    }
    sections.back().functions.push_back(function);
    if (function.supported) ++sections.back().supported;
  }
  return sections;
}

std::string Summary() {
  size_t supported = 0;
  for (const Section& section : Sections()) supported += section.supported;
  return std::to_string(supported) + " of " +
         std::to_string(Functions().size()) + " functions are supported";
}

void Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void PrintRow(std::initializer_list<std::string_view> cells) {
  Print("|");
  for (std::string_view cell : cells) {
    Print(cell.empty() ? "" : " ");
    Print(cell);
    Print(" |");
  }
  Print("\n");
}

void PrintSection(const Section& section) {
  Print("\n## ");
  Print(section.header);
  Print("\n\n| function | subject | supported | note |\n|---|---|---|---|\n");
  for (const Function& function : section.functions) {
    PrintRow({function.name, function.subject,
              function.supported ? "yes" : "not yet", function.note});
  }
}

void PrintTable() {
  Print("# Functions of AscendCL\n\n");
  Print(
      "Made from `client/capi/functions.inc` by `ninja functions_table`.\n\n");
  Print(Summary());
  Print(". The others link and do\nnothing. They answer 200001 ");
  Print("(`ACL_ERROR_API_NOT_SUPPORT`), or 561000 where the\nresult is an ");
  Print("`aclnnStatus`; where it is no code, null, 0 or the value for none.\n");
  Print("`aclGetRecentErrMsg` names the call.\n\n");
  Print("| header | supported | of |\n|---|---|---|\n");
  for (const Section& section : Sections()) {
    PrintRow({section.header, std::to_string(section.supported),
              std::to_string(section.functions.size())});
  }
  for (const Section& section : Sections()) PrintSection(section);
}

void PrintNames(bool with_header) {
  for (const Function& function : Functions()) {
    if (with_header) {
      Print(function.header);
      Print(" ");
    }
    Print(function.name);
    Print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "names") {
    PrintNames(false);
  } else if (what == "headers") {
    PrintNames(true);
  } else if (what == "summary") {
    Print(Summary() + "\n");
  } else if (what == "table") {
    PrintTable();
  } else {
    std::fputs("usage: list_functions names|headers|summary|table\n", stderr);
    return 2;
  }
  return 0;
}
