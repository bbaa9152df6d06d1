// Random calls of MemoryManager against a model that only keeps a list.
//
// Each seed draws a device size, quotas and a warm limit, then actions. The
// model knows which allocations exist and what they reserve; it knows nothing
// of segments and frames. ASCEND_RTD_FUZZ_SEED=n runs the one seed n.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/mem/hbm_geometry.h"
#include "core/mem/memory_manager.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_hbm_backing.h"

namespace ascend::core {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint32_t kDeviceCount = 2;
constexpr uint64_t kSessionCount = 4;

// One drawn step. Unused fields are zero.
struct Action {
  enum Kind { kAllocate, kFree, kBadFree, kRetire, kTranslate, kReopen };
  Kind kind = kAllocate;
  SessionId session;
  DeviceId device;
  LaneId lane;
  uint64_t bytes = 0;
  uint32_t policy = 0;
  uint64_t pick = 0;  // selects one of what exists
  bool backing_fails = false;
};

struct ModelAllocation {
  DeviceId device;
  uint64_t va = 0;
  uint64_t bytes = 0;
  uint64_t reserved_bytes = 0;
  bool is_freed = false;
  uint64_t until = 0;  // freed: the submission that must retire
};

struct ModelSession {
  uint64_t quota_bytes = 0;
  uint64_t submitted = 0;
  uint64_t retired = 0;
  std::vector<ModelAllocation> allocations;

  uint64_t ReservedBytes() const {
    uint64_t sum = 0;
    for (const auto& a : allocations) sum += a.reserved_bytes;
    return sum;
  }
};

class ModelRun {
 public:
  explicit ModelRun(uint64_t seed) : random_(seed) {
    DeviceSpec spec = Ascend910Spec();
    spec.hbm_banks = uint32_t{1} << Draw(4);
    spec.hbm_bytes = spec.hbm_banks * (1 + Draw(40)) * 2 * kMiB;
    if (Draw(5) == 0) spec = Ascend910Spec();
    total_bytes_ = spec.hbm_bytes;
    bank_count_ = spec.hbm_banks;
    manager_ = std::make_unique<MemoryManager>(
        MemoryManagerOptions{.devices = {spec, spec},
                             .warm_bytes_max = Draw(4) * 20 * kMiB},
        backing_);
    for (uint64_t i = 0; i < kSessionCount; ++i) Open(SessionId(i));
  }

  void Go(int step_count) {
    for (int i = 0; i < step_count && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(absl::StrCat("step ", i));
      Apply(DrawAction());
      if (i % 50 == 0) CheckAll();
    }
    for (uint64_t i = 0; i < kSessionCount; ++i) {
      manager_->CloseSession(SessionId(i));
    }
    EXPECT_TRUE(backing_.live.empty());
    for (uint32_t d = 0; d < kDeviceCount; ++d) {
      const DeviceMemoryUsage usage = manager_->GetDeviceUsage(DeviceId(d));
      EXPECT_EQ(usage.pool_bytes, total_bytes_);
    }
  }

 private:
  uint64_t Draw(uint64_t bound) { return random_() % bound; }

  // Sizes around every threshold: granule, 1 MiB, 2 MiB, 64 MiB, the device.
  uint64_t DrawBytes() {
    switch (Draw(8)) {
      case 0:
        return 1 + Draw(300);
      case 1:
        return kMiB - 2 + Draw(4);
      case 2:
        return 2 * kMiB - 130 + Draw(4) * 64;
      case 3:
        return 64 * kMiB - 200 + Draw(400);
      case 4:
        return 1 + Draw(total_bytes_);
      case 5:
        return 1 + Draw(20 * kMiB);
      default:
        return 1 + Draw(4 * kMiB);
    }
  }

  Action DrawAction() {
    constexpr Action::Kind kKinds[] = {Action::kAllocate,  Action::kAllocate,
                                       Action::kAllocate,  Action::kAllocate,
                                       Action::kFree,      Action::kFree,
                                       Action::kFree,      Action::kRetire,
                                       Action::kTranslate, Action::kBadFree};
    Action action;
    action.kind = Draw(300) == 0 ? Action::kReopen : kKinds[Draw(10)];
    action.session = SessionId(Draw(kSessionCount));
    action.device = DeviceId(static_cast<uint32_t>(Draw(kDeviceCount)));
    action.lane = LaneId(static_cast<uint32_t>(Draw(3)));
    action.bytes = DrawBytes();
    action.policy = static_cast<uint32_t>(Draw(4) == 0 ? Draw(9) : Draw(3));
    action.pick = random_();
    action.backing_fails = Draw(20) == 0;
    return action;
  }

  void Open(SessionId id) {
    ModelSession& session = sessions_[id];
    session = {};
    if (Draw(2) == 0) session.quota_bytes = kMiB + Draw(100 * kMiB);
    manager_->OpenSession(id, session.quota_bytes);
  }

