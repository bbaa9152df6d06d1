#include "tests/fuzz/core/machine/fuzz_client.h"

#include <algorithm>
#include <utility>

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

constexpr uint64_t kMib = uint64_t{1} << 20;
constexpr uint64_t kNowhere = 0x1000;

// The smallest index that is not in `taken`, which then is.
uint32_t TakeIndex(std::set<uint32_t>& taken) {
  uint32_t index = 0;
  while (taken.count(index) > 0) ++index;
  taken.insert(index);
  return index;
}

}  // namespace

FuzzClient::FuzzClient(SessionId session, Machine& machine,
                       FuzzRunners& runners, const RecordingObserver& observer,
                       Rng& rng)
    : session_(session),
      machine_(machine),
      runners_(runners),
      observer_(observer),
      rng_(rng) {
  machine.OpenSession(session, {.rank = session.value(),
                                .hbm_quota_bytes = Draw(2) * 128 * kMib});
}

Ticket FuzzClient::Send(Operation operation, Tick lead) {
  const Ticket ticket(++last_ticket_);
  Tick stamp = SaturatingAdd(machine_.now(), lead);
  if (lead == 0 && Draw(2) == 0) {
    stamp += static_cast<Tick>(Draw(Microseconds(20)));
  }
  if (lead == 0 && Draw(4) == 0) stamp = stamp * 9 / 10;
  // Anything may depend on what came before: lanes do not overtake.
  stamp = std::max(stamp, last_stamp_ + 1);
  last_stamp_ = stamp;
  machine_.Submit(session_, {.ticket = ticket,
                             .lane = LaneId(static_cast<uint32_t>(Draw(3))),
                             .stamp = stamp,
                             .operation = std::move(operation)});
  return ticket;
}

void FuzzClient::Ask(Operation operation, Request request) {
  const Ticket ticket = Send(std::move(operation));
  waiting_.emplace(ticket, std::move(request));
}

bool FuzzClient::FinishHostFunctions() {
  if (expects_violation_) return false;
  bool has_any = false;
  for (; due_seen_ < observer_.due.size(); ++due_seen_) {
    const auto& [session, ticket] = observer_.due[due_seen_];
    if (session != session_ || awaited_functions_.erase(ticket) == 0) continue;
    Send(HostFunctionDone{ticket});
    has_any = true;
  }
  return has_any;
}

void FuzzClient::Step() {
  TakeReplies();
  if (expects_violation_) return;
  if (Draw(3) == 0) FinishHostFunctions();
  ClientStream* const stream = PickStream();
  const uint64_t kind = Draw(100);
  if (kind < 8 || stream == nullptr) return CreateContextOrStream();
  if (kind < 60) return SendTask(*stream);
  if (kind < 70) return SendMemoryCommand();
  if (kind < 80) return SendEventCommand();
  if (kind < 90) return SendSynchronize();
  if (kind < 92) return SendCopy(nullptr);
  if (kind < 93) return ControlSomeStream();
  if (kind < 94) return SendNotifyCommand();
  if (kind < 95) return GiveUp();
  if (kind < 96) return DestroySomeContext();
  if (kind < 98) return DestroySomeStream();
  return Ask(QueryStream{stream->handle});
}

void FuzzClient::Misbehave() {
  expects_violation_ = true;
  switch (Draw(3)) {
    case 0:
      last_ticket_ += Draw(2) == 0 ? 1 : ~uint64_t{0};  // a gap, a repetition
      Send(MemInfo{DeviceId(0)});
      return;
    case 1:
      Send(MemInfo{DeviceId(0)}, kTickMax);
      return;
    default:
      Send(IllegalOperation());
      return;
  }
}

Operation FuzzClient::IllegalOperation() {
  const StreamHandle stream =
      streams_.empty() ? StreamHandle{} : streams_.front().handle;
  switch (Draw(9)) {
    case 0:
      return QueryStream{StreamHandle{stream.index, stream.generation + 1}};
    case 1:
      return Free{kNowhere};
    case 2:
      return Launch{.stream = stream, .kernel = kTestMix, .args = "x"};
    case 3:
      return Launch{
          .stream = stream, .kernel = 999, .num_blocks = 1, .args = "x"};
    case 4:
      return CreateStream{.stream = StreamHandle{1000, 1}};
    case 5:
      return CreateEvent{EventHandle{0, 0}, DeviceId(0)};
    case 6:
      return RecordEvent{EventHandle{7, 4000}, stream};
    case 7:
      return DestroyContext{ContextHandle{0, 4000}};
    default:
      return Copy{.kind = CopyKind::kHostToDevice,
                  .target = kNowhere,
                  .bytes = 5,
                  .inline_data = "four",
                  .wants_reply = true};
  }
}

