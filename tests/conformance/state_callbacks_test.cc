// semantics 1, 2: functions of the program that are told of changes of state.
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/config_file.h"
#include "tests/conformance/device_objects.h"
#include "tests/conformance/fresh_process.h"

namespace ascend::conformance {
namespace {

using StateCallbacksTest = AclTest;

// What callbacks have heard, in order.
using DeviceStates = std::vector<std::pair<int32_t, aclrtDeviceState>>;
using StreamStates = std::vector<std::pair<aclrtStream, aclrtStreamState>>;

void NoteDevice(int32_t device, aclrtDeviceState state, void* heard) {
  static_cast<DeviceStates*>(heard)->emplace_back(device, state);
}

void NoteStream(aclrtStream stream, aclrtStreamState state, void* heard) {
  static_cast<StreamStates*>(heard)->emplace_back(stream, state);
}

// Register callbacks for their lives.
class OwnDeviceCallback {
 public:
  OwnDeviceCallback(const char* name, aclrtDeviceStateCallback callback,
                    void* args)
      : name_(name) {
    EXPECT_ACL_OK(aclrtRegDeviceStateCallback(name, callback, args));
  }
  ~OwnDeviceCallback() {
    EXPECT_ACL_OK(aclrtRegDeviceStateCallback(name_, nullptr, nullptr));
  }
  OwnDeviceCallback(const OwnDeviceCallback&) = delete;
  OwnDeviceCallback& operator=(const OwnDeviceCallback&) = delete;

 private:
  const char* const name_;
};

class OwnStreamCallback {
 public:
  OwnStreamCallback(const char* name, aclrtStreamStateCallback callback,
                    void* args)
      : name_(name) {
    EXPECT_ACL_OK(aclrtRegStreamStateCallback(name, callback, args));
  }
  ~OwnStreamCallback() {
    EXPECT_ACL_OK(aclrtRegStreamStateCallback(name_, nullptr, nullptr));
  }
  OwnStreamCallback(const OwnStreamCallback&) = delete;
  OwnStreamCallback& operator=(const OwnStreamCallback&) = delete;

 private:
  const char* const name_;
};

const DeviceStates kSetOne = {{1, ACL_RT_DEVICE_STATE_SET_PRE},
                              {1, ACL_RT_DEVICE_STATE_SET_POST}};
const DeviceStates kResetOne = {{1, ACL_RT_DEVICE_STATE_RESET_PRE},
                                {1, ACL_RT_DEVICE_STATE_RESET_POST}};

// 2: "Device state callbacks get SET_PRE/SET_POST/RESET_PRE/RESET_POST".
TEST_F(StateCallbacksTest, DevicesAreAnnouncedAroundTheirChanges) {
  DeviceStates heard;
  const OwnDeviceCallback callback("devices", NoteDevice, &heard);
  ASSERT_ACL_OK(aclrtSetDevice(1));
  EXPECT_EQ(std::exchange(heard, {}), kSetOne);
  ASSERT_ACL_OK(aclrtSetDevice(1));
  EXPECT_EQ(std::exchange(heard, {}), kSetOne);
  ASSERT_ACL_OK(aclrtResetDevice(1));
  EXPECT_EQ(std::exchange(heard, {}), kResetOne);
  ASSERT_ACL_OK(aclrtResetDeviceForce(1));
  EXPECT_EQ(std::exchange(heard, {}), kResetOne);
  // Nothing changes, so nobody is told.
  EXPECT_ACL_ERROR(507007, aclrtResetDevice(1));
  EXPECT_ACL_ERROR(507007, aclrtResetDeviceForce(1));
  EXPECT_ACL_ERROR(107001, aclrtSetDevice(-1));
  EXPECT_ACL_ERROR(107001, aclrtResetDevice(-1));
  EXPECT_EQ(heard, DeviceStates());
}

// 2: "Stream state callbacks CREATE_POST/DESTROY_PRE", also of those that come
// and go with a context.
TEST_F(StateCallbacksTest, StreamsAreAnnouncedWhileTheyLive) {
  StreamStates heard;
  const auto expect = [&](const StreamStates& expected) {
    EXPECT_EQ(std::exchange(heard, {}), expected);
  };
  const OwnStreamCallback callback("streams", NoteStream, &heard);
  aclrtStream plain = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&plain));
  expect({{plain, ACL_RT_STREAM_STATE_CREATE_POST}});
  ASSERT_ACL_OK(aclrtDestroyStream(plain));
  expect({{plain, ACL_RT_STREAM_STATE_DESTROY_PRE}});
  ASSERT_ACL_OK(aclrtCreateStreamWithConfig(&plain, 1, 0));
  expect({{plain, ACL_RT_STREAM_STATE_CREATE_POST}});
  ASSERT_ACL_OK(aclrtDestroyStreamForce(plain));
  expect({{plain, ACL_RT_STREAM_STATE_DESTROY_PRE}});

