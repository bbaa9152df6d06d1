// FakeDaemon: a daemon of a few lines, for tests of the client library alone.
//
// It records the commands that come in and answers requests on a completion
// thread of its own, at once and in order, in the way that `Answer` says. A
// test may keep answers back, let streams progress by hand, ask for uploads,
// send host data and drop the connection.
//
// Threading: any thread. Ownership: the test owns the daemon, which outlives
// the transports it makes.
#ifndef ASCEND_TESTS_TESTING_FAKE_DAEMON_H_
#define ASCEND_TESTS_TESTING_FAKE_DAEMON_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client/runtime/connection.h"
#include "client/runtime/transport.h"
#include "core/base/sync.h"

namespace ascend::testing {

class FakeDaemon {
 public:
  FakeDaemon();
  ~FakeDaemon();

  // What Open answers; to be changed before the first call.
  client::ServerDescription description;

  // The address of the first allocation; later ones follow at 1 MiB.
  static constexpr uint64_t kFirstAddress = 0x120000000000;

  // Makes transports to this daemon.
  client::ConnectionMaker Maker();

  // Requests for which it says true are not answered until Release.
  using Predicate = std::function<bool(const core::Command&)>;
  void HoldBack(Predicate predicate);
  // Answers what was held back, and holds back nothing more.
  void Release();
  // Requests are answered with this error when it says true.
  void FailWhen(Predicate predicate, absl::Status status);
  // By default each posted task retires at once.
  void RetireByHand();

  // On the completion thread, in order with replies.
  void Run(std::function<void(client::TransportSink&)> event);
  void Retire(core::StreamHandle stream, uint64_t retired);
  void Lose(absl::Status why);

  // Everything posted so far, in the order of arrival.
  std::vector<core::Command> commands() const;
  // Waits until `predicate` holds for one of them; the first that does.
  core::Command Await(const Predicate& predicate);
  // Waits until the bytes of that upload have been sent; those bytes.
  std::string AwaitUpload(core::Ticket ticket);
  // Downloads that were acknowledged.
  std::vector<uint64_t> finished_downloads() const;
  uint64_t closed_count() const;

 private:
  friend class FakeTransport;

  void Accept(core::Command command);
  core::Reply Answer(const core::Command& command)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // An AwaitProgress is answered when so many tasks have retired.
  void AnswerWhenThereIsRoom(const core::Command& command)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Enqueue(std::function<void(client::TransportSink&)> event)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DeliverEvents();

  mutable core::Mutex mutex_;
  core::CondVar changed_;
  client::TransportSink* sink_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::deque<std::function<void(client::TransportSink&)>> events_
      ABSL_GUARDED_BY(mutex_);
  bool is_delivering_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool retires_by_hand_ ABSL_GUARDED_BY(mutex_) = false;
  Predicate held_ ABSL_GUARDED_BY(mutex_);
  std::vector<core::Command> held_back_ ABSL_GUARDED_BY(mutex_);
  std::vector<core::Command> waiting_for_room_ ABSL_GUARDED_BY(mutex_);
  Predicate failing_ ABSL_GUARDED_BY(mutex_);
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  std::vector<core::Command> commands_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, std::string> uploads_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> finished_downloads_ ABSL_GUARDED_BY(mutex_);
  std::map<core::StreamHandle, uint64_t> retired_ ABSL_GUARDED_BY(mutex_);
  uint64_t closed_count_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_address_ ABSL_GUARDED_BY(mutex_) = kFirstAddress;
  std::thread completion_thread_;
};

// The operation of a command if it is a T, else null.
template <typename T>
const T* As(const core::Command& command) {
  return std::get_if<T>(&command.operation);
}

// A predicate: the operation is a T.
template <typename T>
bool Is(const core::Command& command) {
  return std::holds_alternative<T>(command.operation);
}

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_FAKE_DAEMON_H_
