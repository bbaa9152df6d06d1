// The roles of clock_client, and what they share.
//
// Threading: any thread, but Say as its caller says. Ownership: none.
#ifndef ASCEND_TESTS_INTEGRATION_CLOCK_CLOCK_PROGRAM_H_
#define ASCEND_TESTS_INTEGRATION_CLOCK_CLOCK_PROGRAM_H_

#include <acl/acl.h>
#include <acl/ascend_rtd_ext.h>

#include <cstdint>
#include <random>

// What the test says of one process; in argv, behind the role.
struct Part {
  uint32_t participants = 0;  // 0: it says nothing to the clock
  uint32_t rank = 0;          // the first of the process
  uint32_t seed = 0;          // of its delays; 0: there are none
};

constexpr int64_t kMega = 1 << 20;

// "NAME VALUE" on standard output, at once.
void Say(const char* name, uint64_t value);
void Say(const char* line);
// Ends the program with code 3, saying the result, unless it is a success.
void CheckResult(const char* call, aclError error);
#define CHECK_ACL(call) CheckResult(#call, call)
// Waits for a line on standard input.
void AwaitLine();

// How a busy host delays a thread: at random, in wall time.
class HostDelays {
 public:
  explicit HostDelays(uint32_t seed) : is_on_(seed != 0), random_(seed) {}
  // Up to so many microseconds, mostly none.
  void Sometimes(uint32_t us_max);
  // Up to so many microseconds.
  void Always(uint32_t us_max);

 private:
  const bool is_on_;
  std::minstd_rand random_;
};

// Kernels that take time and compute nothing, on memory of their own.
class Kernels {
 public:
  static constexpr int64_t kHeadSize = 128;  // of Attention

  // The thread uses device 0, with timing-only kernels if `is_timing_only`.
  explicit Kernels(bool is_timing_only = true);
  // Allocates; not before this.
  void Prepare(int64_t count);

  // z = x + y, of so many of the elements.
  void Add(aclrtStream stream, int64_t count) const;
  // The same with its arguments in device memory.
  void AddThere(aclrtStream stream, int64_t count);
  void Softmax(aclrtStream stream, int64_t rows) const;
  // c = a b, of size x size matrices.
  void Matmul(aclrtStream stream, int64_t size) const;
  // Of bf16 queries x with keys and values y, which all heads share; in z.
  void Attention(aclrtStream stream, int64_t heads, int64_t length) const;

  float* x() const { return static_cast<float*>(memory_); }
  float* y() const { return x() + count_; }
  float* z() const { return y() + count_; }
  void Release();

 private:
  aclrtFuncHandle add_ = nullptr;
  aclrtFuncHandle softmax_ = nullptr;
  aclrtFuncHandle matmul_ = nullptr;
  aclrtFuncHandle attention_ = nullptr;
  void* memory_ = nullptr;
  void* args_ = nullptr;  // of AddThere
  int64_t count_ = 0;
};

aclrtStream NewStream();
aclrtEvent NewEvent();

// The calling thread's part in the run, from its beginning to its end.
class Run {
 public:
  // Begins, if there are participants. `rank` counts from the process's first.
  explicit Run(const Part& part, uint32_t rank = 0);
  // Simulated time since the run began.
  uint64_t Picoseconds() const;

 private:
  uint64_t begin_ = 0;
};

// scenarios_run.cc: parts of a run that repeats. Each says "clock TIME".
int Streams(const Part& part);        // two streams, copies, a full stream
int Poll(const Part& part);           // asks for events and streams; "polls N"
int HostFunctions(const Part& part);  // on a thread of the library
int Callbacks(const Part& part);      // on a service thread of its own
int Threads(const Part& part);        // two threads that allocate and free
int Equal(const Part& part);          // arguments in device memory

// scenarios_hold.cc: parts that hold the clock in some way.
int Info(const Part& part);        // the run: "participants N", "left N", ...
int Work(const Part& part);        // "begun", rounds of work, "done"
int Endless(const Part& part);     // "begun", rounds of work, no end
int EndThreads(const Part& part);  // whose threads work and end; "done"
int Submit(const Part& part);      // launches for ever, never waits; "begun"
int StandStill(const Part& part);  // begins; "begun"; line; works; "done"
int TellLater(const Part& part);   // works, then says "byte", works on
int HearUnsaid(const Part& part);  // waits for a line and does not say so
int HearSaid(const Part& part);    // waits for a line and says so
int Attach(const Part& part);      // is there, "attached"; line; works
int Flood(const Part& part);       // of two threads, one far ahead; "done"

// scenarios_free.cc: ordinary programs.
int SpinOnEvents(const Part& part);  // two threads; "right" or "wrong"
int PassBaton(const Part& part);     // two threads; "right" or "wrong"
int SpinOnFlag(const Part& part);    // the same, unseen by the library
int OneThread(const Part& part);     // the same work; "right" or "wrong"
int OneThreadPolls(const Part& part);
int Measure(const Part& part);         // "begun"; line; "simulated NS"
int RoundTrips(const Part& part);      // "begun"; line; "p50 NS"; "right"
int LongKernel(const Part& part);      // "launched"; "ended CODE MESSAGE"; line
int LongTimingOnly(const Part& part);  // the same, and computes nothing

struct Role {
  const char* name;
  int (*play)(const Part& part);
};

inline constexpr Role kRoles[] = {
    {"streams", Streams},
    {"poll", Poll},
    {"host-functions", HostFunctions},
    {"callbacks", Callbacks},
    {"threads", Threads},
    {"equal", Equal},
    {"info", Info},
    {"work", Work},
    {"endless", Endless},
    {"end-threads", EndThreads},
    {"submit", Submit},
    {"stand-still", StandStill},
    {"tell-later", TellLater},
    {"hear-unsaid", HearUnsaid},
    {"hear-said", HearSaid},
    {"attach", Attach},
    {"flood", Flood},
    {"spin-on-events", SpinOnEvents},
    {"pass-baton", PassBaton},
    {"spin-on-flag", SpinOnFlag},
    {"one-thread", OneThread},
    {"one-thread-polls", OneThreadPolls},
    {"measure", Measure},
    {"round-trips", RoundTrips},
    {"long-kernel", LongKernel},
    {"long-timing-only", LongTimingOnly},
};

#endif  // ASCEND_TESTS_INTEGRATION_CLOCK_CLOCK_PROGRAM_H_
