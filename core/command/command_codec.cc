#include "core/command/command_codec.h"

#include <array>
#include <limits>
#include <type_traits>
#include <utility>

namespace ascend::core {
namespace {

// The fields of each operation, in the order in which they are written. New
// fields and operations go to the end: the version of the log tells them.
template <typename A>
void Fields(A& a, CreateContext& o) {
  a(o.context, o.device, o.default_stream);
}
template <typename A>
void Fields(A& a, DestroyContext& o) {
  a(o.context, o.force);
}
template <typename A>
void Fields(A& a, CreateStream& o) {
  a(o.stream, o.context, o.priority, o.fast_launch, o.fast_sync);
}
template <typename A>
void Fields(A& a, DestroyStream& o) {
  a(o.stream, o.force);
}
template <typename A>
void Fields(A& a, QueryStream& o) {
  a(o.stream);
}
template <typename A>
void Fields(A& a, AbortStream& o) {
  a(o.stream);
}
template <typename A>
void Fields(A& a, SetStreamPriority& o) {
  a(o.stream, o.priority);
}
template <typename A>
void Fields(A& a, StopContextOnFailure& o) {
  a(o.stream);
}
template <typename A>
void Fields(A& a, CreateEvent& o) {
  a(o.event, o.device);
}
template <typename A>
void Fields(A& a, DestroyEvent& o) {
  a(o.event);
}
template <typename A>
void Fields(A& a, RecordEvent& o) {
  a(o.event, o.stream);
}
template <typename A>
void Fields(A& a, ResetEvent& o) {
  a(o.event, o.stream);
}
template <typename A>
void Fields(A& a, WaitEvent& o) {
  a(o.stream, o.event, o.timeout_ticks);
}
template <typename A>
void Fields(A& a, QueryEvent& o) {
  a(o.event);
}
template <typename A>
void Fields(A& a, CreateNotify& o) {
  a(o.notify, o.device);
}
template <typename A>
void Fields(A& a, DestroyNotify& o) {
  a(o.notify);
}
template <typename A>
void Fields(A& a, RecordNotify& o) {
  a(o.notify, o.stream);
}
template <typename A>
void Fields(A& a, WaitNotify& o) {
  a(o.stream, o.notify, o.timeout_ticks);
}
template <typename A>
void Fields(A& a, WaitWord& o) {
  a(o.stream, o.address, o.value, o.condition);
}
template <typename A>
void Fields(A& a, HostFunction& o) {
  a(o.stream, o.is_awaited);
}
template <typename A>
void Fields(A& a, HostFunctionDone& o) {
  a(o.ticket);
}
template <typename A>
void Fields(A& a, Synchronize& o) {
  a(o.target, o.stream, o.event, o.context, o.device);
}
template <typename A>
void Fields(A& a, CancelWait& o) {
  a(o.ticket);
}
template <typename A>
void Fields(A& a, Malloc& o) {
  a(o.device, o.bytes, o.policy, o.is_padded);
}
template <typename A>
void Fields(A& a, Free& o) {
  a(o.address);
}
template <typename A>
void Fields(A& a, MemInfo& o) {
  a(o.device);
}
template <typename A>
void Fields(A& a, QueryUtilization& o) {
  a(o.device);
}
template <typename A>
void Fields(A& a, Copy& o) {
  a(o.stream, o.kind, o.target, o.source, o.bytes, o.inline_data, o.wants_reply,
    o.rows, o.target_pitch, o.source_pitch, o.is_by_cpu);
}
template <typename A>
void Fields(A& a, Fill& o) {
  a(o.stream, o.address, o.bytes, o.value, o.value_bytes, o.wants_reply,
    o.is_timing_only);
}
template <typename A>
void Fields(A& a, LoadPackage& o) {
  a(o.name);
}
template <typename A>
void Fields(A& a, Launch& o) {
  a(o.stream, o.kernel, o.num_blocks, o.args, o.args_address, o.args_bytes,
    o.is_timing_only);
}
template <typename A>
void Fields(A& a, JoinClock& o) {
  a(o.participants, o.rank);
}
template <typename A>
void Fields(A& a, LeaveClock& o) {
  a(o.is_for_good);
}
template <typename A>
void Fields(A&, QueryClock&) {}
template <typename A>
void Fields(A& a, AwaitProgress& o) {
  a(o.stream, o.retired);
}

class Writing {
 public:
  explicit Writing(ByteWriter& out) : out_(out) {}
  template <typename... T>
  void operator()(T&... fields) {
    (Put(fields), ...);
  }

