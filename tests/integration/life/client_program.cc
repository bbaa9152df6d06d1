// What a program lives through, by name. Says on standard output what happens,
// one line each; a failed call is "NAME CODE MESSAGE". A program like any
// other: public headers and -lascendcl.
#include "tests/integration/life/client_program.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool is_leak_check_off = false;

}  // namespace

#ifdef ASCEND_RTD_SANITIZE_BUILD
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return is_leak_check_off ? 1 : 0; }
#endif

void TurnLeakCheckOff() { is_leak_check_off = true; }

void Say(const char* line) {
  std::puts(line);
  std::fflush(stdout);
}

void SayResult(const char* name, aclError error) {
  const char* const message = aclGetRecentErrMsg();
  std::printf("%s %d %s\n", name, error, message == nullptr ? "" : message);
  std::fflush(stdout);
}

void CheckResult(const char* name, aclError error) {
  if (error == ACL_SUCCESS) return;
  SayResult(name, error);
  std::_Exit(3);
}

void AwaitLine() {
  while (true) {
    const int c = std::getchar();
    if (c == '\n' || c == EOF) return;
  }
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  for (const Scenario& scenario : kScenarios) {
    if (std::strcmp(scenario.name, name) == 0) {
      return scenario.run(argc > 2 ? argv[2] : "");
    }
  }
  std::fprintf(stderr, "client_program: scenario '%s' is unknown\n", name);
  return 2;
}
