// Base of every header of AscendCL: visibility, handles, element types, and
// the few calls that need no device.
//
// Every call that returns aclError may be made from any thread. It returns
// ACL_SUCCESS or a code of acl/error_codes/; a call that fails has changed
// nothing, unless its contract says otherwise.
#ifndef ACL_ACL_BASE_RT_H_
#define ACL_ACL_BASE_RT_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/error_codes/acl_error_codes.h"
#include "acl/error_codes/rt_error_codes.h"

#if defined(__GNUC__) || defined(__clang__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int aclError;

// Handles. They mean something in this process only; a handle that was
// destroyed is recognised as stale.
typedef void* aclrtContext;
typedef void* aclrtStream;
typedef void* aclrtEvent;
typedef void* aclrtNotify;
typedef void* aclrtCntNotify;
typedef void* aclrtLabel;
typedef void* aclrtLabelList;
typedef void* aclrtMbuf;
typedef void* aclrtTaskGrp;
typedef void* aclmdlRITask;
typedef struct aclDataBuffer aclDataBuffer;

// Handles of allocators of the user.
typedef void* aclrtAllocatorDesc;
typedef void* aclrtAllocator;
typedef void* aclrtAllocatorBlock;
typedef void* aclrtAllocatorAddr;

// Element types.
typedef uint16_t aclFloat16;

typedef enum aclDataType {
  ACL_DT_UNDEFINED = -1,   // no type
  ACL_FLOAT = 0,           // 32-bit IEEE
  ACL_FLOAT16 = 1,         // 16-bit IEEE half
  ACL_INT8 = 2,            // signed byte
  ACL_INT32 = 3,           // signed 32
  ACL_UINT8 = 4,           // unsigned byte
  ACL_INT16 = 6,           // signed 16
  ACL_UINT16 = 7,          // unsigned 16
  ACL_UINT32 = 8,          // unsigned 32
  ACL_INT64 = 9,           // signed 64
  ACL_UINT64 = 10,         // unsigned 64
  ACL_DOUBLE = 11,         // 64-bit IEEE
  ACL_BOOL = 12,           // 1-byte boolean
  ACL_STRING = 13,         // string tensor
  ACL_COMPLEX64 = 16,      // pair of float
  ACL_COMPLEX128 = 17,     // pair of double
  ACL_BF16 = 27,           // bfloat16
  ACL_INT4 = 29,           // packed 4-bit signed (2 per byte)
  ACL_UINT1 = 30,          // packed bits
  ACL_COMPLEX32 = 33,      // pair of half
  ACL_HIFLOAT8 = 34,       // 8-bit vendor float (950)
  ACL_FLOAT8_E5M2 = 35,    // fp8 5-bit exponent (950)
  ACL_FLOAT8_E4M3FN = 36,  // fp8 4-bit exponent (950)
  ACL_FLOAT8_E8M0 = 37,    // power-of-two scale byte (MX)
  ACL_FLOAT6_E3M2 = 38,    // fp6
  ACL_FLOAT6_E2M3 = 39,    // fp6
  ACL_FLOAT4_E2M1 = 40,    // fp4
  ACL_FLOAT4_E1M2 = 41,    // fp4
} aclDataType;

// Layouts of tensors.
typedef enum aclFormat {
  ACL_FORMAT_UNDEFINED = -1,    // no layout
  ACL_FORMAT_NCHW = 0,          // batch,channel,height,width
  ACL_FORMAT_NHWC = 1,          // channel last
  ACL_FORMAT_ND = 2,            // row-major, any rank
  ACL_FORMAT_NC1HWC0 = 3,       // 5-D blocked: channels in groups of C0
  ACL_FORMAT_FRACTAL_Z = 4,     // blocked convolution weight
  ACL_FORMAT_NC1HWC0_C04 = 12,  // 5-D blocked, C0=4
  ACL_FORMAT_HWCN = 16,         // TensorFlow filter order
  ACL_FORMAT_NDHWC = 27,        // 3-D conv channel last
  ACL_FORMAT_FRACTAL_NZ = 29,   // 16 x 16 blocks, columns of blocks outside
  ACL_FORMAT_NCDHW = 30,        // 3-D conv
  ACL_FORMAT_NDC1HWC0 = 32,     // 6-D blocked
  ACL_FRACTAL_Z_3D = 33,        // blocked 3-D conv weight
  ACL_FORMAT_NC = 35,           // 2-D batch,channel
  ACL_FORMAT_NCL = 47,          // batch,channel,length
  ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,  // NZ with explicit block width 16
  ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,  // NZ with explicit block width 32
  ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,   // NZ with block width 2
  ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,   // NZ with block width 4
  ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,   // NZ with block width 8
} aclFormat;

