// Devices, contexts and what their handles mean.
#include <thread>

#include "tests/unit/client/runtime/runtime_fixture.h"

namespace ascend::client {
namespace {

using core::Reason;
using HandlesTest = RuntimeTest;

TEST_F(HandlesTest, TheFirstSetOfADeviceMakesItsContextAndLaterOnesCount) {
  ASSERT_TRUE(runtime_.SetDevice(0).ok());
  EXPECT_EQ(Posted<core::CreateContext>().size(), 1u);
  EXPECT_TRUE(runtime_.ResetDevice(0, false).ok());
  EXPECT_TRUE(Posted<core::DestroyContext>().empty());
  EXPECT_TRUE(runtime_.ResetDevice(0, false).ok());
  EXPECT_EQ(Posted<core::DestroyContext>().size(), 1u);
  EXPECT_EQ(ReasonOf(runtime_.ResetDevice(0, false)), Reason::kDeviceNotSet);
  EXPECT_EQ(ReasonOf(runtime_.CurrentDevice()), Reason::kNoContext);
}

TEST_F(HandlesTest, ForceResetIgnoresTheCount) {
  ASSERT_TRUE(runtime_.SetDevice(0).ok());
  EXPECT_TRUE(runtime_.ResetDevice(0, true).ok());
  EXPECT_EQ(ReasonOf(runtime_.ResetDevice(0, false)), Reason::kDeviceNotSet);
  EXPECT_TRUE(runtime_.SetDevice(0).ok());
  EXPECT_EQ(Posted<core::CreateContext>().size(), 2u);
}

TEST_F(HandlesTest, DevicesThatDoNotExistAreRefused) {
  EXPECT_EQ(ReasonOf(runtime_.SetDevice(2)), Reason::kUnknownDevice);
  EXPECT_EQ(ReasonOf(runtime_.SetDevice(-1)), Reason::kUnknownDevice);
  EXPECT_EQ(ReasonOf(runtime_.ResetDevice(-1, true)), Reason::kUnknownDevice);
  EXPECT_EQ(ReasonOf(runtime_.CreateContext(7)), Reason::kUnknownDevice);
  EXPECT_EQ(ReasonOf(runtime_.Describe(uint32_t(-1))), Reason::kUnknownDevice);
}

TEST_F(HandlesTest, ThreadsStartWithoutAContextAndShareThePrimary) {
  void* const primary = runtime_.CurrentContext().value();
  std::thread([&] {
    EXPECT_EQ(ReasonOf(runtime_.CreateStream({})), Reason::kNoContext);
    EXPECT_EQ(ReasonOf(runtime_.Malloc(8, 0)), Reason::kNoContext);
    EXPECT_EQ(ReasonOf(runtime_.SynchronizeStream(nullptr, {})),
              Reason::kNoContext);
    EXPECT_TRUE(runtime_.SetDevice(0).ok());
    EXPECT_EQ(runtime_.CurrentContext().value(), primary);
  }).join();
}

TEST_F(HandlesTest, ThreadsThatSetADeviceAtOnceMakeOneContext) {
  daemon_.HoldBack(testing::Is<core::CreateContext>);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(runtime_.SetDevice(1).ok()); });
  }
  daemon_.Await([](const core::Command& command) {
    const auto* create = testing::As<core::CreateContext>(command);
    return create != nullptr && create->device == core::DeviceId(1);
  });
  daemon_.Release();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Posted<core::CreateContext>().size(), 2u);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(runtime_.ResetDevice(1, false).ok());
  EXPECT_EQ(Posted<core::DestroyContext>().size(), 0u);
  EXPECT_TRUE(runtime_.ResetDevice(1, false).ok());
  EXPECT_EQ(Posted<core::DestroyContext>().size(), 1u);
}

TEST_F(HandlesTest, PrimaryContextsAreNotDestroyedByHand) {
  void* const primary = runtime_.CurrentContext().value();
  EXPECT_EQ(ReasonOf(runtime_.DestroyContext(primary)),
            Reason::kContextNotOwned);
  void* const own = runtime_.CreateContext(1).value();
  EXPECT_EQ(runtime_.CurrentDevice().value(), 1);
  EXPECT_TRUE(runtime_.DestroyContext(own).ok());
  EXPECT_EQ(ReasonOf(runtime_.CurrentContext()), Reason::kNoContext);
  EXPECT_EQ(ReasonOf(runtime_.DestroyContext(own)), Reason::kContextNotOwned);
  EXPECT_EQ(ReasonOf(runtime_.SetCurrentContext(own)),
            Reason::kContextNotOwned);
}

