// Types of graphs of tasks (model RI): capture, tasks, conditional nodes.
#ifndef ACL_TYPES_GRAPH_H_
#define ACL_TYPES_GRAPH_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/kernel.h"

// Handles.
typedef void* aclmdlRI;
typedef void* aclmdlRICondHandle;

// Capture of a stream into a graph.
typedef enum aclmdlRICaptureMode {
  // any thread's unsafe call is refused while capturing
  ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
  // only this thread's unsafe calls refused
  ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
  ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,  // nothing refused
} aclmdlRICaptureMode;

typedef enum aclmdlRICaptureStatus {
  ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,    // not capturing
  ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,  // capturing
  // capture broken by an error, only End allowed
  ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
} aclmdlRICaptureStatus;

// Output of a graph as JSON.
#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0U  // short JSON
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 1U  // full JSON

// Tasks of a graph and their parameters.
typedef enum aclmdlRITaskType {
  ACL_MODEL_RI_TASK_DEFAULT = 0,       // other task
  ACL_MODEL_RI_TASK_KERNEL = 1,        // kernel
  ACL_MODEL_RI_TASK_EVENT_RECORD = 2,  // event record
  ACL_MODEL_RI_TASK_EVENT_WAIT = 3,    // event wait
  ACL_MODEL_RI_TASK_EVENT_RESET = 4,   // event reset
  ACL_MODEL_RI_TASK_VALUE_WRITE = 5,   // value write
  ACL_MODEL_RI_TASK_VALUE_WAIT = 6,    // value wait
} aclmdlRITaskType;

typedef struct aclmdlRIKernelTaskParams {
  aclrtFuncHandle funcHandle;
  aclrtLaunchKernelCfg* cfg;
  void* args;
  uint32_t isHostArgs;
  size_t argsSize;
  uint32_t numBlocks;
  uint32_t rsv[10];
} aclmdlRIKernelTaskParams;

typedef struct aclmdlRIEventRecordTaskParams {
  aclrtEvent event;
  uint32_t eventFlag;
  uint32_t recordFlag;
} aclmdlRIEventRecordTaskParams;

typedef struct aclmdlRIEventWaitTaskParams {
  aclrtEvent event;
  uint32_t eventFlag;
  uint32_t waitFlag;
} aclmdlRIEventWaitTaskParams;

typedef struct aclmdlRIEventResetTaskParams {
  aclrtEvent event;
  uint32_t eventFlag;
  uint32_t resetFlag;
} aclmdlRIEventResetTaskParams;

typedef struct aclmdlRIValueWriteTaskParams {
  void* devAddr;
  uint64_t value;
} aclmdlRIValueWriteTaskParams;

typedef struct aclmdlRIValueWaitTaskParams {
  void* devAddr;
  uint64_t value;
  uint32_t flag;
} aclmdlRIValueWaitTaskParams;

typedef struct aclmdlRITaskParams {
  aclmdlRITaskType type;
  uint32_t rsv0[3];
  aclrtTaskGrp taskGrp;
  void* opInfoPtr;
  size_t opInfoSize;
  uint8_t rsv1[32];
  __extension__ union {  // by type; rsv2 keeps room for later ones
    uint8_t rsv2[128];
    aclmdlRIKernelTaskParams kernelTaskParams;
    aclmdlRIEventRecordTaskParams eventRecordTaskParams;
    aclmdlRIEventWaitTaskParams eventWaitTaskParams;
    aclmdlRIEventResetTaskParams eventResetTaskParams;
    aclmdlRIValueWriteTaskParams valueWriteTaskParams;
    aclmdlRIValueWaitTaskParams valueWaitTaskParams;
  };
} aclmdlRITaskParams;

// Conditional nodes.
typedef enum aclmdlRICondHandleFlag {
  // write default value at each launch
  ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1,
} aclmdlRICondHandleFlag;

typedef enum aclmdlRICondTaskType {
  ACL_MODEL_RI_COND_TYPE_IF = 0,      // run body if nonzero
  ACL_MODEL_RI_COND_TYPE_WHILE = 1,   // run body while nonzero
  ACL_MODEL_RI_COND_TYPE_SWITCH = 2,  // run body[value]
} aclmdlRICondTaskType;

typedef struct tagAclmdlRICondTaskParams {
  aclmdlRICondHandle handle;
  aclmdlRICondTaskType type;
  uint32_t size;
  aclmdlRI* modelRIArray;
} aclmdlRICondTaskParams;

#endif  // ACL_TYPES_GRAPH_H_