  aclrtContext previous = nullptr;
  ASSERT_ACL_OK(aclrtGetCurrentContext(&previous));
  aclrtContext context = nullptr;
  aclrtStream fallback = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&context, 0));
  ASSERT_ACL_OK(aclrtCtxGetCurrentDefaultStream(&fallback));
  expect({{fallback, ACL_RT_STREAM_STATE_CREATE_POST}});
  ASSERT_ACL_OK(aclrtDestroyContext(context));
  expect({{fallback, ACL_RT_STREAM_STATE_DESTROY_PRE}});
  ASSERT_ACL_OK(aclrtSetDevice(1));
  ASSERT_ACL_OK(aclrtCtxGetCurrentDefaultStream(&fallback));
  expect({{fallback, ACL_RT_STREAM_STATE_CREATE_POST}});
  ASSERT_ACL_OK(aclrtSetDevice(1));
  ASSERT_ACL_OK(aclrtResetDevice(1));
  expect({});
  ASSERT_ACL_OK(aclrtResetDevice(1));
  expect({{fallback, ACL_RT_STREAM_STATE_DESTROY_PRE}});

  ASSERT_ACL_OK(aclrtSetCurrentContext(previous));
  ASSERT_ACL_OK(aclrtCtxGetCurrentDefaultStream(&fallback));
  EXPECT_ACL_ERROR(107000, aclrtDestroyStream(fallback));
  EXPECT_ACL_ERROR(107017, aclrtDestroyStream(plain));
  EXPECT_ACL_ERROR(107002, aclrtDestroyContext(previous));
  aclrtStream none = nullptr;
  InThread([&] { EXPECT_ACL_ERROR(107002, aclrtCreateStream(&none)); });
  expect({});
}

// They may use the interface: the stream is alive at both ends of its life.
TEST_F(StateCallbacksTest, CallbacksMayCallBack) {
  struct Seen {
    int streams = 0;
    int devices = 0;
  } seen;
  const OwnStreamCallback on_stream(
      "use",
      [](aclrtStream stream, aclrtStreamState, void* args) {
        EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
        ++static_cast<Seen*>(args)->streams;
      },
      &seen);
  const OwnDeviceCallback on_device(
      "use",
      [](int32_t device, aclrtDeviceState state, void* args) {
        if (state == ACL_RT_DEVICE_STATE_SET_POST ||
            state == ACL_RT_DEVICE_STATE_RESET_PRE) {
          int32_t current = -1;
          EXPECT_ACL_OK(aclrtGetDevice(&current));
          EXPECT_EQ(current, device);
        }
        EXPECT_ACL_OK(
            aclrtRegDeviceStateCallback("other", NoteDevice, nullptr));
        EXPECT_ACL_OK(aclrtRegDeviceStateCallback("other", nullptr, nullptr));
        ++static_cast<Seen*>(args)->devices;
      },
      &seen);
  ASSERT_ACL_OK(aclrtSetDevice(1));
  { const OwnStream stream; }
  ASSERT_ACL_OK(aclrtResetDevice(1));
  EXPECT_EQ(seen.streams, 4);
  EXPECT_EQ(seen.devices, 4);
}

