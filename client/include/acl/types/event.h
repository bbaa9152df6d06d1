// Types of events and notifies.
#ifndef ACL_TYPES_EVENT_H_
#define ACL_TYPES_EVENT_H_

#include <stdint.h>

// Flags of a new event. EXTERNAL and IPC stand alone, the others combine.
#define ACL_EVENT_SYNC 0x00000001U  // event may be used for waits
// event marks stream position only
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE 0x00000008U  // event stores a timestamp
// event used from device side only
#define ACL_EVENT_DEVICE_USE_ONLY 0x00000010U
// externally visible event (use alone)
#define ACL_EVENT_EXTERNAL 0x00000020U
// event shareable between processes (use alone, Ex creation)
#define ACL_EVENT_IPC 0x00000040U

// Status by aclrtQueryEventStatus. Mind the numbers: complete is 1 here.
typedef enum aclrtEventRecordedStatus {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,  // record not executed (note: 0)
  // record executed, or never recorded (note: 1)
  ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;

// Status by the older aclrtQueryEvent: complete is 0 here.
typedef enum aclrtEventStatus {
  ACL_EVENT_STATUS_COMPLETE = 0,   // recorded and done (old query)
  ACL_EVENT_STATUS_NOT_READY = 1,  // not done yet (old query)
  ACL_EVENT_STATUS_RESERVED = 2,   // end marker
} aclrtEventStatus;

// Status of the waits for an event.
typedef enum aclrtEventWaitStatus {
  ACL_EVENT_WAIT_STATUS_COMPLETE = 0,       // all waits executed
  ACL_EVENT_WAIT_STATUS_NOT_READY = 1,      // some wait pending
  ACL_EVENT_WAIT_STATUS_RESERVED = 0xFFFF,  // end marker
} aclrtEventWaitStatus;

// Flags of a record and of a wait.
#define ACL_EVENT_RECORD_DEFAULT 0U  // plain record
// inside capture: record becomes a real node visible outside
#define ACL_EVENT_RECORD_EXTERNAL 1U
#define ACL_EVENT_WAIT_DEFAULT 0U  // plain wait
// inside capture: wait on event recorded outside
#define ACL_EVENT_WAIT_EXTERNAL 1U

// What another process needs to open an event.
#define ACL_IPC_EVENT_HANDLE_SIZE 64  // bytes in an event handle

typedef struct aclrtIpcEventHandle {
  char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

// Notifies: binary semaphores of a device.
#define ACL_NOTIFY_DEFAULT 0U                 // ordinary notify
#define ACL_NOTIFY_DEVICE_USE_ONLY 1U         // used from device side only
#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0U  // whitelist of pids needed
// any process may open
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 2U
#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0U  // plain open
// open and enable peer access
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 2U

// Counting notifies: what a record does to the counter, what a wait asks.
typedef enum aclrtCntNotifyRecordMode {
  ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,  // counter = v
  ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,        // counter += v
  ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,     // counter OR v
  // counter AND v (value 4, not 3)
  ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4,
} aclrtCntNotifyRecordMode;

typedef struct aclrtCntNotifyRecordInfo {
  aclrtCntNotifyRecordMode mode;
  uint32_t value;
} aclrtCntNotifyRecordInfo;

typedef enum aclrtCntNotifyWaitMode {
  ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,             // until counter < v
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,            // until counter == v
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,           // until counter > v
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,  // until counter >= v
  // until (counter AND v) == v
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4,
} aclrtCntNotifyWaitMode;

typedef struct aclrtCntNotifyWaitInfo {
  aclrtCntNotifyWaitMode mode;
  uint32_t value;
  uint32_t timeout;
  uint8_t isClear;
  uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

#endif  // ACL_TYPES_EVENT_H_
