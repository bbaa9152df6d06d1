// Types of memory: allocation, copies, host memory, attributes.
#ifndef ACL_TYPES_MEMORY_H_
#define ACL_TYPES_MEMORY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Page policy of an allocation. The flags from 0x100 up may be ORed to it
// where the call says so.
typedef enum aclrtMemMallocPolicy {
  // 2 MiB pages above 1 MiB if there are any, else 4 KiB
  ACL_MEM_MALLOC_HUGE_FIRST = 0,
  ACL_MEM_MALLOC_HUGE_ONLY = 1,           // 2 MiB pages or fail
  ACL_MEM_MALLOC_NORMAL_ONLY = 2,         // 4 KiB pages
  ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,      // as HUGE_FIRST, reachable by peers
  ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,       // as HUGE_ONLY, reachable by peers
  ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,     // ordinary pages, reachable by peers
  ACL_MEM_MALLOC_HUGE1G_ONLY = 6,         // 1 GiB pages or fail
  ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,     // 1 GiB pages, reachable by peers
  ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x100,    // flag: prefer slower memory (DDR)
  ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,  // flag: prefer HBM
  // flag: user mapping read-only
  ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000,
} aclrtMemMallocPolicy;

// Options of an allocation.
typedef enum aclrtMallocAttrType {
  ACL_RT_MEM_ATTR_RSV = 0,        // unused
  ACL_RT_MEM_ATTR_MODULE_ID = 1,  // accounting tag of the allocation
  ACL_RT_MEM_ATTR_DEVICE_ID = 2,  // target device
  ACL_RT_MEM_ATTR_VA_FLAG = 3,    // same virtual address on host and device
} aclrtMallocAttrType;

typedef union aclrtMallocAttrValue {
  uint16_t moduleId;
  uint32_t deviceId;
  uint32_t vaFlag;
  uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
  aclrtMallocAttrType attr;
  aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct aclrtMallocConfig {
  aclrtMallocAttribute* attrs;
  size_t numAttrs;
} aclrtMallocConfig;

// Classes of memory, for aclrtGetMemInfo and for physical allocations. HUGE:
// 2 MiB pages, HUGE1G: 1 GiB pages, NORMAL: 4 KiB pages, P2P: peers reach it.
typedef enum aclrtMemAttr {
  ACL_DDR_MEM = 0,  // DDR, pages of any size
  ACL_HBM_MEM = 1,  // HBM, pages of any size
  ACL_DDR_MEM_HUGE = 2,
  ACL_DDR_MEM_NORMAL = 3,
  ACL_HBM_MEM_HUGE = 4,
  ACL_HBM_MEM_NORMAL = 5,
  ACL_DDR_MEM_P2P_HUGE = 6,
  ACL_DDR_MEM_P2P_NORMAL = 7,
  ACL_HBM_MEM_P2P_HUGE = 8,
  ACL_HBM_MEM_P2P_NORMAL = 9,
  ACL_HBM_MEM_HUGE1G = 10,
  ACL_HBM_MEM_P2P_HUGE1G = 11,
  ACL_MEM_NORMAL = 12,
  ACL_MEM_HUGE = 13,
  ACL_MEM_HUGE1G = 14,
  ACL_MEM_P2P_NORMAL = 15,
  ACL_MEM_P2P_HUGE = 16,
  ACL_MEM_P2P_HUGE1G = 17,
} aclrtMemAttr;

enum aclrtMemPgType {
  NORMAL_PAGE_TYPE = 0,  // pages of ordinary size
  HUGE_PAGE_TYPE = 1,    // 2 MiB pages
  HUGE1G_PAGE_TYPE = 2,  // 1 GiB pages
};

enum aclrtMemType {
  HBM_TYPE = 0,      // HBM
  DDR_TYPE = 1,      // DDR
  P2P_HBM_TYPE = 2,  // HBM reachable by peers
  P2P_DDR_TYPE = 3,  // DDR reachable by peers
};

typedef struct MemAttrMapping {
  uint32_t pgType;
  uint32_t memType;
  bool isHostAlloc;
  aclrtMemAttr memAttr;
} MemAttrMapping;

#define ACL_RT_MEM_TYPE_DEV 0x2U    // ordinary device memory
#define ACL_RT_MEM_TYPE_DVPP 0x8U   // media device memory
#define ACL_RT_MEM_TYPE_RSVD 0x10U  // reserved virtual range

typedef struct aclrtMemUsageInfo {
  char name[32];
  uint64_t curMemSize;
  uint64_t memPeakSize;
  size_t reserved[8];
} aclrtMemUsageInfo;

// Where an address lies.
typedef enum aclrtMemLocationType {
  ACL_MEM_LOCATION_TYPE_HOST = 0,    // host (pinned or registered)
  ACL_MEM_LOCATION_TYPE_DEVICE = 1,  // device
  // not known to runtime (plain host memory)
  ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
  ACL_MEM_LOCATION_TYPE_MANAGED = 3,    // unified memory
  ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,  // host NUMA node
} aclrtMemLocationType;

typedef struct aclrtMemLocation {
  uint32_t id;
  aclrtMemLocationType type;
} aclrtMemLocation;

typedef struct aclrtPtrAttributes {
  aclrtMemLocation location;
  uint32_t pageSize;
  uint32_t rsv[4];
} aclrtPtrAttributes;

// Copies.
typedef enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST = 0,      // host to host
  ACL_MEMCPY_HOST_TO_DEVICE = 1,    // host to device
  ACL_MEMCPY_DEVICE_TO_HOST = 2,    // device to host
  ACL_MEMCPY_DEVICE_TO_DEVICE = 3,  // device to device, same or other device
  ACL_MEMCPY_DEFAULT = 4,           // infer from addresses
  // the source is copied before the call returns
  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,  // descriptor copies only
  ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,  // descriptor copies only
} aclrtMemcpyKind;