// 2: "Registering the same name again is not supported; a null function under
// that name unregisters"; the first that was registered hears first.
TEST_F(StateCallbacksTest, NamesAreTakenOnce) {
  DeviceStates first;
  DeviceStates second;
  StreamStates streams;
  EXPECT_ACL_ERROR(100000,
                   aclrtRegDeviceStateCallback(nullptr, NoteDevice, &first));
  EXPECT_ACL_ERROR(100000,
                   aclrtRegStreamStateCallback(nullptr, NoteStream, &streams));
  EXPECT_ACL_ERROR(107000,
                   aclrtRegDeviceStateCallback("one", nullptr, nullptr));
  EXPECT_ACL_ERROR(107000,
                   aclrtRegStreamStateCallback("one", nullptr, nullptr));
  {
    const OwnDeviceCallback one("one", NoteDevice, &first);
    const OwnDeviceCallback two("two", NoteDevice, &second);
    const OwnStreamCallback stream("one", NoteStream, &streams);
    EXPECT_ACL_ERROR(107000,
                     aclrtRegDeviceStateCallback("one", NoteDevice, &second));
    EXPECT_ACL_ERROR(107000,
                     aclrtRegStreamStateCallback("one", NoteStream, &streams));
    ASSERT_ACL_OK(aclrtSetDevice(1));
    EXPECT_EQ(first, kSetOne);
    EXPECT_EQ(second, kSetOne);
  }
  ASSERT_ACL_OK(aclrtResetDevice(1));
  EXPECT_EQ(first, kSetOne);
  EXPECT_EQ(second, kSetOne);
  EXPECT_EQ(streams.size(), 1u);
}

// 1, 2: the default device is set by a call, and announced like any other.
FRESH_PROCESS_TEST(StateCallbacksFreshTest, TheDefaultDeviceIsAnnounced) {
  const ConfigFile config("{\"defaultDevice\": {\"default_device\": 1}}");
  DeviceStates heard;
  EXPECT_ACL_OK(aclInit(config.path()));
  {
    const OwnDeviceCallback note("note", NoteDevice, &heard);
    // There is no context yet when it is called first.
    const OwnDeviceCallback ask(
        "ask",
        [](int32_t, aclrtDeviceState state, void*) {
          int32_t current = -1;
          if (state == ACL_RT_DEVICE_STATE_SET_PRE) {
            EXPECT_ACL_ERROR(107002, aclrtGetDevice(&current));
          }
        },
        nullptr);
    int32_t device = -1;
    EXPECT_ACL_OK(aclrtGetDevice(&device));
    EXPECT_EQ(device, 1);
  }
  EXPECT_EQ(heard, kSetOne);
  EXPECT_ACL_OK(aclFinalize());
}

// ---- Initialisation and end ------------------------------------------------

// A callback's answer, and what it has heard.
struct Hearing {
  aclError answer = ACL_SUCCESS;
  std::vector<std::string> heard;
};

aclError OnInit(const char* config, size_t bytes, void* hearing) {
  auto& entry = *static_cast<Hearing*>(hearing);
  EXPECT_EQ(std::string(config).size(), bytes);
  entry.heard.push_back("init " + std::string(config, bytes));
  return entry.answer;
}

aclError OnFinalize(void* hearing) {
  auto& entry = *static_cast<Hearing*>(hearing);
  // Still initialised, but nobody can end it once more.
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_ACL_ERROR(100037, aclFinalize());
  EXPECT_ACL_ERROR(100037, aclFinalizeReference(nullptr));
  entry.heard.push_back("finalize");
  return entry.answer;
}

using Heard = std::vector<std::string>;

// 1: "registered after init: invoked at once. Finalize callbacks are run during
// real teardown".
FRESH_PROCESS_TEST(ProcessCallbacksTest, AreCalledOncePerLife) {
  const std::string text = "{\"dump\": {}}";
  const ConfigFile config(text);
  Hearing early;
  Hearing late;
  EXPECT_ACL_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, OnInit, &early));
  EXPECT_ACL_OK(
      aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, OnFinalize, &early));
  EXPECT_EQ(early.heard, Heard());
  EXPECT_ACL_OK(aclInit(config.path()));
  EXPECT_EQ(early.heard, Heard{"init " + text});
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_ACL_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, OnInit, &late));
  EXPECT_EQ(late.heard, Heard{"init " + text});
  EXPECT_ACL_OK(aclFinalizeReference(nullptr));
  EXPECT_EQ(early.heard, Heard{"init " + text});
  EXPECT_ACL_OK(aclFinalizeReference(nullptr));
  EXPECT_EQ(early.heard, (Heard{"init " + text, "finalize"}));
  EXPECT_EQ(late.heard, Heard{"init " + text});
  // Once more for the next life, until they are removed.
  EXPECT_ACL_OK(aclInit(config.path()));
  EXPECT_ACL_OK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, OnFinalize));
  EXPECT_ACL_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, OnInit));
  EXPECT_ACL_OK(aclFinalize());
  EXPECT_ACL_OK(aclInit(config.path()));
  EXPECT_ACL_OK(aclFinalize());
  EXPECT_EQ(early.heard, (Heard{"init " + text, "finalize", "init " + text}));
  EXPECT_EQ(late.heard,
            (Heard{"init " + text, "init " + text, "init " + text}));
}

