// Types of devices: attributes, states, limits, links, utilisation.
#ifndef ACL_TYPES_DEVICE_H_
#define ACL_TYPES_DEVICE_H_

#include <stdint.h>

// Where this program runs.
typedef enum aclrtRunMode {
  ACL_DEVICE = 0,  // program runs on the device's own CPU
  ACL_HOST = 1,    // on the host CPU: always so with this library
} aclrtRunMode;

// Device state and its callbacks.
typedef enum aclrtDeviceStatus {
  ACL_RT_DEVICE_STATUS_NORMAL = 0,    // usable
  ACL_RT_DEVICE_STATUS_ABNORMAL = 1,  // faulted
  ACL_RT_DEVICE_STATUS_END = 0xFFFF,  // end marker
} aclrtDeviceStatus;

typedef enum aclrtDeviceState {
  ACL_RT_DEVICE_STATE_SET_PRE = 0,     // before SetDevice
  ACL_RT_DEVICE_STATE_SET_POST = 1,    // after SetDevice
  ACL_RT_DEVICE_STATE_RESET_PRE = 2,   // before ResetDevice
  ACL_RT_DEVICE_STATE_RESET_POST = 3,  // after ResetDevice
} aclrtDeviceState;

typedef void (*aclrtDeviceStateCallback)(int32_t deviceId,
                                         aclrtDeviceState state, void* args);

typedef enum aclrtDeviceTaskAbortStage {
  ACL_RT_DEVICE_TASK_ABORT_PRE = 0,   // before abort
  ACL_RT_DEVICE_TASK_ABORT_POST = 1,  // after abort
} aclrtDeviceTaskAbortStage;

typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t deviceId,
                                                aclrtDeviceTaskAbortStage stage,
                                                uint32_t timeout, void* args);

// Attributes of aclrtGetDeviceInfo.
typedef enum aclrtDevAttr {
  ACL_DEV_ATTR_AICPU_CORE_NUM = 1,     // AI CPU cores
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,  // AI cores
  ACL_DEV_ATTR_CUBE_CORE_NUM = 102,    // cube cores
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,  // vector cores
  ACL_DEV_ATTR_WARP_SIZE = 202,        // threads per warp (0 on A2)
  // SIMT threads per vector core (0 on A2)
  ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
  // older name of UBUF_PER_VECTOR_CORE
  ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
  // UB bytes usable by SIMT per vector core
  ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,         // SIMT grid x limit
  ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,         // SIMT grid y limit
  ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,         // SIMT grid z limit
  ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,     // SIMT blocks per grid limit
  ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,  // SIMT threads per block limit
  ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,        // SIMT block x limit
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,        // SIMT block y limit
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,        // SIMT block z limit
  ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,  // device memory bytes
  ACL_DEV_ATTR_L2_CACHE_SIZE = 302,          // L2 bytes
  ACL_DEV_ATTR_SMP_ID = 401,                 // shared-memory domain id
  ACL_DEV_ATTR_PHY_CHIP_ID = 402,            // physical chip id
  // misspelt alias of SUPER_POD_DEVICE_ID
  ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
  ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,  // device id in the super pod
  ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,  // server id in the super pod
  ACL_DEV_ATTR_SUPER_POD_ID = 405,         // super pod id
  ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,    // custom ops may run
  ACL_DEV_ATTR_MAINBOARD_ID = 407,         // main board id
  // host-device link (PCIe 0, HCCS 1, UB 2)
  ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
  ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,  // card form
  ACL_DEV_ATTR_IS_VIRTUAL = 501,          // is a virtual slice
  ACL_DEV_ATTR_NPU_ARCH = 601,  // arch number: 2201 = A2/A3, 3510 = 950
} aclrtDevAttr;

// Values of ACL_DEV_ATTR_DEVICE_FORM_FACTOR.
#define ACL_DEVICE_FORM_FACTOR_POD 0U        // pod node
#define ACL_DEVICE_FORM_FACTOR_A_K 1U        // server module K
#define ACL_DEVICE_FORM_FACTOR_A_X 2U        // server module X
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD 3U  // PCIe card

