// semantics 8: copies between two devices, and who may make them.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/byte_sizes.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

constexpr size_t kArrayBytes = 3 * 1024 * 1024 + 5;

int32_t PeerStatusOf(int32_t device, int32_t peer) {
  int32_t status = -1;
  EXPECT_ACL_OK(aclrtDevicePeerAccessStatus(device, peer, &status));
  return status;
}

// An array on each of two devices; device 0 is current.
class PeerAccessTest : public AclTest {
 protected:
  void SetUp() override {
    AclTest::SetUp();
    ASSERT_ACL_OK(aclrtSetDevice(1));
    there_ = std::make_unique<DeviceArray<uint8_t>>(Bytes(kArrayBytes, 1));
    ASSERT_ACL_OK(aclrtSetDevice(0));
    here_ = std::make_unique<DeviceArray<uint8_t>>(sent_);
  }
  void TearDown() override {
    there_.reset();
    here_.reset();
    AclTest::TearDown();
  }

  aclError Copy(const DeviceArray<uint8_t>& to,
                const DeviceArray<uint8_t>& from) {
    return aclrtMemcpy(to.data(), kArrayBytes, from.data(), kArrayBytes,
                       ACL_MEMCPY_DEVICE_TO_DEVICE);
  }
  aclError CopyAsync(const DeviceArray<uint8_t>& to,
                     const DeviceArray<uint8_t>& from,
                     aclrtStream stream = nullptr) {
    return aclrtMemcpyAsync(to.data(), kArrayBytes, from.data(), kArrayBytes,
                            ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
  }

  const Bytes sent_ = [] {
    Bytes bytes(kArrayBytes);
    for (size_t i = 0; i < kArrayBytes; ++i) {
      bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
    }
    return bytes;
  }();
  std::unique_ptr<DeviceArray<uint8_t>> here_;
  std::unique_ptr<DeviceArray<uint8_t>> there_;
};

// "Needs EnablePeerAccess in the direction used, else 107000 family"; "one
// way".
TEST_F(PeerAccessTest, CopiesNeedAccessInTheirDirection) {
  {
    const ExpectNothingChanges unchanged;
    EXPECT_ACL_ERROR(107000, Copy(*there_, *here_));
    EXPECT_ACL_ERROR(107000, CopyAsync(*there_, *here_));
  }
  EXPECT_ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
  EXPECT_ACL_OK(Copy(*there_, *here_));
  EXPECT_TRUE(there_->Download() == sent_);
  EXPECT_ACL_ERROR(107000, Copy(*here_, *there_));
  EXPECT_ACL_ERROR(107000, CopyAsync(*here_, *there_));
  ASSERT_ACL_OK(aclrtSetDevice(1));
  EXPECT_ACL_OK(aclrtDeviceEnablePeerAccess(0, 0));
  there_->Upload(Bytes(kArrayBytes, 4));
  EXPECT_ACL_OK(Copy(*here_, *there_));
  EXPECT_TRUE(here_->Download() == Bytes(kArrayBytes, 4));
}

// As a task: after the work before it, and before what comes after.
TEST_F(PeerAccessTest, QueuedCopiesAreTasksOfTheStream) {
  const Ops ops;
  EXPECT_ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  ASSERT_ACL_OK(aclrtSetDevice(1));
  const DeviceArray<float> far(std::vector<float>(Ops::kBusyElements, 0));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  {
    const OwnStream stream;
    ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
    ASSERT_ACL_OK(aclrtMemcpyAsync(far.data(), far.bytes(), product.data(),
                                   far.bytes(), ACL_MEMCPY_DEVICE_TO_DEVICE,
                                   stream));
    ASSERT_ACL_OK(
        aclrtMemsetAsync(product.data(), far.bytes(), 0, far.bytes(), stream));
    ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(far.Download(),
              std::vector<float>(Ops::kBusyElements, Ops::kBusySide));
    EXPECT_EQ(product.Download()[0], 0);
  }
  // A stream of the other end copies as well.
  ASSERT_ACL_OK(aclrtSetDevice(1));
  ASSERT_ACL_OK(CopyAsync(*there_, *here_));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_TRUE(there_->Download() == sent_);
}

// Programs ask before each copy, so asking again is no failure.
TEST_F(PeerAccessTest, AccessIsEnabledUntilItIsDisabled) {
  EXPECT_EQ(PeerStatusOf(0, 1), 0);
  EXPECT_ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
  EXPECT_ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(PeerStatusOf(0, 1), 1);
  EXPECT_EQ(PeerStatusOf(1, 0), 0);
  EXPECT_ACL_OK(aclrtDeviceDisablePeerAccess(1));
  EXPECT_EQ(PeerStatusOf(0, 1), 0);
  EXPECT_ACL_ERROR(107000, Copy(*there_, *here_));
  EXPECT_ACL_ERROR(107000, aclrtDeviceDisablePeerAccess(1));
  EXPECT_TRUE(there_->Download() == Bytes(kArrayBytes, 1));
}

TEST_F(PeerAccessTest, ResetEndsAccess) {
  EXPECT_ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
  EXPECT_ACL_OK(aclrtResetDevice(0));  // set twice
  EXPECT_EQ(PeerStatusOf(0, 1), 1);
  EXPECT_ACL_OK(aclrtResetDevice(0));
  EXPECT_EQ(PeerStatusOf(0, 1), 0);
  EXPECT_ACL_OK(aclrtSetDevice(0));
}

// "Flags must be 0, not to itself, equal ids are illegal."
TEST_F(PeerAccessTest, MisuseIsRefused) {
  const ExpectNothingChanges unchanged;
  int32_t value = -7;
  EXPECT_ACL_ERROR(107000, aclrtDeviceEnablePeerAccess(1, 1));
  EXPECT_ACL_ERROR(107000, aclrtDeviceEnablePeerAccess(0, 0));
  EXPECT_ACL_ERROR(107000, aclrtDeviceDisablePeerAccess(0));
  EXPECT_ACL_ERROR(107000, aclrtDeviceCanAccessPeer(&value, 1, 1));
  EXPECT_ACL_ERROR(107000, aclrtDevicePeerAccessStatus(1, 1, &value));
  EXPECT_ACL_ERROR(100000, aclrtDeviceCanAccessPeer(nullptr, 0, 1));
  EXPECT_ACL_ERROR(100000, aclrtDevicePeerAccessStatus(0, 1, nullptr));
  for (const int32_t wrong : {-1, kDeviceCount, INT32_MAX, INT32_MIN}) {
    EXPECT_ACL_ERROR(107001, aclrtDeviceEnablePeerAccess(wrong, 0));
    EXPECT_ACL_ERROR(107001, aclrtDeviceDisablePeerAccess(wrong));
    EXPECT_ACL_ERROR(107001, aclrtDeviceCanAccessPeer(&value, 0, wrong));
    EXPECT_ACL_ERROR(107001, aclrtDeviceCanAccessPeer(&value, wrong, 0));
    EXPECT_ACL_ERROR(107001, aclrtDevicePeerAccessStatus(0, wrong, &value));
    EXPECT_ACL_ERROR(107001, aclrtDevicePeerAccessStatus(wrong, 0, &value));
  }
  EXPECT_EQ(value, -7);
  EXPECT_EQ(PeerStatusOf(0, 1), 0);
  InThread([&] {
    EXPECT_ACL_ERROR(107002, aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT_ACL_ERROR(107002, aclrtDeviceDisablePeerAccess(1));
    EXPECT_ACL_OK(aclrtDeviceCanAccessPeer(&value, 0, 1));
    EXPECT_EQ(value, 1);
  });
}

}  // namespace
}  // namespace ascend::conformance
