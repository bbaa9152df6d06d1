// RecordingObserver: keeps what the machine told, in order, and as one text per
// effect, so that two runs can be compared.
#ifndef ASCEND_TESTS_TESTING_RECORDING_OBSERVER_H_
#define ASCEND_TESTS_TESTING_RECORDING_OBSERVER_H_

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/machine/machine.h"
#include "core/machine/observer.h"
#include "gtest/gtest.h"

namespace ascend::core {

class RecordingObserver : public Observer {
 public:
  void OnReply(SessionId session, Reply reply) override {
    Log(session, absl::StrCat("reply ", reply.ticket.value(), " @", reply.tick,
                              " ", ReasonName(ReasonOf(reply.status)), " ",
                              PayloadText(reply.payload)));
    replies[{session, reply.ticket}].push_back(std::move(reply));
  }
  void OnHostData(SessionId session, Ticket ticket,
                  std::string bytes) override {
    Log(session, absl::StrCat("data ", ticket.value(), " ", bytes.size()));
    host_data[{session, ticket}] += bytes;
  }
  void OnStreamProgress(SessionId session, StreamHandle stream,
                        uint64_t retired) override {
    Log(session, absl::StrCat("progress ", stream.ToBits(), " ", retired));
    progress[{session, stream}] = retired;
  }
  void OnHostFunctionDue(SessionId session, Ticket ticket, Tick,
                         bool) override {
    Log(session, absl::StrCat("due ", ticket.value()));
    due.emplace_back(session, ticket);
  }
  void OnTaskFailed(SessionId session, TaskFailure failure) override {
    Log(session, absl::StrCat("failed ", failure.stream.ToBits(), " ",
                              failure.task, " ", failure.status.message()));
    failures.emplace_back(session, std::move(failure));
  }
  void OnProtocolViolation(SessionId session, absl::Status why) override {
    Log(session, absl::StrCat("violation ", why.message()));
    violations.emplace(session, std::move(why));
  }
  void OnSessionClosed(SessionId session, const SessionUsage& last) override {
    Log(session, "closed");
    EXPECT_TRUE(closed.emplace(session, last).second) << "closed twice";
  }

  // The only reply to that request; null when there is none.
  const Reply* ReplyTo(SessionId session, Ticket ticket) const {
    const auto found = replies.find({session, ticket});
    if (found == replies.end() || found->second.size() != 1) return nullptr;
    return &found->second.front();
  }

  std::vector<std::string> log;
  std::map<std::pair<SessionId, Ticket>, std::vector<Reply>> replies;
  std::map<std::pair<SessionId, Ticket>, std::string> host_data;
  std::map<std::pair<SessionId, StreamHandle>, uint64_t> progress;
  std::vector<std::pair<SessionId, Ticket>> due;
  std::vector<std::pair<SessionId, TaskFailure>> failures;
  std::map<SessionId, absl::Status> violations;
  std::map<SessionId, SessionUsage> closed;  // and its last usage

 private:
  struct PayloadVisitor {
    std::string operator()(const std::monostate&) const { return ""; }
    std::string operator()(const MallocReply& r) const {
      return absl::StrCat("address ", r.address);
    }
    std::string operator()(const MemInfoReply& r) const {
      return absl::StrCat("free ", r.free_bytes, " of ", r.total_bytes);
    }
    std::string operator()(const QueryReply& r) const {
      return absl::StrCat("complete ", r.complete);
    }
    std::string operator()(const EventReply& r) const {
      return absl::StrCat("recorded ", r.recorded, " complete ", r.complete,
                          " tick ", r.record_tick, " awaited ", r.is_awaited);
    }
    std::string operator()(const UtilizationReply& r) const {
      return absl::StrCat("cube ", r.cube_percent, " aiv ", r.aiv_percent);
    }
    std::string operator()(const ClockReply& r) const {
      return absl::StrCat("run of ", r.participants, ", ", r.left_count,
                          " left, began at ", r.begin_tick, ", ", r.task_count,
                          " tasks, hash ", absl::Hex(r.trace_hash));
    }
    std::string operator()(const PackageReply& r) const {
      return absl::StrCat(r.kernels.size(), " kernels");
    }
  };

  static std::string PayloadText(const ReplyPayload& payload) {
    return std::visit(PayloadVisitor{}, payload);
  }
  void Log(SessionId session, const std::string& text) {
    log.push_back(absl::StrCat("s", session.value(), " ", text));
  }
};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_TESTING_RECORDING_OBSERVER_H_
