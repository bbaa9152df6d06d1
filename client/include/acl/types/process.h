// Types of process-wide matters: versions, init and finalize callbacks,
// snapshots.
#ifndef ACL_TYPES_PROCESS_H_
#define ACL_TYPES_PROCESS_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

// Version of the interface that these headers declare.
#define ACL_MAJOR_VERSION 1   // API version, first number
#define ACL_MINOR_VERSION 17  // API version, second number
#define ACL_PATCH_VERSION 0   // API version, third number

// Who registers a callback that runs at init or finalize.
typedef enum aclRegisterCallbackType {
  ACL_REG_TYPE_ACL_MODEL = 0,
  ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
  ACL_REG_TYPE_ACL_OP_CBLAS = 2,
  ACL_REG_TYPE_ACL_OP_COMPILER = 3,
  ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
  ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
  ACL_REG_TYPE_ACL_DVPP = 6,
  ACL_REG_TYPE_ACL_RETR = 7,
  ACL_REG_TYPE_OTHER = 0xFFFF,
} aclRegisterCallbackType;

typedef aclError (*aclInitCallbackFunc)(const char* configBuffer, size_t length,
                                        void* userData);
typedef aclError (*aclFinalizeCallbackFunc)(void* userData);

// Records of the installed packages.
#define ACL_PKG_VERSION_MAX_SIZE 128       // version text buffer length
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64  // version part buffer length

typedef enum aclCANNPackageName {
  ACL_PKG_NAME_CANN = 0,
  ACL_PKG_NAME_RUNTIME = 1,
  ACL_PKG_NAME_COMPILER = 2,
  ACL_PKG_NAME_HCCL = 3,
  ACL_PKG_NAME_TOOLKIT = 4,
  ACL_PKG_NAME_OPP = 5,
  ACL_PKG_NAME_OPP_KERNEL = 6,
  ACL_PKG_NAME_DRIVER = 7,
} aclCANNPackageName;

typedef struct aclCANNPackageVersion {
  char version[ACL_PKG_VERSION_MAX_SIZE];
  char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char reserved[128];
} aclCANNPackageVersion;

// Freezing and thawing of a process.
typedef enum aclrtProcessState {
  ACL_RT_PROCESS_STATE_RUNNING = 0,  // not locked
  ACL_RT_PROCESS_STATE_LOCKED = 1,   // locked for snapshot
} aclrtProcessState;

typedef enum aclrtSnapShotStage {
  ACL_RT_SNAPSHOT_LOCK_PRE = 0,      // before lock
  ACL_RT_SNAPSHOT_BACKUP_PRE = 1,    // before backup
  ACL_RT_SNAPSHOT_BACKUP_POST = 2,   // after backup
  ACL_RT_SNAPSHOT_RESTORE_PRE = 3,   // before restore
  ACL_RT_SNAPSHOT_RESTORE_POST = 4,  // after restore
  ACL_RT_SNAPSHOT_UNLOCK_POST = 5,   // after unlock
} aclrtSnapShotStage;

typedef struct aclrtSnapShotBackupArgs {
  uint32_t backupFlags;
  char reserved[60];
} aclrtSnapShotBackupArgs;

typedef struct aclrtSnapShotRestoreArgs {
  uint32_t restoreFlags;
  char reserved[60];
} aclrtSnapShotRestoreArgs;

typedef uint32_t (*aclrtSnapShotCallBack)(int32_t deviceId, void* args);

#endif  // ACL_TYPES_PROCESS_H_
