// StartServiceThread: a thread of the daemon.
//
// Signals are the main thread's business (it waits for SIGTERM and SIGHUP), so
// every other thread starts with all of them blocked: the mask is set around
// the creation, not inside the thread, which leaves no moment in which a signal
// could arrive at it. Faults that a thread causes itself (SIGSEGV, SIGBUS, ...)
// stay as they are.
//
// Threading: any thread. Ownership: the caller joins.
#ifndef ASCEND_SERVER_SERVICE_THREAD_H_
#define ASCEND_SERVER_SERVICE_THREAD_H_

#include <chrono>
#include <functional>
#include <thread>

namespace ascend::server {

// `name` is what `top -H` shows: at most 15 characters. `slice`:
// thread_slice.h.
std::thread StartServiceThread(const char* name,
                               std::chrono::microseconds slice,
                               std::function<void()> run);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SERVICE_THREAD_H_
