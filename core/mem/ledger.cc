#include "core/mem/ledger.h"

#include <algorithm>

#include "core/base/check.h"

namespace ascend::core {
namespace {

// No sum can overflow: every byte came out of a pool of at most 2^64 - 1.
void Move(uint64_t& from, uint64_t& to, uint64_t bytes, const char* entry) {
  ASCEND_CHECK(from >= bytes)
      << entry << " of " << bytes << " bytes from an account of " << from;
  from -= bytes;
  to += bytes;
}

void Subtract(uint64_t& account, uint64_t bytes, const char* entry) {
  ASCEND_CHECK(account >= bytes)
      << entry << " of " << bytes << " bytes from an account of " << account;
  account -= bytes;
}

}  // namespace

DeviceLedger::DeviceLedger(uint64_t total_bytes) {
  usage_.total_bytes = total_bytes;
  usage_.pool_bytes = total_bytes;
}

void DeviceLedger::CheckBalance() const {
  const MemoryUsage& s = usage_.sessions;
  ASCEND_CHECK(usage_.pool_bytes + s.reserved_bytes + s.quarantined_bytes +
                   s.idle_bytes ==
               usage_.total_bytes)
      << "pool " << usage_.pool_bytes << " reserved " << s.reserved_bytes
      << " quarantined " << s.quarantined_bytes << " idle " << s.idle_bytes;
  ASCEND_CHECK(s.used_bytes <= s.reserved_bytes);
}

bool SessionLedger::IsZero() const {
  return usage_.used_bytes == 0 && usage_.reserved_bytes == 0 &&
         usage_.quarantined_bytes == 0 && usage_.idle_bytes == 0 &&
         usage_.allocation_count == 0;
}

void SessionLedger::TakeFromPool(uint64_t bytes) {
  Move(device_.usage_.pool_bytes, device_.usage_.sessions.idle_bytes, bytes,
       "take");
  usage_.idle_bytes += bytes;
  budget_.held_bytes += bytes;
}

void SessionLedger::ReturnToPool(uint64_t bytes) {
  Subtract(usage_.idle_bytes, bytes, "return");
  Subtract(budget_.held_bytes, bytes, "return");
  Move(device_.usage_.sessions.idle_bytes, device_.usage_.pool_bytes, bytes,
       "return");
}

void SessionLedger::Reserve(uint64_t reserved_bytes, uint64_t used_bytes) {
  for (MemoryUsage* u : {&usage_, &device_.usage_.sessions}) {
    Move(u->idle_bytes, u->reserved_bytes, reserved_bytes, "reserve");
    u->used_bytes += used_bytes;
    ++u->allocation_count;
    u->reserved_bytes_max = std::max(u->reserved_bytes_max, u->reserved_bytes);
  }
  budget_.claimed_bytes += reserved_bytes;
}

void SessionLedger::Quarantine(uint64_t reserved_bytes, uint64_t used_bytes) {
  for (MemoryUsage* u : {&usage_, &device_.usage_.sessions}) {
    Move(u->reserved_bytes, u->quarantined_bytes, reserved_bytes, "quarantine");
    Subtract(u->used_bytes, used_bytes, "quarantine");
    Subtract(u->allocation_count, 1, "quarantine");
  }
}

void SessionLedger::Retire(uint64_t reserved_bytes) {
  for (MemoryUsage* u : {&usage_, &device_.usage_.sessions}) {
    Move(u->quarantined_bytes, u->idle_bytes, reserved_bytes, "retire");
  }
  Subtract(budget_.claimed_bytes, reserved_bytes, "retire");
}

}  // namespace ascend::core
