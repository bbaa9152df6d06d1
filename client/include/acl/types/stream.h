// Types of streams: flags, attributes, states, callbacks, value waits.
#ifndef ACL_TYPES_STREAM_H_
#define ACL_TYPES_STREAM_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

// Flags of a new stream; OR them together.

// preallocate queue resources so launches are quicker
#define ACL_STREAM_FAST_LAUNCH 0x00000001U
#define ACL_STREAM_FAST_SYNC 0x00000002U  // synchronise by polling
// tasks kept for a model, not run when queued
#define ACL_STREAM_PERSISTENT 0x00000004U
#define ACL_STREAM_HUGE 0x00000008U          // larger queue; no effect now
#define ACL_STREAM_CPU_SCHEDULE 0x00000010U  // stream scheduled by AI CPU
// stream used from device side
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U

// Is everything that was queued done?
typedef enum aclrtStreamStatus {
  ACL_STREAM_STATUS_COMPLETE = 0,       // stream drained
  ACL_STREAM_STATUS_NOT_READY = 1,      // tasks pending
  ACL_STREAM_STATUS_RESERVED = 0xFFFF,  // end marker
} aclrtStreamStatus;

// What a stream does after a task of it fails.

// default: keep executing after a failed task
#define ACL_CONTINUE_ON_FAILURE 0x00000000U
// stop all streams of the context at first failure
#define ACL_STOP_ON_FAILURE 0x00000001U

// Attributes that may change during the life of a stream.
typedef enum aclrtStreamAttr {
  ACL_STREAM_ATTR_FAILURE_MODE = 1,          // continue/stop on failure
  ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,  // overflow check switch
  ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,       // user tag
  ACL_STREAM_ATTR_CACHE_OP_INFO = 4,         // cache op info during capture
  ACL_STREAM_ATTR_PRIORITY = 5,              // priority
} aclrtStreamAttr;

typedef union aclrtStreamAttrValue {
  uint64_t failureMode;
  uint32_t overflowSwitch;
  uint32_t userCustomTag;
  uint32_t cacheOpInfoSwitch;
  uint32_t streamPriority;
  uint32_t reserve[4];
} aclrtStreamAttrValue;

// Attributes of a stream to be created.
typedef enum aclrtStreamConfigAttr {
  ACL_RT_STREAM_WORK_ADDR_PTR = 0,  // user workspace address for the stream
  ACL_RT_STREAM_WORK_SIZE = 1,      // its size
  ACL_RT_STREAM_FLAG = 2,           // flag bits
  ACL_RT_STREAM_PRIORITY = 3,       // priority 0-7
} aclrtStreamConfigAttr;

typedef struct aclrtStreamConfigHandle {
  void* workptr;
  size_t workSize;
  size_t flag;
  uint32_t priority;
} aclrtStreamConfigHandle;

// Callbacks at creation and destruction.
typedef enum aclrtStreamState {
  ACL_RT_STREAM_STATE_CREATE_POST = 1,  // after stream creation
  ACL_RT_STREAM_STATE_DESTROY_PRE = 2,  // before stream destruction
} aclrtStreamState;

typedef void (*aclrtStreamStateCallback)(aclrtStream stream,
                                         aclrtStreamState state, void* args);

// Host functions as tasks of a stream.
typedef enum aclrtCallbackBlockType {
  // later stream tasks do not wait for the callback
  ACL_CALLBACK_NO_BLOCK = 0,
  ACL_CALLBACK_BLOCK = 1,  // later stream tasks wait for the callback
} aclrtCallbackBlockType;

typedef void (*aclrtCallback)(void* userData);
typedef void (*aclrtHostFunc)(void* args);

// Waits for a 64-bit word `mem` of device memory to meet a value `v`.
#define ACL_STREAM_WAIT_VALUE_GEQ 0U  // wait until (int64)(mem - v) >= 0
#define ACL_STREAM_WAIT_VALUE_EQ 1U   // wait until mem == v
#define ACL_STREAM_WAIT_VALUE_AND 2U  // wait until (mem AND v) != 0
#define ACL_STREAM_WAIT_VALUE_NOR 3U  // wait until NOT(mem OR v) != 0

// Branches of graph-bound streams.
typedef enum aclrtCondition {
  ACL_RT_EQUAL = 0,             // ==
  ACL_RT_NOT_EQUAL = 1,         // !=
  ACL_RT_GREATER = 2,           // >
  ACL_RT_GREATER_OR_EQUAL = 3,  // >=
  ACL_RT_LESS = 4,              // <
  ACL_RT_LESS_OR_EQUAL = 5,     // <=
} aclrtCondition;

typedef enum aclrtCompareDataType {
  ACL_RT_SWITCH_INT32 = 0,  // compare as 32-bit
  ACL_RT_SWITCH_INT64 = 1,  // compare as 64-bit
} aclrtCompareDataType;

#endif  // ACL_TYPES_STREAM_H_
