// RandomCommand: commands of every kind with arbitrary legal content, for
// tests of whatever carries commands.
//
// Threading: one thread at a time. Ownership: value type; the caller seeds.
#ifndef ASCEND_TESTS_TESTING_RANDOM_COMMAND_H_
#define ASCEND_TESTS_TESTING_RANDOM_COMMAND_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "core/command/command.h"

namespace ascend::testing {

class RandomCommand {
 public:
  explicit RandomCommand(uint64_t seed) : random_(seed) {}

  // The next command; tickets count from 1.
  core::Command Next() {
    return core::Command{.ticket = core::Ticket(++ticket_),
                         .lane = core::LaneId(Below(100)),
                         .stamp = static_cast<core::Tick>(random_() >> 2),
                         .operation = NextOperation()};
  }

 private:
  uint32_t Below(uint32_t bound) {
    return static_cast<uint32_t>(random_() % bound);
  }
  bool Coin() { return Below(2) == 1; }
  std::string Bytes(size_t size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random_());
    return bytes;
  }
  template <typename H>
  H AnyHandle() {
    return H{.index = static_cast<uint32_t>(random_()),
             .generation = 1 + Below(UINT32_MAX)};
  }
  core::StreamHandle Stream() { return AnyHandle<core::StreamHandle>(); }
  core::EventHandle Event() { return AnyHandle<core::EventHandle>(); }
  core::NotifyHandle Notify() { return AnyHandle<core::NotifyHandle>(); }
  core::ContextHandle Context() { return AnyHandle<core::ContextHandle>(); }
  core::Tick Ticks() { return static_cast<core::Tick>(random_() >> 1); }
  core::DeviceId Device() { return core::DeviceId(Below(UINT32_MAX)); }

  core::Synchronize NextSynchronize() {
    using Target = core::Synchronize::Target;
    core::Synchronize out{.target = static_cast<Target>(Below(4)),
                          .device = Device()};
    if (out.target == Target::kStream) out.stream = Stream();
    if (out.target == Target::kEvent) out.event = Event();
    if (out.target == Target::kContext) out.context = Context();
    return out;
  }

  core::Copy NextCopy() {
    core::Copy out{.kind = static_cast<core::CopyKind>(Below(3)),
                   .target = random_(),
                   .source = random_(),
                   .bytes = random_(),
                   .wants_reply = Coin()};
    if (Coin()) out.stream = Stream();
    out.is_by_cpu = out.kind != core::CopyKind::kDeviceToDevice && Coin();
    if (Coin()) {
      out.bytes = 1 + Below(core::kRowBytesMax);
      out.rows = 2 + Below(core::kRowCountMax - 1);
      out.target_pitch = out.bytes + Below(100);
      out.source_pitch = out.bytes + Below(100);
      return out;
    }
    if (out.kind == core::CopyKind::kHostToDevice && Coin()) {
      out.inline_data = Bytes(1 + Below(300));
      out.bytes = out.inline_data.size();
    }
    return out;
  }

  core::Launch NextLaunch() {
    core::Launch out{.stream = Stream(),
                     .kernel = Below(UINT32_MAX),
                     .num_blocks = Below(UINT32_MAX)};
    if (Coin()) {
      out.args = Bytes(Below(200));
      out.is_timing_only = Coin();
    } else {
      out.args_address = 1 + random_() / 2;
      out.args_bytes = Below(core::kLaunchArgsBytesMax + 1);
    }
    return out;
  }

  core::Operation NextOperation() {
    switch (Below(35)) {
      case 0:
        return core::CreateContext{Context(), Device(), Stream()};
      case 1:
        return core::DestroyContext{Context(), Coin()};
      case 2:
        return core::CreateStream{Stream(), Context(), Below(8), Coin(),
                                  Coin()};
      case 3:
        return core::DestroyStream{Stream(), Coin()};
      case 4:
        return core::QueryStream{Stream()};
      case 5:
        return core::CreateEvent{Event(), Device()};
      case 6:
        return core::DestroyEvent{Event()};
      case 7:
        return core::RecordEvent{Event(), Stream()};
      case 8:
        return core::WaitEvent{Stream(), Event(), Ticks()};
      case 9:
        return core::QueryEvent{Event()};
      case 10:
        return NextSynchronize();
      case 11:
        return core::CancelWait{core::Ticket(1 + random_() / 2)};
      case 12:
        return core::Malloc{Device(), random_(), Below(9), Coin()};
      case 13:
        return core::Free{random_()};
      case 14:
        return core::MemInfo{Device()};
      case 15:
        return NextCopy();
      case 16: {
        core::Fill fill{.address = random_(),
                        .bytes = random_(),
                        .value = Below(256),
                        .wants_reply = Coin()};
        if (Coin()) {
          fill.address &= ~uint64_t{3};
          fill.bytes &= ~uint64_t{3};
          fill.value = Below(UINT32_MAX);
          fill.value_bytes = 4;
        }
        if (Coin()) fill.stream = Stream();
        fill.is_timing_only = Coin();
        return fill;
      }
      case 17:
        return core::LoadPackage{Bytes(Below(40))};
      case 18:
        return core::ResetEvent{Event(), Stream()};
      case 19:
        return core::AbortStream{Stream()};
      case 20:
        return core::SetStreamPriority{Stream(), Below(8)};
      case 21:
        return core::StopContextOnFailure{Stream()};
      case 22:
        return core::CreateNotify{Notify(), Device()};
      case 23:
        return core::DestroyNotify{Notify()};
      case 24:
        return core::RecordNotify{Notify(), Stream()};
      case 25:
        return core::WaitNotify{Stream(), Notify(), Ticks()};
      case 26:
        return core::WaitWord{Stream(), random_() & ~uint64_t{7}, random_(),
                              static_cast<core::WordCondition>(Below(4))};
      case 27:
        return core::HostFunction{Stream(), Coin()};
      case 28:
        return core::HostFunctionDone{core::Ticket(1 + random_() / 2)};
      case 29:
        return core::QueryUtilization{Device()};
      case 30:
        return core::JoinClock{.participants = 1 + Below(9), .rank = 0};
      case 31:
        return core::LeaveClock{Coin()};
      case 32:
        return core::QueryClock{};
      case 33:
        return core::AwaitProgress{Stream(), random_()};
      default:
        return NextLaunch();
    }
  }

  std::mt19937_64 random_;
  uint64_t ticket_ = 0;
};

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_RANDOM_COMMAND_H_
