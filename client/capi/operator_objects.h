// The arguments of operators that stand behind the pointers of
// aclnn/acl_meta.h: plain descriptions in this process.
//
// Threading: guarded by the ObjectRegistry of their type. Ownership: values
// only; a tensor borrows its storage, a list pins its members.
#ifndef ASCEND_CLIENT_CAPI_OPERATOR_OBJECTS_H_
#define ASCEND_CLIENT_CAPI_OPERATOR_OBJECTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"

struct aclTensor {
  std::vector<int64_t> view_dims;
  std::vector<int64_t> strides;  // as many as view_dims
  std::vector<int64_t> storage_dims;
  int64_t offset = 0;
  aclDataType type = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  void* data = nullptr;
};

struct aclScalar {
  aclDataType type = ACL_DT_UNDEFINED;
  std::array<std::byte, 16> value{};  // the first aclDataTypeSize(type) count
};

struct aclIntArray {
  std::vector<int64_t> values;
};

struct aclFloatArray {
  std::vector<float> values;
};

struct aclBoolArray {
  std::vector<bool> values;
};

struct aclTensorList {
  std::vector<const aclTensor*> members;
};

struct aclScalarList {
  std::vector<const aclScalar*> members;
};

#endif  // ASCEND_CLIENT_CAPI_OPERATOR_OBJECTS_H_