FuzzClient::ClientStream* FuzzClient::PickStream() { return Pick(streams_); }

TaskPlace FuzzClient::PlaceIn(const ClientStream& stream) const {
  return {session_, stream.handle.ToBits(), stream.submitted};
}

void FuzzClient::CreateContextOrStream() {
  const StreamHandle handle{TakeIndex(stream_indices_), ++handle_count_};
  const ContextHandle* known = Pick(contexts_);
  if (known != nullptr && Draw(4) != 0) {
    const CreateStream create{.stream = handle,
                              .context = *known,
                              .priority = static_cast<uint32_t>(Draw(9))};
    return Ask(create, {.asked = Asked::kStream,
                        .stream = {.handle = handle, .context = *known}});
  }
  const ContextHandle context{TakeIndex(context_indices_), handle_count_};
  const DeviceId device(static_cast<uint32_t>(Draw(8) == 0 ? 9 : Draw(2)));
  Ask(CreateContext{context, device, handle},
      {.asked = Asked::kContext,
       .stream = {.handle = handle, .context = context, .is_default = true}});
}

void FuzzClient::SendTask(ClientStream& stream) {
  const auto progress = observer_.progress.find({session_, stream.handle});
  const uint64_t retired =
      progress == observer_.progress.end() ? 0 : progress->second;
  EXPECT_LE(retired, stream.submitted);
  if (stream.submitted - retired >= machine_.options().spec.stream_depth) {
    return;
  }
  ++stream.submitted;
  const uint64_t kind = Draw(10);
  ClientEvent* const event = Pick(events_);
  if (kind < 2 && event != nullptr) {
    event->is_recorded = true;
    Send(RecordEvent{event->handle, stream.handle});
  } else if (kind < 4 && event != nullptr) {
    Send(WaitEvent{
        stream.handle, event->handle,
        static_cast<Tick>(Draw(3) * Draw(2) * Draw(Microseconds(200)))});
  } else if (kind == 4 && event != nullptr && Draw(4) == 0) {
    event->was_reset = true;
    Send(ResetEvent{event->handle, stream.handle});
  } else if (kind < 6 && Draw(3) == 0 && !notifies_.empty()) {
    SendSignal(stream, *Pick(notifies_));
  } else if (kind < 6) {
    SendCopy(&stream);
  } else {
    SendLaunch(stream);
  }
}

// Waits end by themselves, so that a run that is left alone comes to rest.
void FuzzClient::SendSignal(ClientStream& stream, NotifyHandle notify) {
  switch (Draw(3)) {
    case 0:
      Send(RecordNotify{notify, stream.handle});
      return;
    case 1:
      Send(WaitNotify{stream.handle, notify,
                      1 + static_cast<Tick>(Draw(Microseconds(200)))});
      return;
    default: {
      const bool is_awaited = Draw(2) == 0;
      const Ticket ticket = Send(HostFunction{stream.handle, is_awaited});
      if (is_awaited) awaited_functions_.insert(ticket);
      return;
    }
  }
}

void FuzzClient::SendNotifyCommand() {
  if (notifies_.size() < 4) {
    const NotifyHandle handle{TakeIndex(notify_indices_), ++handle_count_};
    Send(CreateNotify{handle, DeviceId(0)});
    notifies_.push_back(handle);
    return;
  }
  NotifyHandle* const notify = Pick(notifies_);
  Send(DestroyNotify{*notify});
  notify_indices_.erase(notify->index);
  notifies_.erase(notifies_.begin() + (notify - notifies_.data()));
}

void FuzzClient::ControlSomeStream() {
  ClientStream* const stream = PickStream();
  switch (Draw(8)) {
    case 0:
      Send(StopContextOnFailure{stream->handle});
      return;
    case 1:
    case 2:
      Send(SetStreamPriority{stream->handle, static_cast<uint32_t>(Draw(8))});
      return;
    case 3:
      return Ask(QueryUtilization{DeviceId(static_cast<uint32_t>(Draw(2)))});
    default:
      return Ask(AbortStream{stream->handle});
  }
}