typedef struct aclrtMemcpyBatchAttr {
  aclrtMemLocation dstLoc;
  aclrtMemLocation srcLoc;
  uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

typedef enum aclrtReduceKind {
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,    // dst += src
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,    // dst = max
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,    // dst = min
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13,  // has no public definition
} aclrtReduceKind;

// Host memory made known to the device.
typedef enum aclrtHostRegisterType {
  ACL_HOST_REGISTER_MAPPED = 0,    // map for device access
  ACL_HOST_REGISTER_IOMEMORY = 4,  // range is MMIO
  ACL_HOST_REGISTER_READONLY = 8,  // device may only read
} aclrtHostRegisterType;

#define ACL_HOST_REG_MAPPED 0x2U         // map into device space
#define ACL_HOST_REG_IOMEMORY 0x4U       // range is MMIO
#define ACL_HOST_REG_READONLY 0x8U       // device reads only
#define ACL_HOST_REG_PINNED 0x10000000U  // lock pages

typedef enum aclrtHacType {
  ACL_RT_HAC_TYPE_STARS = 0,
  ACL_RT_HAC_TYPE_AICPU = 1,
  ACL_RT_HAC_TYPE_AIC = 2,
  ACL_RT_HAC_TYPE_AIV = 3,
  ACL_RT_HAC_TYPE_PCIEDMA = 4,
  ACL_RT_HAC_TYPE_RDMA = 5,
  ACL_RT_HAC_TYPE_SDMA = 6,
  ACL_RT_HAC_TYPE_DVPP = 7,
  ACL_RT_HAC_TYPE_UDMA = 8,
  ACL_RT_HAC_TYPE_CCU = 9,
} aclrtHacType;

typedef enum aclrtHostMemMapCapability {
  ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,  // cannot map
  ACL_RT_HOST_MEM_MAP_SUPPORTED = 1,      // can map
} aclrtHostMemMapCapability;

// Managed memory: host and device use the same address.
#define ACL_RT_MEM_ATTACH_GLOBAL 1U  // managed memory visible to all streams

typedef enum aclrtMemManagedLocationType {
  ACL_MEM_LOCATIONTYPE_INVALID = 0,            // none
  ACL_MEM_LOCATIONTYPE_DEVICE = 1,             // device id
  ACL_MEM_LOCATIONTYPE_HOST = 2,               // host
  ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,          // host NUMA node
  ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4,  // caller's NUMA node
} aclrtMemManagedLocationType;

typedef struct aclrtMemManagedLocation {
  aclrtMemManagedLocationType type;
  int32_t id;
} aclrtMemManagedLocation;

typedef enum aclrtMemManagedAdviseType {
  ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,           // mostly-read hint on
  ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,         // mostly-read hint off
  ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,    // set home location
  ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,  // clear home location
  ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,           // pre-map for a location
  ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5,         // stop pre-mapping
} aclrtMemManagedAdviseType;

typedef enum aclrtMemManagedRangeAttribute {
  ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
  ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
} aclrtMemManagedRangeAttribute;

// Maintenance of the L2 cache.
typedef enum aclrtCmoType {
  ACL_RT_CMO_TYPE_PREFETCH = 0,   // pull into L2
  ACL_RT_CMO_TYPE_WRITEBACK = 1,  // write dirty lines, keep
  ACL_RT_CMO_TYPE_INVALID = 2,    // drop lines
  ACL_RT_CMO_TYPE_FLUSH = 3,      // write dirty lines, drop
} aclrtCmoType;

#define ACL_RT_CMO_MAX_BARRIER_NUM 6  // barriers per cache-wait call

typedef struct aclrtBarrierCmoInfo {
  aclrtCmoType cmoType;
  uint32_t barrierId;
} aclrtBarrierCmoInfo;

typedef struct aclrtBarrierTaskInfo {
  size_t barrierNum;
  aclrtBarrierCmoInfo cmoInfo[ACL_RT_CMO_MAX_BARRIER_NUM];
} aclrtBarrierTaskInfo;

#endif  // ACL_TYPES_MEMORY_H_
