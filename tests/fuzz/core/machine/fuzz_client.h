// FuzzClient: a client that sends random commands and knows which are legal.
//
// It uses a handle only once the reply to its creation has come, keeps within
// the depth of its streams as the machine's progress tells it, and frees what
// it was given. On demand it breaks one rule, and then expects the end of its
// session.
#ifndef ASCEND_TESTS_FUZZ_CORE_MACHINE_FUZZ_CLIENT_H_
#define ASCEND_TESTS_FUZZ_CORE_MACHINE_FUZZ_CLIENT_H_

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/machine/machine.h"
#include "core/sim/rng.h"
#include "tests/fuzz/core/machine/fuzz_runners.h"
#include "tests/testing/recording_observer.h"

namespace ascend::core {

class FuzzClient {
 public:
  FuzzClient(SessionId session, Machine& machine, FuzzRunners& runners,
             const RecordingObserver& observer, Rng& rng);

  SessionId session() const { return session_; }
  bool expects_violation() const { return expects_violation_; }

  // Sends one legal command.
  void Step();
  // Answers for the host functions that are due; false when there are none.
  bool FinishHostFunctions();
  // Sends one that ends the session.
  void Misbehave();

  // Every request was answered once, except those that were given up, which
  // were answered at most once. `is_idle`: and none is still to be answered.
  void CheckAnswers(bool is_idle) const;

 private:
  struct ClientStream {
    StreamHandle handle;
    ContextHandle context;
    uint64_t submitted = 0;
    bool is_default = false;
  };
  struct ClientEvent {
    EventHandle handle;
    bool is_recorded = false;
    bool was_reset = false;  // so that nobody here knows
  };
  enum class Asked { kContext, kStream, kMalloc, kEventQuery, kOther };
  struct Request {
    Asked asked = Asked::kOther;
    ClientStream stream = {};  // of kContext and kStream
    uint64_t bytes = 0;
    bool is_recorded = false;
    bool was_reset = false;
    bool is_given_up = false;
    // Indices that are free again with the reply.
    std::vector<uint32_t> freed_contexts = {};
    std::vector<uint32_t> freed_streams = {};
  };
  struct Allocation {
    uint64_t address;
    uint64_t bytes;
  };

  Ticket Send(Operation operation, Tick lead = 0);
  void Ask(Operation operation) { Ask(std::move(operation), Request()); }
  void Ask(Operation operation, Request request);
  void TakeReplies();
  void TakeReply(const Request& request, const Reply& reply);

  void CreateContextOrStream();
  void SendTask(ClientStream& stream);
  void SendLaunch(ClientStream& stream);
  void SendCopy(ClientStream* stream);
  void SendMemoryCommand();
  void SendEventCommand();
  void SendNotifyCommand();
  void SendSignal(ClientStream& stream, NotifyHandle notify);
  void ControlSomeStream();
  void SendSynchronize();
  void DestroySomeContext();
  void DestroySomeStream();
  void GiveUp();
  Operation IllegalOperation();

  uint64_t Draw(uint64_t bound) { return rng_.Below(bound); }
  template <typename T>
  T* Pick(std::vector<T>& items) {
    return items.empty() ? nullptr : &items[Draw(items.size())];
  }
  ClientStream* PickStream();
  // A range of an allocation, or, rarely, of nothing.
  Allocation PickRange();
  TaskPlace PlaceIn(const ClientStream& stream) const;

  const SessionId session_;
  Machine& machine_;
  FuzzRunners& runners_;
  const RecordingObserver& observer_;
  Rng& rng_;

  uint64_t last_ticket_ = 0;
  Tick last_stamp_ = 0;
  bool expects_violation_ = false;
  uint32_t handle_count_ = 0;  // generations: each is used once
  std::vector<ContextHandle> contexts_;
  std::vector<ClientStream> streams_;
  std::vector<ClientEvent> events_;
  std::vector<NotifyHandle> notifies_;
  std::vector<Allocation> allocations_;
  std::set<uint32_t> context_indices_, stream_indices_, event_indices_,
      notify_indices_;
  std::map<Ticket, Request> waiting_;
  std::map<Ticket, Request> answered_;
  std::set<Ticket> awaited_functions_;  // not due yet
  size_t due_seen_ = 0;                 // of the observer's
};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_FUZZ_CORE_MACHINE_FUZZ_CLIENT_H_
