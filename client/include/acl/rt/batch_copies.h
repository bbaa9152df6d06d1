// Calls of acl/acl_rt.h that make several copies. acl/acl_rt.h includes this
// header.
//
// Copy i moves sizes[i] bytes from srcs[i] to dsts[i], which has room for
// destMaxs[i]. attrs says where the ends are, HOST or DEVICE with its number:
// attrs[k] of copies attrsIndexes[k] up to the next index. The indexes start at
// 0 and ascend. All copies have the same direction; no order holds between
// them. A size of 0 does nothing.
//
// All copies are checked before the first is made. 100000: a null array or
// address; 107000: numBatches or numAttrs is 0, wrong indexes, two directions,
// sizes[i] > destMaxs[i], or a range that is not where its attribute says;
// 107001: no such device. `*failIndex` gets the number of the copy that failed,
// or SIZE_MAX if the failure is of no copy, or there is none.
#ifndef ACL_RT_BATCH_COPIES_H_
#define ACL_RT_BATCH_COPIES_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes the copies as aclrtMemcpy does, and waits for them.
ACL_FUNC_VISIBILITY aclError
aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                 size_t numBatches, aclrtMemcpyBatchAttr* attrs,
                 size_t* attrsIndexes, size_t numAttrs, size_t* failIndex);

// The same without failIndex.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs,
                                                void** srcs, size_t* sizes,
                                                size_t numBatches,
                                                aclrtMemcpyBatchAttr* attrs,
                                                size_t* attrsIndexes,
                                                size_t numAttrs);

// Makes the copies as tasks of a stream, as aclrtMemcpyAsync does: those with
// host memory that is not page-locked make the call wait. Null: default stream.
// 207000: host to host.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(
    void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
    size_t numBatches, aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
    size_t numAttrs, size_t* failIndex, aclrtStream stream);

// The same without failIndex.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(
    void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
    size_t numBatches, aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
    size_t numAttrs, aclrtStream stream);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_BATCH_COPIES_H_
