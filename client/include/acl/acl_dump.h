// Dump of tensors and of the state at a fault. Not supported yet: the calls
// link, do nothing and answer 200001; those that return no aclError return
// null, 0, or the value that stands for none.
#ifndef ACL_ACL_DUMP_H_
#define ACL_ACL_DUMP_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bounds, and what aclopStartDumpArgs writes.
#define ACL_DUMP_MAX_FILE_PATH_LENGTH 4096  // dump path buffer length
#define ACL_OP_DUMP_OP_AICORE_ARGS 1        // dump kernel arguments
#define ACL_DUMP_MAX_SHAPE_NUM 25           // max rank in dump record

// Kinds of dump.
typedef enum acldumpType {
  AIC_ERR_BRIEF_DUMP = 1,   // short core-fault dump
  AIC_ERR_NORM_DUMP = 2,    // normal core-fault dump
  AIC_ERR_DETAIL_DUMP = 3,  // full core-fault dump (core file)
  DATA_DUMP = 4,            // tensor dump
  OVERFLOW_DUMP = 5,        // dump of overflowing ops
} acldumpType;

// What a tensor in a dump is, how its address is given, and where it lies.
typedef enum acldumpTensorType {
  ACL_DUMP_TENSOR_INPUT = 0,
  ACL_DUMP_TENSOR_OUTPUT = 1,
  ACL_DUMP_TENSOR_WORKSPACE = 2,
} acldumpTensorType;

typedef enum acldumpTensorAddressType {
  ACL_DUMP_ADDR_PTR = 0,
  ACL_DUMP_ADDR_PTR_PTR = 1,
  ACL_DUMP_ADDR_RAW = 2,
} acldumpTensorAddressType;

typedef enum acldumpTensorPlacement {
  ACL_DUMP_PLACEMENT_DEVICE = 0,
  ACL_DUMP_PLACEMENT_HOST = 1,
  ACL_DUMP_PLACEMENT_END = 2,
} acldumpTensorPlacement;

// A piece of a file that is dumped; dataBuf has bufLen bytes.
typedef struct acldumpChunk {
  char fileName[ACL_DUMP_MAX_FILE_PATH_LENGTH];
  uint32_t bufLen;
  uint32_t isLastChunk;
  int64_t offset;
  int32_t flag;
  __extension__ uint8_t dataBuf[0];
} acldumpChunk;

// A tensor of the state at a fault.
typedef struct acldumpTensorInfo {
  acldumpTensorType type;
  size_t tensorSize;
  int32_t format;
  int32_t dataType;
  int64_t* tensorAddr;
  acldumpTensorAddressType addrType;
  acldumpTensorPlacement placement;
  uint32_t argsOffset;
  uint32_t shapeNum;
  uint32_t originShapeNum;
  uint64_t shape[ACL_DUMP_MAX_SHAPE_NUM];
  uint64_t originShape[ACL_DUMP_MAX_SHAPE_NUM];
} acldumpTensorInfo;

ACL_FUNC_VISIBILITY aclError acldumpRegCallback(
    int32_t (*const messageCallback)(const acldumpChunk*, int32_t),
    int32_t flag);
ACL_FUNC_VISIBILITY void acldumpUnregCallback(void);
ACL_FUNC_VISIBILITY aclError aclopStartDumpArgs(uint32_t dumpType,
                                                const char* path);
ACL_FUNC_VISIBILITY aclError aclopStopDumpArgs(uint32_t dumpType);
ACL_FUNC_VISIBILITY const char* acldumpGetPath(acldumpType dumpType);
ACL_FUNC_VISIBILITY aclError
acldumpSaveExceptionInfo(const char* fileName, const char* userTag,
                         const acldumpTensorInfo* tensors, size_t tensorCount);
ACL_FUNC_VISIBILITY aclError acldumpGetExceptionInfoPath(char* path,
                                                         size_t maxLen);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_ACL_DUMP_H_
