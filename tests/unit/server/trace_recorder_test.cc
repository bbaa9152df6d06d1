#include "server/trace_recorder.h"

#include <memory>
#include <string>
#include <utility>

#include "core/kernels/catalog.h"
#include "gtest/gtest.h"

namespace ascend::server {
namespace {

using core::TraceKind;
using core::TraceSpan;
using core::TraceUnits;

constexpr size_t kSpansMax = 100;

core::MachineOptions Options() {
  return {.spec = core::Ascend910Spec(), .device_count = 2};
}

// What becomes of a task with this work.
TraceSpan Recorded(core::TaskWork work, core::Claim claim = {}) {
  TraceRecorder recorder(Options(), kSpansMax);
  const core::TaskTemplate what{.work = std::move(work), .claim = claim};
  recorder.Add(core::TaskSpan{.what = &what, .start_tick = 1, .end_tick = 2});
  const core::Trace trace = recorder.Snapshot();
  return trace.spans.size() == 1 ? trace.spans[0] : TraceSpan();
}

TEST(TraceRecorder, EachKindOfWorkHasAName) {
  const core::KernelDescriptor* const matmul =
      core::Catalog::Builtin().Find("matmul");
  ASSERT_NE(matmul, nullptr);
  const struct {
    core::TaskWork work;
    const char* label;
    TraceKind kind;
  } kCases[] = {
      {core::KernelWork{.kernel = matmul}, "matmul", TraceKind::kKernel},
      {core::KernelWork{}, "kernel", TraceKind::kKernel},
      {core::CopyWork{.kind = core::CopyKind::kHostToDevice}, "copy to device",
       TraceKind::kCopy},
      {core::CopyWork{.kind = core::CopyKind::kDeviceToHost}, "copy to host",
       TraceKind::kCopy},
      {core::CopyWork{.kind = core::CopyKind::kDeviceToDevice},
       "copy on device", TraceKind::kCopy},
      {core::FillWork{}, "memset", TraceKind::kFill},
      {core::RecordWork{}, "record event", TraceKind::kSignal},
      {core::ResetWork{}, "reset event", TraceKind::kSignal},
      {core::WaitWork{}, "wait for event", TraceKind::kSignal},
      {core::NotifyWork{.is_record = true}, "record notify",
       TraceKind::kSignal},
      {core::NotifyWork{}, "wait for notify", TraceKind::kSignal},
      {core::WordWork{}, "wait for value", TraceKind::kSignal},
      {core::HostWork{}, "host function", TraceKind::kHost}};
  for (const auto& expected : kCases) {
    const TraceSpan span = Recorded(expected.work);
    EXPECT_EQ(span.label, expected.label);
    EXPECT_EQ(span.kind, expected.kind) << expected.label;
  }
}

TEST(TraceRecorder, BytesAreThoseThatMove) {
  EXPECT_EQ(Recorded(core::CopyWork{.bytes = 100, .rows = 3}).bytes, 300u);
  EXPECT_EQ(Recorded(core::FillWork{.bytes = 64}).bytes, 64u);
  const core::KernelDescriptor* const add =
      core::Catalog::Builtin().Find("add");
  EXPECT_EQ(
      Recorded(core::KernelWork{.kernel = add, .cost = {.hbm_bytes = 7}}).bytes,
      7u);
}

TEST(TraceRecorder, UnitsAreTheMostThatAreHeldAtATime) {
  EXPECT_EQ(Recorded(core::KernelWork{}, {.cube = 2, .aiv = 2}).units,
            (TraceUnits{2, 2, 0}));
  EXPECT_EQ(Recorded(core::CopyWork{}, {.dma = 1}).units,
            (TraceUnits{0, 0, 1}));
  EXPECT_EQ(Recorded(core::KernelWork{.plan = {.tail_claim = {.aiv = 2}}},
                     {.cube = 8})
                .units,
            (TraceUnits{8, 2, 0}));
  EXPECT_EQ(Recorded(core::KernelWork{.plan = {.slice_count = 40,
                                               .slices_at_once = 8}},
                     {.cube = 1})
                .units,
            (TraceUnits{8, 0, 0}));
}

TEST(TraceRecorder, TimesAndPlacesAreKept) {
  TraceRecorder recorder(Options(), kSpansMax);
  recorder.OpenSession(core::SessionId(7), "a program");
  const core::TaskTemplate what{.work = core::FillWork{}};
  recorder.Add(core::TaskSpan{.session = core::SessionId(7),
                              .rank = 3,
                              .device = core::DeviceId(1),
                              .what = &what,
                              .stream = {4, 2},
                              .value = 9,
                              .admit_tick = 10,
                              .ready_tick = 20,
                              .start_tick = 30,
                              .end_tick = 40});
  const core::Trace trace = recorder.Snapshot();
  ASSERT_EQ(trace.spans.size(), 1u);
  const TraceSpan& span = trace.spans[0];
  EXPECT_EQ(span.session, core::SessionId(7));
  EXPECT_EQ(span.rank, 3u);
  EXPECT_EQ(span.device, core::DeviceId(1));
  EXPECT_EQ(span.stream, (core::StreamHandle{4, 2}));
  EXPECT_EQ(span.value, 9u);
  EXPECT_EQ(span.admit_tick, 10);
  EXPECT_EQ(span.ready_tick, 20);
  EXPECT_EQ(span.start_tick, 30);
  EXPECT_EQ(span.end_tick, 40);
  ASSERT_EQ(trace.sessions.size(), 1u);
  EXPECT_EQ(trace.sessions[0].name, "a program");
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[1].name, "ascend910");
  EXPECT_EQ(trace.devices[1].units, (TraceUnits{8, 8, 4}));
}

TEST(TraceRecorder, ASessionThatTakesPartInNoRunHasNoRank) {
  TraceRecorder recorder(Options(), kSpansMax);
  const core::TaskTemplate what{.work = core::FillWork{}};
  recorder.Add(core::TaskSpan{.rank = (uint64_t{1} << 32) + 1, .what = &what});
  EXPECT_EQ(recorder.Snapshot().spans[0].rank, TraceSpan::kNoRank);
}

TEST(TraceRecorder, ATaskThatNeverStartedIsLeftOut) {
  TraceRecorder recorder(Options(), kSpansMax);
  const core::TaskTemplate what{.work = core::FillWork{}};
  recorder.Add(
      core::TaskSpan{.what = &what, .admit_tick = 100, .end_tick = 200});
  EXPECT_EQ(recorder.Snapshot().spans.size(), 0u);
}

TEST(TraceRecorder, SamplesAreKept) {
  TraceRecorder recorder(Options(), kSpansMax);
  recorder.Add(core::DeviceSample{.device = core::DeviceId(1),
                                  .tick = 5,
                                  .held = {1, 2, 3},
                                  .waiting_count = 4,
                                  .hbm_bytes_per_second = 1e9});
  const core::Trace trace = recorder.Snapshot();
  ASSERT_EQ(trace.samples.size(), 1u);
  const core::TraceSample& sample = trace.samples[0];
  EXPECT_EQ(sample.device, core::DeviceId(1));
  EXPECT_EQ(sample.tick, 5);
  EXPECT_EQ(sample.held, (TraceUnits{1, 2, 3}));
  EXPECT_EQ(sample.waiting_count, 4u);
  EXPECT_EQ(sample.hbm_bytes_per_second, 1e9);
}

}  // namespace
}  // namespace ascend::server
