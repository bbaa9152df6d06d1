// Types of kernels: binaries, functions, arguments, launches, random numbers,
// updates of queued tasks.
#ifndef ACL_TYPES_KERNEL_H_
#define ACL_TYPES_KERNEL_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

// Handles. A binary holds functions; arguments of a function are built up in
// an argument list.
typedef void* aclrtBinary;
typedef void* aclrtBinHandle;
typedef void* aclrtFuncHandle;
typedef void* aclrtArgsHandle;
typedef void* aclrtParamHandle;

// Loading.
#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U  // ELF for unified AI core
// ELF for vector core
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U  // ELF for cube core

typedef enum aclrtBinaryLoadOptionType {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,   // upload to device at first use
  ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,  // misspelt alias of OPT_MAGIC
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,  // core kind of the ELF (magic constants)
  // AI CPU registration style 0/1/2
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
} aclrtBinaryLoadOptionType;

typedef union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad;
  uint32_t magic;
  int32_t cpuKernelMode;
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct aclrtBinaryLoadOption {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption* options;
  size_t numOpt;
} aclrtBinaryLoadOptions;

// Attributes of a function.
typedef enum aclrtFuncAttribute {
  ACL_FUNC_ATTR_KERNEL_TYPE = 1,   // core kind
  ACL_FUNC_ATTR_KERNEL_RATIO = 2,  // cube:vector ratio of MIX kernel (packed)
  ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3,  // normal/batch scheduling
} aclrtFuncAttribute;

typedef enum aclrtKernelType {
  ACL_KERNEL_TYPE_AICORE = 0,   // unified AI core
  ACL_KERNEL_TYPE_CUBE = 1,     // cube only
  ACL_KERNEL_TYPE_VECTOR = 2,   // vector only
  ACL_KERNEL_TYPE_MIX = 3,      // cube and vector together
  ACL_KERNEL_TYPE_AICPU = 100,  // AI CPU
} aclrtKernelType;

// A host argument block is copied to the device; at each place holder the
// device address of its own byte dataOffset is stored at byte addrOffset.
typedef struct aclrtPlaceHolderInfo {
  uint32_t addrOffset;
  uint32_t dataOffset;
} aclrtPlaceHolderInfo;

// Extent of a grid or a block. In C++ a dimension that is left out is 1.
typedef struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
#ifdef __cplusplus
  // Implicit on purpose: a number is the extent along x.
  constexpr dim3(uint32_t x_extent = 1, uint32_t y_extent = 1,
                 uint32_t z_extent = 1)
      : x(x_extent), y(y_extent), z(z_extent) {}
#endif
} dim3;

// Options of a launch.
typedef enum aclrtEngineType {
  ACL_RT_ENGINE_TYPE_AIC = 0,  // cube core
  ACL_RT_ENGINE_TYPE_AIV = 1,  // vector core
} aclrtEngineType;

typedef struct aclrtTimeoutUs {
  uint32_t timeoutLow;
  uint32_t timeoutHigh;
} aclrtTimeoutUs;

typedef enum aclrtLaunchKernelAttrId {
  // 0: blocks start as cores free up, 1: all together
  ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
  ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,  // older name of the next
  // dynamic unified-buffer bytes (950 SIMT)
  ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
  // pick AIC or AIV for plain kernels
  ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
  // first block index of this launch
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
  // no prefetch of the descriptor
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
  ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,   // allow data dump
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,     // timeout seconds
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,  // timeout us as 64-bit low/high
  // report this kernel to profiler
  ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9,
} aclrtLaunchKernelAttrId;

typedef union aclrtLaunchKernelAttrValue {
  uint8_t schemMode;
  uint32_t localMemorySize;
  uint32_t dynUBufSize;
  aclrtEngineType engineType;
  uint32_t blockDimOffset;
  uint8_t isBlockTaskPrefetch;
  uint8_t isDataDump;
  uint16_t timeout;
  aclrtTimeoutUs timeoutUs;
  uint8_t enableProfiling;
  uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

typedef struct aclrtLaunchKernelAttr {
  aclrtLaunchKernelAttrId id;
  aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

typedef struct aclrtLaunchKernelCfg {
  aclrtLaunchKernelAttr* attrs;
  size_t numAttrs;
} aclrtLaunchKernelCfg;

// Random numbers. A parameter is a value, or the device address of one.
typedef enum aclrtRandomNumFuncType {
  ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,  // Bernoulli bit mask
  ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,      // uniform
  ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,       // normal
  // normal cut at 2 sigma
  ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3,
} aclrtRandomNumFuncType;

typedef struct aclrtRandomParaInfo {
  uint8_t isAddr;
  uint8_t valueOrAddr[8];
  uint8_t size;
  uint8_t rsv[6];
} aclrtRandomParaInfo;

typedef struct aclrtDropoutBitmaskInfo {
  aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;

typedef struct aclrtUniformDisInfo {
  aclrtRandomParaInfo min;
  aclrtRandomParaInfo max;
} aclrtUniformDisInfo;

typedef struct aclrtNormalDisInfo {
  aclrtRandomParaInfo mean;
  aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;

typedef struct aclrtRandomNumFuncParaInfo {
  aclrtRandomNumFuncType funcType;
  union {
    aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
    aclrtUniformDisInfo uniformDisInfo;
    aclrtNormalDisInfo normalDisInfo;
  } paramInfo;
} aclrtRandomNumFuncParaInfo;

typedef struct aclrtRandomNumTaskInfo {
  aclDataType dataType;
  aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
  void* randomParaAddr;
  void* randomResultAddr;
  void* randomCounterAddr;
  aclrtRandomParaInfo randomSeed;
  aclrtRandomParaInfo randomNum;
  uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

// New parameters for a queued task.
typedef enum aclrtUpdateTaskAttrId {
  ACL_RT_UPDATE_RANDOM_TASK = 1,   // target is random task
  ACL_RT_UPDATE_AIC_AIV_TASK = 2,  // target is kernel task
} aclrtUpdateTaskAttrId;

typedef struct aclrtRandomTaskUpdateAttr {
  void* srcAddr;
  size_t size;
  uint32_t rsv[4];
} aclrtRandomTaskUpdateAttr;

typedef struct aclrtAicAivTaskUpdateAttr {
  void* binHandle;
  void* funcEntryAddr;
  void* blockDimAddr;
  uint32_t rsv[4];
} aclrtAicAivTaskUpdateAttr;

typedef union aclrtUpdateTaskAttrVal {
  aclrtRandomTaskUpdateAttr randomTaskAttr;
  aclrtAicAivTaskUpdateAttr aicAivTaskAttr;
} aclrtUpdateTaskAttrVal;

typedef struct aclrtTaskUpdateInfo {
  aclrtUpdateTaskAttrId id;
  aclrtUpdateTaskAttrVal val;
} aclrtTaskUpdateInfo;

#endif  // ACL_TYPES_KERNEL_H_
