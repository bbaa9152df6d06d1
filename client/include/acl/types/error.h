// Types of errors: levels, details of a fault, exception callbacks.
#ifndef ACL_TYPES_ERROR_H_
#define ACL_TYPES_ERROR_H_

#include <stddef.h>
#include <stdint.h>

// Whose last error is asked for.
typedef enum aclrtLastErrLevel {
  ACL_RT_THREAD_LEVEL = 0,  // per-thread last error
} aclrtLastErrLevel;

// Details of a fault.
typedef enum aclrtErrorType {
  ACL_RT_NO_ERROR = 0,           // no fault
  ACL_RT_ERROR_MEMORY = 1,       // memory fault
  ACL_RT_ERROR_L2 = 2,           // L2 fault
  ACL_RT_ERROR_AICORE = 3,       // core fault
  ACL_RT_ERROR_LINK = 4,         // link fault
  ACL_RT_ERROR_L3_PORT = 5,      // L3 port fault
  ACL_RT_ERROR_OTHERS = 0xFFFF,  // anything else
} aclrtErrorType;

typedef enum aclrtAicoreErrorType {
  ACL_RT_AICORE_ERROR_UNKNOWN = 0,   // core fault, cause unknown
  ACL_RT_AICORE_ERROR_SW = 1,        // core fault caused by software
  ACL_RT_AICORE_ERROR_HW_LOCAL = 2,  // core fault in that core's hardware
} aclrtAicoreErrorType;

// fault addresses kept per device
#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 20U
#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128  // array bound for memory fault list
#define UCE_INFO_RESERVED_SIZE 14        // padding words in memory fault record
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20   // fault ranges in verbose record

typedef struct aclrtMemUceInfo {
  void* addr;
  size_t len;
  size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

typedef struct aclrtMemUceInfoArray {
  size_t arraySize;
  aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;

typedef union aclrtErrorInfoDetail {
  aclrtMemUceInfoArray uceInfo;
  aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

typedef struct aclrtErrorInfo {
  uint8_t tryRepair;
  uint8_t hasDetail;
  uint8_t reserved[2];
  aclrtErrorType errorType;
  aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

// Callbacks at a fault; the information is valid during the call only.
typedef struct rtExceptionInfo aclrtExceptionInfo;
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo* info);
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo* info,
                                         void* userData);

#endif  // ACL_TYPES_ERROR_H_
