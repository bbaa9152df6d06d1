// Types of virtual memory management and of memory shared between
// processes.
#ifndef ACL_TYPES_VIRTUAL_MEMORY_H_
#define ACL_TYPES_VIRTUAL_MEMORY_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/types/memory.h"

// Physical memory without an address.
typedef void* aclrtDrvMemHandle;

typedef enum aclrtMemAllocationType {
  ACL_MEM_ALLOCATION_TYPE_PINNED = 0,  // only kind of physical memory
} aclrtMemAllocationType;

typedef enum aclrtMemHandleType {
  ACL_MEM_HANDLE_TYPE_NONE = 0,   // not shareable by fd
  ACL_MEM_HANDLE_TYPE_POSIX = 2,  // posix handle
} aclrtMemHandleType;

typedef struct aclrtPhysicalMemProp {
  aclrtMemHandleType handleType;
  aclrtMemAllocationType allocationType;
  aclrtMemAttr memAttr;
  aclrtMemLocation location;
  uint64_t reserve;
} aclrtPhysicalMemProp;

typedef enum aclrtMemGranularityOptions {
  ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,      // smallest legal chunk
  ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,  // preferred chunk
  ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF,   // invalid
} aclrtMemGranularityOptions;

// Who may touch a mapping.
typedef enum aclrtMemAccessFlags {
  ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,       // no access
  ACL_RT_MEM_ACCESS_FLAGS_READ = 1,       // read (not accepted by SetAccess)
  ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3,  // read and write
} aclrtMemAccessFlags;

typedef struct aclrtMemAccessDesc {
  aclrtMemAccessFlags flags;
  aclrtMemLocation location;
  uint8_t rsv[12];
} aclrtMemAccessDesc;

// Handles that another process, or another server, can import.
typedef enum aclrtMemSharedHandleType {
  ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,  // 64-bit token, same server
  ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2,   // 128-byte token, across servers
} aclrtMemSharedHandleType;

typedef struct aclrtMemFabricHandle {
  uint8_t data[128];
} aclrtMemFabricHandle;

typedef struct aclrtServerPid {
  uint32_t sdid;
  int32_t* pid;
  size_t num;
} aclrtServerPid;

#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT 0U  // whitelist of pids needed
// any process may import
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 1U

// Allocations shared by key.
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0U  // whitelist of pids needed
// any process may open
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 1U
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0U  // plain open
// open and enable peer access
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 1U

typedef enum aclrtIpcMemAttrType {
  ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0,  // which inter-die link is used
} aclrtIpcMemAttrType;

#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO 0U   // in-package link (default)
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS 1U  // coherent board link
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH 2U  // one UB port
// several UB ports
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 3U

// Links between dies, and atomics across them.
#define ACL_RT_MEM_LINK_IDX_0 0U  // in-package link
#define ACL_RT_MEM_LINK_IDX_1 1U  // coherent board link

typedef enum aclrtMemLinkType {
  ACL_RT_MEM_ACCESS_LINK_SIO = 0,            // in-package link
  ACL_RT_MEM_ACCESS_LINK_HCCS = 1,           // coherent board link
  ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,    // one UB port
  ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3,  // several UB ports
} aclrtMemLinkType;

typedef enum aclrtAtomicOperation {
  ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0,
  ACL_RT_ATOMIC_OPERATION_INTEGER_MIN = 1,
  ACL_RT_ATOMIC_OPERATION_INTEGER_MAX = 2,
  ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
  ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
  ACL_RT_ATOMIC_OPERATION_AND = 5,
  ACL_RT_ATOMIC_OPERATION_OR = 6,
  ACL_RT_ATOMIC_OPERATION_XOR = 7,
  ACL_RT_ATOMIC_OPERATION_EXCHANGE = 8,
  ACL_RT_ATOMIC_OPERATION_CAS = 9,
  ACL_RT_ATOMIC_OPERATION_FLOAT_ADD = 10,
  ACL_RT_ATOMIC_OPERATION_FLOAT_MIN = 11,
  ACL_RT_ATOMIC_OPERATION_FLOAT_MAX = 12,
  ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30,
  ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31,
  ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD = 40,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN = 41,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX = 42,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS = 43,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44,
} aclrtAtomicOperation;

typedef enum aclrtAtomicOperationCapability {
  ACL_RT_ATOMIC_CAPABILITY_SIGNED = 0x1,
  ACL_RT_ATOMIC_CAPABILITY_UNSIGNED = 0x2,
  ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 0x4,  // misspelt alias of REDUCTION
  ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 0x4,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR8 = 0x8,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR16 = 0x10,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR32 = 0x20,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR64 = 0x40,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR128 = 0x80,
  ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 0x100,
} aclrtAtomicOperationCapability;

#endif  // ACL_TYPES_VIRTUAL_MEMORY_H_