// Values of ACL_DEV_ATTR_HD_CONNECT_TYPE.
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0U  // card on PCIe
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1U  // coherent link
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB 2U    // UB link

// Features that may be absent, and the two answers.
typedef enum aclrtDevFeatureType {
  // task update works for core kernels
  ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
  // queue events work across devices
  ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21,
} aclrtDevFeatureType;

#define ACL_DEV_FEATURE_SUPPORT 1U      // feature present
#define ACL_DEV_FEATURE_NOT_SUPPORT 0U  // feature absent

// Links between devices: bits of the topology query.
#define ACL_RT_DEVS_TOPOLOGY_HCCS 0x1U      // coherent board link
#define ACL_RT_DEVS_TOPOLOGY_PIX 0x2U       // same PCIe switch
#define ACL_RT_DEVS_TOPOLOGY_PIB 0x4U       // reserved
#define ACL_RT_DEVS_TOPOLOGY_PHB 0x8U       // via PCIe host bridge
#define ACL_RT_DEVS_TOPOLOGY_SYS 0x10U      // via CPU interconnect
#define ACL_RT_DEVS_TOPOLOGY_SIO 0x20U      // in-package link
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW 0x40U  // via coherent switch

// Limits that a process sets.
typedef enum aclrtDevResLimitType {
  ACL_RT_DEV_RES_CUBE_CORE = 0,    // cube cores
  ACL_RT_DEV_RES_VECTOR_CORE = 1,  // vector cores
} aclrtDevResLimitType;

typedef enum aclrtDeviceLimit {
  ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,           // SIMT per-thread stack
  ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,  // SIMT divergence stack
  // bytes, default 32 KiB, at most 192 KiB
  ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
  // bytes, default 32 KiB, 1 KiB to 64 MiB
  ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
  ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4,  // SIMT printf buffer
} aclrtDeviceLimit;

typedef enum aclrtFloatOverflowMode {
  ACL_RT_OVERFLOW_MODE_SATURATION = 0,  // clamp and set flag
  ACL_RT_OVERFLOW_MODE_INFNAN = 1,  // IEEE INF/NaN (default on A2 and later)
  ACL_RT_OVERFLOW_MODE_UNDEF = 2,   // invalid
} aclrtFloatOverflowMode;

// Utilisation, in percent; -1 where the chip has no such unit.
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

typedef struct aclrtUtilizationInfo {
  int32_t cubeUtilization;
  int32_t vectorUtilization;
  int32_t aicpuUtilization;
  int32_t memoryUtilization;
  aclrtUtilizationExtendInfo* utilizationExtend;
} aclrtUtilizationInfo;

// Identity of a device.
typedef struct aclrtUuid {
  char bytes[16];
} aclrtUuid;

// Resource groups and schedulers of older chips.
typedef enum aclrtTsId {
  ACL_TS_ID_AICORE = 0,    // AI core scheduler
  ACL_TS_ID_AIVECTOR = 1,  // vector scheduler (old chips)
  ACL_TS_ID_RESERVED = 2,  // end marker
} aclrtTsId;

typedef enum aclrtGroupAttr {
  ACL_GROUP_AICORE_INT = 0,   // AI cores in the group
  ACL_GROUP_AIV_INT = 1,      // vector cores in the group
  ACL_GROUP_AIC_INT = 2,      // AI CPU threads in the group
  ACL_GROUP_SDMANUM_INT = 3,  // DMA channels in the group
  ACL_GROUP_ASQNUM_INT = 4,   // streams schedulable at once
  ACL_GROUP_GROUPID_INT = 5,  // group id
} aclrtGroupAttr;

typedef struct tagRtGroupInfo aclrtGroupInfo;

#endif  // ACL_TYPES_DEVICE_H_