void FuzzClient::SendLaunch(ClientStream& stream) {
  Launch launch{.stream = stream.handle,
                .kernel = 1 + static_cast<uint32_t>(Draw(3)),
                .num_blocks = 1 + static_cast<uint32_t>(Draw(40))};
  const Allocation range = PickRange();
  if (Draw(6) == 0) {
    launch.args_address = range.address + Draw(8);
    launch.args_bytes = sizeof(TestKernelArgs);
    Send(std::move(launch));
    return;
  }
  TestKernelArgs args{
      .hbm_bytes = Draw(2) * Draw(4'000'000),
      .flops = static_cast<double>(Draw(2) * Draw(1 << 30)),
      .vector_ticks = static_cast<Tick>(Draw(2) * Draw(Microseconds(30))),
      .is_legal = Draw(30) == 0 ? 0u : 1u,
      .tag = (stream.handle.ToBits() << 20) | stream.submitted};
  if (Draw(2) == 0) {
    args.address = range.address;
    args.bytes = range.bytes;
  }
  if (Draw(200) == 0) args.hbm_bytes = ~uint64_t{0};
  launch.args = args.ToBlock();
  Send(std::move(launch));
}

FuzzClient::Allocation FuzzClient::PickRange() {
  const Allocation* const picked = Pick(allocations_);
  if (picked == nullptr || Draw(15) == 0) return {kNowhere, 64};
  const uint64_t offset = Draw(picked->bytes);
  return {picked->address + offset,
          Draw(std::min<uint64_t>(picked->bytes - offset, 100'000)) +
              (Draw(10) == 0 ? 0 : 1)};
}

void FuzzClient::SendCopy(ClientStream* stream) {
  const StreamHandle handle =
      stream == nullptr ? StreamHandle{} : stream->handle;
  const Allocation target = PickRange();
  const bool wants_reply = stream == nullptr || Draw(4) == 0;
  Operation operation;
  if (Draw(4) == 0) {
    operation = Fill{.stream = handle,
                     .address = target.address,
                     .bytes = target.bytes,
                     .value = 1,
                     .wants_reply = wants_reply};
  } else {
    Copy copy{.stream = handle,
              .kind = static_cast<CopyKind>(Draw(3)),
              .target = target.address,
              .source = PickRange().address,
              .bytes = target.bytes,
              .wants_reply = wants_reply};
    if (copy.kind == CopyKind::kHostToDevice && copy.bytes <= 4096) {
      copy.inline_data.assign(copy.bytes, 'x');
    }
    operation = std::move(copy);
  }
  if (stream != nullptr) {
    runners_.ExpectCopy(Ticket(last_ticket_ + 1), PlaceIn(*stream));
  }
  if (wants_reply) return Ask(std::move(operation));
  Send(std::move(operation));
}

void FuzzClient::SendMemoryCommand() {
  if (Draw(3) == 0) return Ask(MemInfo{DeviceId(Draw(4) == 0 ? 5u : 0u)});
  if (Draw(2) == 0 && !allocations_.empty()) {
    const size_t index = Draw(allocations_.size());
    Send(Free{allocations_[index].address});
    allocations_.erase(allocations_.begin() + static_cast<ptrdiff_t>(index));
    return;
  }
  const uint64_t bytes = 1 + Draw(Draw(3) == 0 ? 100 * kMib : 64 * 1024);
  Ask(Malloc{DeviceId(static_cast<uint32_t>(Draw(2))), bytes,
             static_cast<uint32_t>(Draw(3))},
      {.asked = Asked::kMalloc, .bytes = bytes});
}

void FuzzClient::SendEventCommand() {
  const size_t events_max = size_t{machine_.options().spec.events_max} *
                            machine_.options().device_count;
  ClientEvent* const event = Pick(events_);
  const uint64_t kind = Draw(4);
  if (kind == 0 && events_.size() < events_max) {
    const EventHandle handle{TakeIndex(event_indices_), ++handle_count_};
    Send(CreateEvent{handle, DeviceId(0)});
    events_.push_back({handle});
  } else if (kind == 1 && event != nullptr) {
    Send(DestroyEvent{event->handle});
    event_indices_.erase(event->handle.index);
    events_.erase(events_.begin() + (event - events_.data()));
  } else if (event != nullptr) {
    Ask(QueryEvent{event->handle}, {.asked = Asked::kEventQuery,
                                    .is_recorded = event->is_recorded,
                                    .was_reset = event->was_reset});
  }
}

void FuzzClient::SendSynchronize() {
  Synchronize target;
  target.target = static_cast<Synchronize::Target>(Draw(4));
  target.device = DeviceId(static_cast<uint32_t>(Draw(2)));
  if (!contexts_.empty()) target.context = *Pick(contexts_);
  if (!streams_.empty()) target.stream = PickStream()->handle;
  if (ClientEvent* const event = Pick(events_)) {
    target.event = event->handle;
  } else if (target.target == Synchronize::Target::kEvent) {
    return;
  }
  Ask(target);
}

void FuzzClient::DestroySomeContext() {
  const ContextHandle context = *Pick(contexts_);
  std::erase(contexts_, context);
  Request request{.freed_contexts = {context.index}};
  std::erase_if(streams_, [&](const ClientStream& stream) {
    if (stream.context != context) return false;
    request.freed_streams.push_back(stream.handle.index);
    return true;
  });
  Ask(DestroyContext{context, Draw(2) == 0}, std::move(request));
}

void FuzzClient::DestroySomeStream() {
  ClientStream* const stream = PickStream();
  if (stream == nullptr || stream->is_default) return;
  Request request{.freed_streams = {stream->handle.index}};
  const DestroyStream destroy{stream->handle, Draw(2) == 0};
  streams_.erase(streams_.begin() + (stream - streams_.data()));
  Ask(destroy, std::move(request));
}

void FuzzClient::GiveUp() {
  if (waiting_.empty()) return;
  const auto found = std::next(waiting_.begin(),
                               static_cast<ptrdiff_t>(Draw(waiting_.size())));
  found->second.is_given_up = true;
  Send(CancelWait{found->first});
}

void FuzzClient::TakeReplies() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const Reply* const reply = observer_.ReplyTo(session_, it->first);
    if (reply == nullptr) {
      ++it;
      continue;
    }
    TakeReply(it->second, *reply);
    answered_.insert(*it);
    it = waiting_.erase(it);
  }
}