  void Apply(const Action& action) {
    ModelSession& session = sessions_[action.session];
    session.submitted += Draw(3);
    switch (action.kind) {
      case Action::kAllocate:
        return Allocate(action, session);
      case Action::kFree:
        return Free(action, session);
      case Action::kBadFree:
        return BadFree(action, session);
      case Action::kRetire:
        return Retire(action, session);
      case Action::kTranslate:
        return Translate(action, session);
      case Action::kReopen:
        manager_->CloseSession(action.session);
        backing_.ids_used.clear();  // a session that is gone may come again
        for (const auto& [key, window] : backing_.live) {
          EXPECT_NE(key.session, action.session);
          backing_.ids_used.insert(key);
        }
        return Open(action.session);
    }
  }

  void Allocate(const Action& action, ModelSession& session) {
    backing_.failing_create =
        action.backing_fails ? backing_.create_count + 1 : 0;
    const Placement asked =
        ClassifyRequest(action.policy, action.bytes).placement;
    const uint64_t reserved_bytes = *ReserveBytes(action.bytes, true, asked);
    const DeviceMemoryUsage before = manager_->GetDeviceUsage(action.device);
    const AllocationResult result =
        manager_->Allocate({.session = action.session,
                            .device = action.device,
                            .lane = action.lane,
                            .bytes = action.bytes,
                            .policy = action.policy});
    const bool backing_failed =
        action.backing_fails &&
        backing_.create_count >= backing_.failing_create;
    const bool fits_quota =
        session.quota_bytes == 0 ||
        session.ReservedBytes() + reserved_bytes <= session.quota_bytes;
    if (!result.status.ok()) {
      EXPECT_EQ(ReasonOf(result.status), Reason::kOutOfDeviceMemory);
      const DeviceMemoryUsage after = manager_->GetDeviceUsage(action.device);
      EXPECT_EQ(after.sessions.reserved_bytes, before.sessions.reserved_bytes);
      EXPECT_EQ(after.pool_bytes + after.sessions.idle_bytes,
                before.pool_bytes + before.sessions.idle_bytes);
      if (result.may_succeed_after_retire) {
        EXPECT_GT(QuarantinedBytes(session), 0u);
      }
      // Frames for a segment of its own are there, so it had to succeed.
      if (!backing_failed && session.quota_bytes == 0 &&
          asked == Placement::kNormal) {
        EXPECT_GT(RoundUp(reserved_bytes, kBlockBytes), before.pool_bytes);
      }
      return;
    }
    EXPECT_TRUE(fits_quota);
    EXPECT_EQ(DeviceOfVa(result.va, kDeviceCount), action.device);
    EXPECT_EQ(result.va % kGranuleBytes, 0u);
    for (const ModelAllocation& other : session.allocations) {
      EXPECT_TRUE(other.va + other.reserved_bytes <= result.va ||
                  result.va + reserved_bytes <= other.va)
          << "overlaps a live or quarantined allocation";
    }
    session.allocations.push_back({.device = action.device,
                                   .va = result.va,
                                   .bytes = action.bytes,
                                   .reserved_bytes = reserved_bytes});
  }

  ModelAllocation* Pick(const Action& action, ModelSession& session) {
    if (session.allocations.empty()) return nullptr;
    return &session.allocations[action.pick % session.allocations.size()];
  }

  void Free(const Action& action, ModelSession& session) {
    ModelAllocation* picked = Pick(action, session);
    if (picked == nullptr) return;
    const absl::Status status = manager_->Free(action.session, action.lane,
                                               picked->va, session.submitted);
    EXPECT_EQ(status.ok(), !picked->is_freed);
    if (!status.ok()) {
      EXPECT_EQ(ReasonOf(status), Reason::kInvalidArgument);
      return;
    }
    picked->is_freed = true;
    picked->until = session.submitted;
    Forget(session);
  }

  void BadFree(const Action& action, ModelSession& session) {
    ModelAllocation* picked = Pick(action, session);
    const uint64_t va =
        picked == nullptr ? action.pick : picked->va + 1 + action.pick % 4096;
    for (const ModelAllocation& a : session.allocations) {
      if (a.va == va) return;
    }
    EXPECT_EQ(ReasonOf(manager_->Free(action.session, action.lane, va, 0)),
              Reason::kInvalidArgument);
  }

  void Retire(const Action& action, ModelSession& session) {
    session.retired += Draw(session.submitted - session.retired + 1);
    const RetireResult result =
        manager_->RetireUpTo(action.session, session.retired);
    const uint64_t before = session.ReservedBytes();
    Forget(session);
    EXPECT_EQ(result.bytes, before - session.ReservedBytes());
  }

  static void Forget(ModelSession& session) {
    std::erase_if(session.allocations, [&](const ModelAllocation& a) {
      return a.is_freed && a.until <= session.retired;
    });
  }

