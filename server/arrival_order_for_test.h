// ArrivalOrderForTest: what happens when nobody looks at tickets.
//
// TEST ONLY, behind MachineHostOptions::ignore_tickets_for_test. A test of the
// order of calls proves something only if it fails once order is lost. This
// shuffles the tasks, records and waits of each batch of commands, with a fixed
// seed, and numbers the commands in the order in which they then are, so that
// the machine takes them as they come; replies go back under the client's own
// tickets. Whatever makes or ends something stays in its place, or the session
// would end at a handle that is not there instead of showing a wrong result.
//
// Threading: thread-compatible. Ownership: value type.
#ifndef ASCEND_SERVER_ARRIVAL_ORDER_FOR_TEST_H_
#define ASCEND_SERVER_ARRIVAL_ORDER_FOR_TEST_H_

#include <algorithm>
#include <map>
#include <random>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/command/command.h"

namespace ascend::server {

class ArrivalOrderForTest {
 public:
  void Renumber(core::SessionId session, std::vector<core::Command>& batch) {
    const auto is_fixed = [](const core::Command& command) {
      return !IsShuffled(command.operation);
    };
    for (auto begin = batch.begin(); begin != batch.end();) {
      const auto end = std::find_if(begin, batch.end(), is_fixed);
      std::shuffle(begin, end, random_);
      begin = std::find_if_not(end, batch.end(), is_fixed);
    }
    std::vector<core::Ticket>& tickets = client_tickets_[session];
    for (core::Command& command : batch) {
      tickets.push_back(command.ticket);
      command.ticket = core::Ticket(tickets.size());
    }
  }

  core::Ticket ClientTicket(core::SessionId session, core::Ticket ticket) {
    return client_tickets_[session].at(ticket.value() - 1);
  }

 private:
  static bool IsShuffled(const core::Operation& operation) {
    return std::holds_alternative<core::Launch>(operation) ||
           std::holds_alternative<core::Copy>(operation) ||
           std::holds_alternative<core::Fill>(operation) ||
           std::holds_alternative<core::RecordEvent>(operation) ||
           std::holds_alternative<core::ResetEvent>(operation) ||
           std::holds_alternative<core::WaitEvent>(operation);
  }

  std::mt19937_64 random_{20240611};
  std::map<core::SessionId, std::vector<core::Ticket>> client_tickets_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_ARRIVAL_ORDER_FOR_TEST_H_