void FuzzClient::TakeReply(const Request& request, const Reply& reply) {
  const bool ok = reply.status.ok();
  const uint32_t stream = request.stream.handle.index;
  switch (request.asked) {
    case Asked::kContext:
      if (!ok) {
        context_indices_.erase(request.stream.context.index);
        stream_indices_.erase(stream);
        break;
      }
      contexts_.push_back(request.stream.context);
      streams_.push_back(request.stream);
      break;
    case Asked::kStream:
      if (!ok) stream_indices_.erase(stream);
      // Its context may be on its way out, and then it goes with it.
      if (ok && std::count(contexts_.begin(), contexts_.end(),
                           request.stream.context) > 0) {
        streams_.push_back(request.stream);
      }
      break;
    case Asked::kMalloc:
      if (!ok) break;
      allocations_.push_back(
          {std::get<MallocReply>(reply.payload).address, request.bytes});
      break;
    case Asked::kEventQuery:
      if (request.was_reset) break;
      EXPECT_EQ(std::get<EventReply>(reply.payload).recorded,
                request.is_recorded);
      break;
    case Asked::kOther:
      break;
  }
  for (const uint32_t i : request.freed_contexts) context_indices_.erase(i);
  for (const uint32_t i : request.freed_streams) stream_indices_.erase(i);
}

void FuzzClient::CheckAnswers(bool is_idle) const {
  const auto count = [this](Ticket ticket) {
    const auto found = observer_.replies.find({session_, ticket});
    return found == observer_.replies.end() ? 0u : found->second.size();
  };
  for (const auto& [ticket, request] : answered_) {
    EXPECT_EQ(count(ticket), 1u) << "ticket " << ticket.value();
  }
  for (const auto& [ticket, request] : waiting_) {
    EXPECT_LE(count(ticket), 1u) << "ticket " << ticket.value();
    if (!is_idle || request.is_given_up) continue;
    EXPECT_EQ(count(ticket), 1u) << "ticket " << ticket.value();
  }
}

}  // namespace ascend::core