 private:
  template <typename T>
  void Put(T& field) {
    if constexpr (std::is_same_v<T, std::string>) {
      out_.String(field);
    } else if constexpr (std::is_enum_v<T>) {
      out_.Unsigned(static_cast<uint64_t>(field));
    } else if constexpr (std::is_signed_v<T>) {
      out_.Signed(field);
    } else if constexpr (std::is_unsigned_v<T>) {
      out_.Unsigned(field);
    } else if constexpr (requires { field.ToBits(); }) {
      out_.Unsigned(field.ToBits());
    } else {
      out_.Unsigned(field.value());
    }
  }

  ByteWriter& out_;
};

class Reading {
 public:
  explicit Reading(ByteReader& in) : in_(in) {}
  template <typename... T>
  void operator()(T&... fields) {
    (Get(fields), ...);
  }

 private:
  template <typename T>
  static constexpr T MostOf() {
    if constexpr (std::is_same_v<T, WordCondition>) return WordCondition::kNor;
    if constexpr (std::is_same_v<T, CopyKind>) return CopyKind::kDeviceToDevice;
    if constexpr (std::is_same_v<T, Synchronize::Target>) {
      return Synchronize::Target::kDevice;
    }
  }

  template <typename T>
  T Narrow(uint64_t most) {
    const uint64_t value = in_.Unsigned();
    if (value > most) in_.Fail();
    return static_cast<T>(value > most ? 0 : value);
  }

  template <typename T>
  void Get(T& field) {
    if constexpr (std::is_same_v<T, std::string>) {
      field = in_.String();
    } else if constexpr (std::is_enum_v<T>) {
      field = Narrow<T>(static_cast<uint64_t>(MostOf<T>()));
    } else if constexpr (std::is_same_v<T, bool>) {
      field = Narrow<uint8_t>(1) != 0;
    } else if constexpr (std::is_signed_v<T>) {
      field = in_.Signed();
    } else if constexpr (std::is_unsigned_v<T>) {
      field = Narrow<T>(std::numeric_limits<T>::max());
    } else if constexpr (requires { field.ToBits(); }) {
      field = T::FromBits(in_.Unsigned());
    } else {
      field = T(Narrow<typename T::ValueType>(
          std::numeric_limits<typename T::ValueType>::max()));
    }
  }

  ByteReader& in_;
};

template <size_t kIndex>
void ReadOperation(ByteReader& in, Operation& out) {
  Reading reading(in);
  Fields(reading, out.emplace<kIndex>());
}

using Reader = void (*)(ByteReader&, Operation&);

template <size_t... kIndex>
constexpr std::array<Reader, sizeof...(kIndex)> MakeReaders(
    std::index_sequence<kIndex...>) {
  return {ReadOperation<kIndex>...};
}

}  // namespace

void WriteCommand(const Command& command, ByteWriter& out) {
  out.Unsigned(command.ticket.value());
  out.Unsigned(command.lane.value());
  out.Signed(command.stamp);
  out.Unsigned(command.operation.index());
  Writing writing(out);
  // Writing changes nothing; one list of fields serves both ways.
  std::visit([&](auto& operation) { Fields(writing, operation); },
             const_cast<Operation&>(command.operation));
}

Command ReadCommand(ByteReader& in) {
  constexpr auto kReaders =
      MakeReaders(std::make_index_sequence<std::variant_size_v<Operation>>());
  Command command;
  Reading reading(in);
  reading(command.ticket, command.lane, command.stamp);
  const uint64_t index = in.Unsigned();
  if (index >= kReaders.size()) {
    in.Fail();
    return command;
  }
  kReaders[index](in, command.operation);
  return command;
}

}  // namespace ascend::core
