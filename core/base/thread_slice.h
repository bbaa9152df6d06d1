// How long threads of ours want to run at a time.
//
// A thread that passes something on runs for microseconds, but as soon as it is
// woken, or everybody who waits for what it passes on waits longer; a thread
// that computes can wait. Linux since 6.12 takes such a wish of any thread, and
// lets one that is woken displace one with a longer slice, where it would wait
// for the end of that slice otherwise: some milliseconds. Threads that are
// started inherit it. Older systems ignore it, and nothing but waiting times
// beside busy threads depends on it.
//
// Threading: any thread; concerns the calling one. Ownership: none.
#ifndef ASCEND_CORE_BASE_THREAD_SLICE_H_
#define ASCEND_CORE_BASE_THREAD_SLICE_H_

#include <chrono>

namespace ascend::core {

// The least and nearly the most that Linux takes.
inline constexpr std::chrono::microseconds kPromptSlice{100};
inline constexpr std::chrono::microseconds kComputingSlice{50'000};

// False: the system does not take it.
bool SetThreadSlice(std::chrono::microseconds slice);
// 0: the system knows none.
std::chrono::microseconds ThreadSlice();

}  // namespace ascend::core

#endif  // ASCEND_CORE_BASE_THREAD_SLICE_H_
