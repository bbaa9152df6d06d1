#include "server/copy_pool.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/thread_slice.h"
#include "server/service_thread.h"

namespace ascend::server {

using core::MutexLock;

CopyPool::CopyPool(uint32_t thread_count) {
  threads_.reserve(thread_count);
  for (uint32_t i = 0; i < thread_count; ++i) {
    threads_.push_back(StartServiceThread("copy", core::kComputingSlice,
                                          [this] { RunThread(); }));
  }
}

CopyPool::~CopyPool() { Stop(); }

void CopyPool::Stop() {
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
    work_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void CopyPool::Submit(core::SessionId session, SlicedJob job) {
  MutexLock lock(mutex_);
  queue_.Push(session, std::move(job));
  work_.NotifyOne();
}

void CopyPool::RunThread() {
  mutex_.Lock();
  for (;;) {
    while (queue_.empty() && !(is_stopping_ && running_count_ == 0)) {
      work_.Wait(mutex_);
    }
    if (queue_.empty()) break;
    auto [session, job] = queue_.Pop();
    ++running_count_;
    mutex_.Unlock();
    const bool has_more = job();
    // What a job holds may be slow to let go of: not under the mutex.
    if (!has_more) job = nullptr;
    mutex_.Lock();
    --running_count_;
    if (has_more) queue_.Push(session, std::move(job));
    // A running job may have been the last that could submit another one.
    if (is_stopping_ && running_count_ == 0) work_.NotifyAll();
  }
  mutex_.Unlock();
}

bool SlicedMove::RunSlice() {
  const uint64_t slice = std::min(bytes_ - moved_bytes_, CopyPool::kSliceBytes);
  // If the target overlaps what is still to be read behind it, start at the
  // end, so that no slice overwrites the source of a later one.
  const bool is_backward = target_ > source_;
  const uint64_t offset =
      is_backward ? bytes_ - moved_bytes_ - slice : moved_bytes_;
  if (slice != 0) std::memmove(target_ + offset, source_ + offset, slice);
  moved_bytes_ += slice;
  return moved_bytes_ < bytes_;
}

bool SlicedFill::RunSlice() {
  const uint64_t slice =
      std::min(bytes_ - filled_bytes_, CopyPool::kSliceBytes);
  std::byte* const target = target_ + filled_bytes_;
  if (value_bytes_ == 1) {
    if (slice != 0) std::memset(target, static_cast<int>(value_), slice);
  } else {
    std::fill_n(reinterpret_cast<uint32_t*>(target), slice / sizeof(value_),
                value_);
  }
  filled_bytes_ += slice;
  return filled_bytes_ < bytes_;
}

}  // namespace ascend::server
