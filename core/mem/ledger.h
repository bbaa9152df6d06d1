// Ledger: who holds how many bytes of which device.
//
// Double entry: every change moves bytes from one account to another, checked
// against underflow, so on each device the sum
//   pool + sum over sessions (reserved + quarantined + idle)
// is the device's memory, always. `used` (as asked) rides along with reserved.
//
// Threading: thread-compatible. Ownership: a SessionLedger borrows its
// DeviceLedger.
#ifndef ASCEND_CORE_MEM_LEDGER_H_
#define ASCEND_CORE_MEM_LEDGER_H_

#include <cstdint>

#include "core/mem/memory_manager.h"

namespace ascend::core {

// The accounts of one device: the pool, and the sums over its sessions.
class DeviceLedger {
 public:
  explicit DeviceLedger(uint64_t total_bytes);

  const DeviceMemoryUsage& usage() const { return usage_; }
  // The sum above (checked).
  void CheckBalance() const;

 private:
  friend class SessionLedger;
  DeviceMemoryUsage usage_;
};

// What a session may hold and does hold, over all devices.
struct SessionBudget {
  uint64_t quota_bytes = 0;    // 0: no quota
  uint64_t claimed_bytes = 0;  // reserved + quarantined
  uint64_t held_bytes = 0;     // claimed + idle
};

// The accounts of one session on one device.
class SessionLedger {
 public:
  SessionLedger(DeviceLedger& device, SessionBudget& budget)
      : device_(device), budget_(budget) {}

  const MemoryUsage& usage() const { return usage_; }
  const SessionBudget& budget() const { return budget_; }
  uint64_t device_pool_bytes() const { return device_.usage_.pool_bytes; }
  bool IsZero() const;

  void TakeFromPool(uint64_t bytes);                           // pool -> idle
  void ReturnToPool(uint64_t bytes);                           // idle -> pool
  void Reserve(uint64_t reserved_bytes, uint64_t used_bytes);  // idle ->
  void Quarantine(uint64_t reserved_bytes, uint64_t used_bytes);
  void Retire(uint64_t reserved_bytes);  // quarantined -> idle

 private:
  DeviceLedger& device_;
  SessionBudget& budget_;
  MemoryUsage usage_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_LEDGER_H_
