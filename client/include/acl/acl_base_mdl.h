// Descriptions of tensors, for models and single operators.
#ifndef ACL_ACL_BASE_MDL_H_
#define ACL_ACL_BASE_MDL_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclTensorDesc aclTensorDesc;

// Ranges of a dimension and of a value are pairs.
#define ACL_TENSOR_SHAPE_RANGE_NUM 2  // lower and upper bound
#define ACL_TENSOR_VALUE_RANGE_NUM 2  // lower and upper bound

// Rank of a tensor whose rank is not known; compares with a uint64_t.
#define ACL_UNKNOWN_RANK 0xFFFFFFFFFFFFFFFEULL  // marks unknown rank

// ---- Not supported yet -----------------------------------------------------
// These link, do nothing and answer 200001; those that return no aclError
// return null, 0, or the value that stands for none.

ACL_FUNC_VISIBILITY aclTensorDesc* aclCreateTensorDesc(aclDataType dataType,
                                                       int numDims,
                                                       const int64_t* dims,
                                                       aclFormat format);
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY aclError aclSetTensorShapeRange(aclTensorDesc* desc,
                                                    size_t dimsCount,
                                                    int64_t (*dimsRange)[2]);
ACL_FUNC_VISIBILITY aclError aclSetTensorValueRange(aclTensorDesc* desc,
                                                    size_t valueCount,
                                                    int64_t (*valueRange)[2]);
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY size_t aclGetTensorDescSize(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY size_t
aclGetTensorDescElementCount(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY int64_t aclGetTensorDescDim(const aclTensorDesc* desc,
                                                size_t index);
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc* desc,
                                                   size_t index,
                                                   int64_t* dimSize);
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimRange(const aclTensorDesc* desc,
                                                      size_t index,
                                                      size_t dimRangeNum,
                                                      int64_t* dimRange);
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc* desc,
                                              const char* name);
ACL_FUNC_VISIBILITY const char* aclGetTensorDescName(aclTensorDesc* desc);
ACL_FUNC_VISIBILITY aclError aclTransTensorDescFormat(
    const aclTensorDesc* srcDesc, aclFormat dstFormat, aclTensorDesc** dstDesc);
ACL_FUNC_VISIBILITY aclError aclSetTensorStorageFormat(aclTensorDesc* desc,
                                                       aclFormat format);
ACL_FUNC_VISIBILITY aclError aclSetTensorStorageShape(aclTensorDesc* desc,
                                                      int numDims,
                                                      const int64_t* dims);
ACL_FUNC_VISIBILITY aclError aclSetTensorFormat(aclTensorDesc* desc,
                                                aclFormat format);
ACL_FUNC_VISIBILITY aclError aclSetTensorShape(aclTensorDesc* desc, int numDims,
                                               const int64_t* dims);
ACL_FUNC_VISIBILITY aclError aclSetTensorOriginFormat(aclTensorDesc* desc,
                                                      aclFormat format);
ACL_FUNC_VISIBILITY aclError aclSetTensorOriginShape(aclTensorDesc* desc,
                                                     int numDims,
                                                     const int64_t* dims);
ACL_FUNC_VISIBILITY aclTensorDesc* aclGetTensorDescByIndex(aclTensorDesc* desc,
                                                           size_t index);
ACL_FUNC_VISIBILITY void* aclGetTensorDescAddress(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY aclError
aclSetTensorDynamicInput(aclTensorDesc* desc, const char* dynamicInputName);
ACL_FUNC_VISIBILITY aclError aclSetTensorConst(aclTensorDesc* desc,
                                               void* dataBuffer, size_t length);
ACL_FUNC_VISIBILITY aclError aclSetTensorPlaceMent(aclTensorDesc* desc,
                                                   aclMemType memType);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_ACL_BASE_MDL_H_