// 1: an initialisation of which a part fails is none; an end is one.
FRESH_PROCESS_TEST(ProcessCallbacksTest, TheirFailuresAreThoseOfTheCall) {
  Hearing hearing;
  hearing.answer = 500003;
  EXPECT_ACL_OK(
      aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, OnInit, &hearing));
  EXPECT_ACL_ERROR(500003, aclInit(nullptr));
  EXPECT_ACL_ERROR(100037, aclFinalize());
  EXPECT_ACL_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, OnInit));
  EXPECT_ACL_OK(aclInit(nullptr));
  EXPECT_ACL_ERROR(
      500003, aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, OnInit, &hearing));
  EXPECT_EQ(hearing.heard, (Heard{"init ", "init "}));
  EXPECT_ACL_OK(
      aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_DVPP, OnFinalize, &hearing));
  EXPECT_ACL_ERROR(500003, aclFinalize());
  EXPECT_ACL_ERROR(100037, aclFinalize());
  EXPECT_EQ(hearing.heard, (Heard{"init ", "init ", "finalize"}));
}

// Null 100000; unknown types, and pairs that are there or are not: 107000.
FRESH_PROCESS_TEST(ProcessCallbacksTest, WrongRegistrationsChangeNothing) {
  Hearing hearing;
  constexpr auto kUnknown = static_cast<aclRegisterCallbackType>(8);
  constexpr auto kType = ACL_REG_TYPE_ACL_RETR;
  EXPECT_ACL_ERROR(100000, aclInitCallbackRegister(kType, nullptr, &hearing));
  EXPECT_ACL_ERROR(100000, aclInitCallbackUnRegister(kType, nullptr));
  EXPECT_ACL_ERROR(100000,
                   aclFinalizeCallbackRegister(kType, nullptr, &hearing));
  EXPECT_ACL_ERROR(100000, aclFinalizeCallbackUnRegister(kType, nullptr));
  EXPECT_ACL_ERROR(107000, aclInitCallbackRegister(kUnknown, OnInit, &hearing));
  EXPECT_ACL_ERROR(107000, aclInitCallbackUnRegister(kUnknown, OnInit));
  EXPECT_ACL_ERROR(107000,
                   aclFinalizeCallbackRegister(kUnknown, OnFinalize, &hearing));
  EXPECT_ACL_ERROR(107000, aclFinalizeCallbackUnRegister(kUnknown, OnFinalize));
  EXPECT_ACL_ERROR(107000, aclInitCallbackUnRegister(kType, OnInit));
  EXPECT_ACL_ERROR(107000, aclFinalizeCallbackUnRegister(kType, OnFinalize));
  EXPECT_ACL_OK(aclInitCallbackRegister(kType, OnInit, &hearing));
  EXPECT_ACL_OK(aclFinalizeCallbackRegister(kType, OnFinalize, &hearing));
  EXPECT_ACL_ERROR(107000, aclInitCallbackRegister(kType, OnInit, nullptr));
  EXPECT_ACL_ERROR(107000,
                   aclFinalizeCallbackRegister(kType, OnFinalize, nullptr));
  EXPECT_ACL_OK(aclInit(nullptr));
  EXPECT_ACL_OK(aclFinalize());
  EXPECT_EQ(hearing.heard, (Heard{"init ", "finalize"}));
}

}  // namespace
}  // namespace ascend::conformance