// Where the data of a tensor lies.
typedef enum aclMemType {
  ACL_MEMTYPE_DEVICE = 0,  // tensor data is in device memory
  ACL_MEMTYPE_HOST = 1,    // tensor data is in host memory
  // host data that does not affect compilation
  ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2,
} aclMemType;

// Levels of the log.
typedef enum aclLogLevel {
  ACL_DEBUG = 0,
  ACL_INFO = 1,
  ACL_WARNING = 2,
  ACL_ERROR = 3,
} aclLogLevel;

// Options of the process or of a context.
typedef enum aclSysParamOpt {
  // level 0 off (default), 1 repeatable, 2 also independent of position, 3
  // also of batch size
  ACL_OPT_DETERMINISTIC = 0,
  ACL_OPT_ENABLE_DEBUG_KERNEL = 1,  // 0/1: report accesses out of bounds
  ACL_OPT_STRONG_CONSISTENCY = 2,   // 0/1: older form of level 2
  // 0/1: a kernel may start before its predecessor ends
  ACL_OPT_ENABLE_KERNEL_EARLY_START = 3,
} aclSysParamOpt;

// Capabilities of the platform.
typedef enum aclCannAttr {
  ACL_CANN_ATTR_UNDEFINED = -1,  // invalid id
  ACL_CANN_ATTR_INF_NAN = 0,     // supports INF/NaN arithmetic
  ACL_CANN_ATTR_BF16 = 1,        // supports bfloat16
  // supports prebuilt binaries without online compile
  ACL_CANN_ATTR_JIT_COMPILE = 2,
} aclCannAttr;

typedef enum aclDeviceInfo {
  ACL_DEVICE_INFO_UNDEFINED = -1,       // invalid id
  ACL_DEVICE_INFO_AI_CORE_NUM = 0,      // AI core count
  ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,  // vector core count
  ACL_DEVICE_INFO_L2_SIZE = 2,          // L2 bytes
} aclDeviceInfo;

// Bytes of one element of `dataType`: 0 for ACL_DT_UNDEFINED, ACL_STRING and
// values that are no type; 1 for the types of less than a byte.
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

// Product name of the chip that is simulated, e.g. "Ascend910"; a static
// string, or null when no device can be reached.
ACL_FUNC_VISIBILITY const char* aclrtGetSocName(void);

// Older form of aclrtGetDeviceInfo: one number of a device; needs no context.
// 107001: no such device; 107000: unknown deviceInfo.
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId,
                                                    aclDeviceInfo deviceInfo,
                                                    int64_t* value);

// The value of a half. As on the device in saturation mode, the largest
// exponent is an ordinary one: Inf is 65536, NaN with only its top bit set
// 98304.
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);

// The nearest half, ties to even; NaN, infinities and what is too large become
// 65504 of the same sign.
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);

// The capabilities that the platform has. `*cannAttrList` stays valid for ever.
ACL_FUNC_VISIBILITY aclError
aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num);

// 1 if the platform has the capability, else 0. 100000: unknown cannAttr.
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr,
                                                 int32_t* value);

// Writes a line of the program, formatted as by printf, into this library's
// log, which follows ASCEND_GLOBAL_LOG_LEVEL and ASCEND_SLOG_PRINT_TO_STDOUT.
// `func` and `file` may be null.
ACL_FUNC_VISIBILITY void aclAppLog(aclLogLevel logLevel, const char* func,
                                   const char* file, uint32_t line,
                                   const char* fmt, ...);

// A pair of address and size, which owns no memory; any values are legal. Null
// when this process has no memory. A buffer that was destroyed, or is none:
// 107017.
ACL_FUNC_VISIBILITY aclDataBuffer* aclCreateDataBuffer(void* data, size_t size);
ACL_FUNC_VISIBILITY aclError
aclDestroyDataBuffer(const aclDataBuffer* dataBuffer);
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer,
                                                 void* data, size_t size);

// What the buffer holds; null or 0 of a pointer that is no buffer. The older
// 32-bit form returns UINT32_MAX for what it cannot hold.
ACL_FUNC_VISIBILITY void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer);
ACL_FUNC_VISIBILITY uint32_t
aclGetDataBufferSize(const aclDataBuffer* dataBuffer);
ACL_FUNC_VISIBILITY size_t
aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_ACL_BASE_RT_H_