TEST_F(HandlesTest, AContextTakesItsStreamsAndEventsAlong) {
  void* const primary = runtime_.CurrentContext().value();
  void* const own = runtime_.CreateContext(0).value();
  void* const stream = NewStream();
  void* const event = NewEvent();
  ASSERT_TRUE(runtime_.RecordEvent(event, stream).ok());
  ASSERT_TRUE(runtime_.SetCurrentContext(primary).ok());
  ASSERT_TRUE(runtime_.DestroyContext(own).ok());
  EXPECT_EQ(ReasonOf(runtime_.SynchronizeStream(stream, {})),
            Reason::kStaleHandle);
  EXPECT_EQ(ReasonOf(runtime_.RecordEvent(event, nullptr)),
            Reason::kStaleHandle);
  EXPECT_EQ(Posted<core::DestroyEvent>().size(), 1u);
}

TEST_F(HandlesTest, TasksGoOnlyToStreamsOfTheCurrentContext) {
  void* const stream = NewStream();
  void* const event = NewEvent();
  void* const memory = Allocate(64);
  void* const function = AddFunction();
  ASSERT_TRUE(runtime_.CreateContext(0).ok());
  EXPECT_EQ(ReasonOf(Launch(stream, function)), Reason::kForeignStream);
  EXPECT_EQ(ReasonOf(runtime_.RecordEvent(event, stream)),
            Reason::kForeignStream);
  EXPECT_EQ(ReasonOf(runtime_.WaitEvent(stream, event)),
            Reason::kForeignStream);
  EXPECT_EQ(ReasonOf(runtime_.FillAsync(memory, 64, {0}, stream)),
            Reason::kForeignStream);
  EXPECT_EQ(ReasonOf(runtime_.DestroyStream(stream, false)),
            Reason::kForeignStream);
  EXPECT_TRUE(runtime_.SynchronizeStream(stream, {}).ok());
}

TEST_F(HandlesTest, AFailedCreationLeavesNothing) {
  daemon_.FailWhen(testing::Is<core::CreateStream>,
                   core::MakeError(Reason::kStreamsExhausted, "none left"));
  EXPECT_EQ(ReasonOf(runtime_.CreateStream({})), Reason::kStreamsExhausted);
  daemon_.FailWhen(nullptr, absl::OkStatus());
  void* const stream = NewStream();
  EXPECT_TRUE(runtime_.DestroyStream(stream, false).ok());
  EXPECT_EQ(ReasonOf(runtime_.DestroyStream(stream, false)),
            Reason::kStaleHandle);
}

TEST_F(HandlesTest, TheDefaultStreamEndsWithItsContextOnly) {
  void* const stream = runtime_.CurrentDefaultStream().value();
  EXPECT_EQ(ReasonOf(runtime_.DestroyStream(stream, false)),
            Reason::kInvalidArgument);
  EXPECT_TRUE(runtime_.SynchronizeStream(stream, {}).ok());
}

TEST_F(HandlesTest, UnloadingABinaryMakesItsFunctionsStale) {
  void* const binary = runtime_.LoadBinary("builtin:ops").value();
  void* const add = runtime_.FindFunction(binary, "add").value();
  EXPECT_EQ(runtime_.FindFunction(binary, "add").value(), add);
  EXPECT_EQ(ReasonOf(runtime_.FindFunction(binary, "nothing")),
            Reason::kUnknownKernel);
  EXPECT_TRUE(Launch(nullptr, add).ok());
  EXPECT_TRUE(runtime_.UnloadBinary(binary).ok());
  EXPECT_EQ(ReasonOf(Launch(nullptr, add)), Reason::kStaleHandle);
  EXPECT_EQ(ReasonOf(runtime_.UnloadBinary(binary)), Reason::kStaleHandle);
  EXPECT_EQ(ReasonOf(runtime_.LoadBinary("/tmp/kernel.o")),
            Reason::kInvalidArgument);
}

}  // namespace
}  // namespace ascend::client
