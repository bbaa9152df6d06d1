// The scenarios of client_program, and what they share.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_TESTS_INTEGRATION_LIFE_CLIENT_PROGRAM_H_
#define ASCEND_TESTS_INTEGRATION_LIFE_CLIENT_PROGRAM_H_

#include <acl/acl.h>

// One line on standard output, at once.
void Say(const char* line);
// "NAME CODE MESSAGE", as this thread has them.
void SayResult(const char* name, aclError error);
// Ends the program with code 3, saying the result, unless it is a success.
void CheckResult(const char* name, aclError error);
#define CHECK_ACL(call) CheckResult(#call, call)
// Waits for a line on standard input.
void AwaitLine();

// scenarios_use.cc
int Connect(const char* unused);        // one call, its result
int LeaveThings(const char* unused);    // memory, streams, an event; exits
int Use(const char* unused);            // connects, "ready"; line; exits
int UseUnfinished(const char* unused);  // the same without finalize
int WorkForever(const char* unused);    // copies and kernels; "working"
int CallAll(const char* unused);        // "ready"; line; one call of each kind
int Reconnect(const char* address);     // CallAll's first, finalize, again
int ComeAndGo(const char* unused);      // many sessions; what they leave
int WorkAtPriority(const char* priority);  // "half"; line; "right" or "wrong"
int Describe(const char* unused);          // what it learns of device 0
int ConnectAsNobody(const char* address);  // after another session as itself

// From now on the end of this process is not searched for leaks, where a
// sanitizer would do that.
void TurnLeakCheckOff();

// scenarios_fork.cc
int Fork(const char* unused);           // children that call, exit, exec
int ForkUnderLoad(const char* unused);  // while another thread copies
int ForkBeforeUse(const char* unused);  // parent and child each connect
int ForkAndDie(const char* unused);     // a child outlives its parent

struct Scenario {
  const char* name;
  int (*run)(const char* argument);
};

inline constexpr Scenario kScenarios[] = {
    {"connect", Connect},
    {"leave-things", LeaveThings},
    {"use", Use},
    {"use-unfinished", UseUnfinished},
    {"work-forever", WorkForever},
    {"call-all", CallAll},
    {"reconnect", Reconnect},
    {"come-and-go", ComeAndGo},
    {"work-at-priority", WorkAtPriority},
    {"describe", Describe},
    {"connect-as-nobody", ConnectAsNobody},
    {"fork", Fork},
    {"fork-under-load", ForkUnderLoad},
    {"fork-before-use", ForkBeforeUse},
    {"fork-and-die", ForkAndDie},
};

#endif  // ASCEND_TESTS_INTEGRATION_LIFE_CLIENT_PROGRAM_H_
