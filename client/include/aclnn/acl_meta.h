// Arguments of operators (aclnn): tensors, scalars, arrays, lists, executors.
//
// An object is a description in host memory; the tensor's data stay where they
// are and belong to the caller. Calls that make one return null when they fail,
// the others a status of the operator libraries. Rules for all of them:
// - a null pointer where something is required: 161001;
// - an object that was destroyed, one that is none, or a value that is
//   illegal: 161002.
// The reason is in aclGetRecentErrMsg, the status in aclrtGetLastError.
// An object may be used by several threads, but must not be destroyed by one
// while another still means to use it.
#ifndef ACLNN_ACL_META_H_
#define ACLNN_ACL_META_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// Handles.
typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;

// 0, or a code of the operator libraries, which have codes of their own.
typedef int32_t aclnnStatus;

// ---- Tensors ---------------------------------------------------------------

// A strided view of a storage: dimensions and strides count elements, and so
// does `offset`, the place of the first element. No `stride` (null): rows lie
// side by side. `tensorData` is the device address of the storage, or null.
// At most 25 dimensions, none negative; 0 dimensions are a scalar. The arrays
// are copied.
ACL_FUNC_VISIBILITY aclTensor* aclCreateTensor(
    const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
    const int64_t* stride, int64_t offset, aclFormat format,
    const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData);

// Describes `tensor` anew.
ACL_FUNC_VISIBILITY aclnnStatus
aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
              aclDataType dataType, const int64_t* stride, int64_t offset,
              aclFormat format, const int64_t* storageDims,
              uint64_t storageDimsNum, void* tensorDataAddr);

// Destroys the description, not the data. 161002: the tensor is in a list.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor* tensor);

// Copies of dimensions and strides, which the caller frees by free().
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor* tensor,
                                                int64_t** viewDims,
                                                uint64_t* viewDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(const aclTensor* tensor,
                                                   int64_t** storageDims,
                                                   uint64_t* storageDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(const aclTensor* tensor,
                                                  int64_t** stridesValue,
                                                  uint64_t* stridesNum);

ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor* tensor,
                                                 int64_t* offset);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor* tensor,
                                             aclFormat* format);
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor* tensor,
                                               aclDataType* dataType);

// The address of the storage; setting it may be to null.
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor* tensor,
                                                    void* addr);
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor,
                                                    void** addr);

// ---- Scalars and arrays ----------------------------------------------------
// Values are copied. An array may be empty, and then `value` null.

// One element of `dataType`, which must be a type of whole bytes and fixed
// size, at `value`.
ACL_FUNC_VISIBILITY aclScalar* aclCreateScalar(void* value,
                                               aclDataType dataType);
ACL_FUNC_VISIBILITY aclIntArray* aclCreateIntArray(const int64_t* value,
                                                   uint64_t size);
ACL_FUNC_VISIBILITY aclFloatArray* aclCreateFloatArray(const float* value,
                                                       uint64_t size);
ACL_FUNC_VISIBILITY aclBoolArray* aclCreateBoolArray(const bool* value,
                                                     uint64_t size);

// 161002: the scalar is in a list.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar* scalar);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray* array);
ACL_FUNC_VISIBILITY aclnnStatus
aclDestroyFloatArray(const aclFloatArray* array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray* array);

ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray* array,
                                                   uint64_t* size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFloatArraySize(const aclFloatArray* array,
                                                     uint64_t* size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray* array,
                                                    uint64_t* size);

// ---- Lists -----------------------------------------------------------------
// A list owns its tensors or scalars: they may be looked at, and end with the
// list. 161002: one of them is in a list already.

ACL_FUNC_VISIBILITY aclTensorList* aclCreateTensorList(
    const aclTensor* const* value, uint64_t size);
ACL_FUNC_VISIBILITY aclScalarList* aclCreateScalarList(
    const aclScalar* const* value, uint64_t size);
ACL_FUNC_VISIBILITY aclnnStatus
aclDestroyTensorList(const aclTensorList* array);
ACL_FUNC_VISIBILITY aclnnStatus
aclDestroyScalarList(const aclScalarList* array);
ACL_FUNC_VISIBILITY aclnnStatus
aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size);
ACL_FUNC_VISIBILITY aclnnStatus
aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size);

// ---- Executors: not supported yet ------------------------------------------
// These link, do nothing and answer 561000.

ACL_FUNC_VISIBILITY aclnnStatus
aclSetAclOpExecutorRepeatable(aclOpExecutor* executor);
ACL_FUNC_VISIBILITY aclnnStatus
aclDestroyAclOpExecutor(aclOpExecutor* executor);
ACL_FUNC_VISIBILITY aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor,
                                                      const size_t index,
                                                      aclTensor* tensor,
                                                      void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor,
                                                       const size_t index,
                                                       aclTensor* tensor,
                                                       void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicInputTensorAddr(
    aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
    aclTensorList* tensors, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicOutputTensorAddr(
    aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
    aclTensorList* tensors, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetTensorAddr(aclOpExecutor* executor,
                                                 const size_t index,
                                                 aclTensor* tensor, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicTensorAddr(
    aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
    aclTensorList* tensors, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor,
                                                      const size_t index,
                                                      aclTensor* tensor,
                                                      void* addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor,
                                                       const size_t index,
                                                       aclTensor* tensor,
                                                       void* addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(
    aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
    aclTensorList* tensors, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicOutputTensorAddr(
    aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
    aclTensorList* tensors, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(aclOpExecutor* executor,
                                                 const size_t index,
                                                 aclTensor* tensor, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(
    aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
    aclTensorList* tensors, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus aclDumpOpTensors(
    const char* opType, const char* opName, aclTensor** tensors,
    size_t inputTensorNum, size_t outputTensorNum, aclrtStream stream);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACLNN_ACL_META_H_