  void Translate(const Action& action, ModelSession& session) {
    ModelAllocation* picked = Pick(action, session);
    if (picked == nullptr) return;
    const uint64_t offset = action.pick / 7 % picked->bytes;
    const uint64_t bytes = action.pick / 11 % (picked->bytes - offset + 1);
    const auto live = manager_->Translate(action.session, picked->va + offset,
                                          bytes, Reach::kLive);
    EXPECT_EQ(live.ok(), !picked->is_freed);
    const auto extents = manager_->Translate(
        action.session, picked->va + offset, bytes, Reach::kLiveAndQuarantined);
    const auto slices = manager_->Locate(action.session, picked->va + offset,
                                         bytes, Reach::kLiveAndQuarantined);
    ASSERT_TRUE(extents.ok() && slices.ok());
    uint64_t extent_bytes = 0, slice_bytes = 0;
    for (const PhysicalExtent& e : *extents) extent_bytes += e.bytes;
    for (const SegmentSlice& s : *slices) {
      const SegmentWindow& window = backing_.live.at(s.segment);
      EXPECT_EQ(window.va + s.offset, picked->va + offset + slice_bytes);
      slice_bytes += s.bytes;
    }
    EXPECT_EQ(extent_bytes, bytes);
    EXPECT_EQ(slice_bytes, bytes);
    EXPECT_FALSE(manager_
                     ->Translate(action.session, picked->va + offset,
                                 picked->bytes - offset + 1,
                                 Reach::kLiveAndQuarantined)
                     .ok());
  }

  static uint64_t QuarantinedBytes(const ModelSession& session) {
    uint64_t sum = 0;
    for (const auto& a : session.allocations) {
      if (a.is_freed) sum += a.reserved_bytes;
    }
    return sum;
  }

  void CheckAll() {
    manager_->CheckInvariants();
    for (const auto& [id, session] : sessions_) {
      uint64_t held_bytes = 0;
      for (uint32_t d = 0; d < kDeviceCount; ++d) {
        MemoryUsage expected;
        for (const ModelAllocation& a : session.allocations) {
          if (a.device != DeviceId(d)) continue;
          if (a.is_freed) {
            expected.quarantined_bytes += a.reserved_bytes;
            continue;
          }
          expected.reserved_bytes += a.reserved_bytes;
          expected.used_bytes += a.bytes;
          ++expected.allocation_count;
        }
        const MemoryUsage usage = manager_->GetUsage(id, DeviceId(d));
        EXPECT_EQ(usage.reserved_bytes, expected.reserved_bytes);
        EXPECT_EQ(usage.quarantined_bytes, expected.quarantined_bytes);
        EXPECT_EQ(usage.used_bytes, expected.used_bytes);
        EXPECT_EQ(usage.allocation_count, expected.allocation_count);
        held_bytes +=
            usage.idle_bytes + usage.reserved_bytes + usage.quarantined_bytes;
        const MemoryRoom info = *manager_->GetRoom(id, DeviceId(d));
        EXPECT_LE(info.free_bytes, info.total_bytes);
      }
      if (session.quota_bytes != 0) {
        EXPECT_LE(held_bytes,
                  RoundUp(session.quota_bytes, kBlockBytes) + 16 * kMiB);
      }
    }
    CheckFrames();
  }

  // No physical byte belongs to two allocations, whoever's they are.
  void CheckFrames() {
    for (uint32_t d = 0; d < kDeviceCount; ++d) {
      std::vector<std::pair<uint64_t, uint64_t>> pieces;  // (byte, bytes)
      for (const auto& [id, session] : sessions_) {
        for (const ModelAllocation& a : session.allocations) {
          if (a.device != DeviceId(d)) continue;
          uint64_t va = a.va;
          const auto extents = manager_->Translate(id, a.va, a.bytes,
                                                   Reach::kLiveAndQuarantined);
          ASSERT_TRUE(extents.ok());
          for (const PhysicalExtent& e : *extents) {
            const uint64_t byte =
                e.first_frame * kFrameBytes + va % kFrameBytes;
            pieces.emplace_back(byte, e.bytes);
            EXPECT_EQ(byte / (total_bytes_ / bank_count_), e.bank);
            va += e.bytes;
          }
        }
      }
      std::sort(pieces.begin(), pieces.end());
      uint64_t end = 0;
      for (const auto& [byte, bytes] : pieces) {
        EXPECT_GE(byte, end);
        end = byte + bytes;
      }
      EXPECT_LE(end, total_bytes_);
    }
  }

  std::mt19937_64 random_;
  FakeHbmBacking backing_;
  uint64_t total_bytes_ = 0;
  uint64_t bank_count_ = 1;
  std::unique_ptr<MemoryManager> manager_;
  std::map<SessionId, ModelSession> sessions_;
};

TEST(MemoryManagerModel, RandomCallsAgreeWithAList) {
  uint64_t first = 1, last = 40;
  if (const char* one = std::getenv("ASCEND_RTD_FUZZ_SEED")) {
    first = last = std::strtoull(one, nullptr, 10);
  }
  for (uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    ModelRun(seed).Go(1000);
  }
}

}  // namespace
}  // namespace ascend::core
