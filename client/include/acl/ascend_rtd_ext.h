// Extensions of this library to AscendCL; prefix ascrt. A program that calls
// them does not run on the vendor's library.
#ifndef ACL_ASCEND_RTD_EXT_H_
#define ACL_ASCEND_RTD_EXT_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// Version of this library, "major.minor.patch"; a static string. The version
// of the interface is another matter: aclrtGetVersion.
ACL_FUNC_VISIBILITY const char* ascrtGetVersion(void);

// --- Simulated time ---------------------------------------------------------

// Each thread of a program has a simulated clock. A call pays what it would
// cost a real host; a wait moves the clock to the simulated time at which it
// ended. The device works in simulated time too, and how far it may go ahead of
// threads that have not called yet is what the daemon's clock mode says
// (ascend-rtd --clock). In lockstep mode a run of several threads, of one
// process or of many, repeats to the picosecond:
//
//   ascrtBegin(n, rank);   // each of the n threads, with a rank of its own
//   ... allocate, launch, synchronise ...
//   ascrtIdle();           // or the thread ends
//
// Whatever happened before the last of them began does not count. What has an
// influence belongs after it: allocations too, as their place in memory has.
// Threads of a process that share a stream or an event, and calls that concern
// all its threads (aclrtSynchronizeDevice, aclrtResetDevice, ascrtGetRunInfo),
// are as repeatable as the order in which the program makes these calls.

// The calling thread takes part in a run of `participants` threads; waits until
// all have begun. 107000 (ACL_ERROR_RT_PARAM_INVALID) when the rank is taken,
// the number is another one than the others said, or a run is under way.
ACL_FUNC_VISIBILITY aclError ascrtBegin(uint32_t participants, uint32_t rank);

// The calling thread's part in the run is over; the clock does not wait for it.
ACL_FUNC_VISIBILITY aclError ascrtIdle(void);

// The calling thread is about to wait for something that the library knows
// nothing of, such as a pipe or another thread. Until its next call the clock
// does not wait for it.
ACL_FUNC_VISIBILITY aclError ascrtBlocked(void);

// The calling thread computes for so long, in simulated time; at most an hour.
ACL_FUNC_VISIBILITY aclError ascrtHostAdvance(uint64_t nanoseconds);

// The calling thread's clock, in picoseconds; to be handed to a thread that
// acts on what this one says, which merges it into its own.
ACL_FUNC_VISIBILITY aclError ascrtGetClock(uint64_t* picoseconds);
ACL_FUNC_VISIBILITY aclError ascrtClockMerge(uint64_t picoseconds);

// The run that is under way, or was last.
typedef struct ascrtRunInfo {
  uint32_t participants;  // 0: there was none
  uint32_t left;          // of them: whose part is over
  // Made of what each task was and when it began and ended. Equal programs
  // under equal ranks give equal hashes, if the counts below are 0.
  uint64_t traceHash;
  uint64_t tasks;  // in the hash
  // What made simulated times depend on the speed of the host:
  uint64_t lateCalls;     // calls for which the clock had not waited
  uint64_t demotedLanes;  // threads it waited for long enough
  uint64_t evictedLanes;  // participants that it waited for long enough
  uint64_t reserved[8];
} ascrtRunInfo;
ACL_FUNC_VISIBILITY aclError ascrtGetRunInfo(ascrtRunInfo* info);

// --- What takes time and does nothing ----------------------------------------

// 1: from now on, kernels and fills that this process has on the current device
// take their simulated time and change no memory; 0: they do their work (the
// default). Allocations are accounted as ever, and memory that nothing touches
// takes none of the host's.
ACL_FUNC_VISIBILITY aclError ascrtSetTimingOnly(int32_t isOn);

// The same for one launch: an attribute of aclrtLaunchKernelCfg, on when the
// first word of its value (rsv[0]) is not 0. Neither goes with arguments in
// device memory, which nothing may have computed: 207000
// (ACL_ERROR_RT_FEATURE_NOT_SUPPORT).
#define ASCRT_LAUNCH_KERNEL_ATTR_TIMING_ONLY 4096

// aclrtMemcpy between host and device as if the host's CPU stored or loaded
// each word, without a DMA engine: slower for anything but a few bytes.
ACL_FUNC_VISIBILITY aclError ascrtMemcpyByCpu(void* dst, size_t destMax,
                                              const void* src, size_t count);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_ASCEND_RTD_EXT_H_
