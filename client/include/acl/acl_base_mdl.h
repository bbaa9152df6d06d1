// Base types of tensors. Calls on them belong to the operator libraries, which
// this release does not have.
#ifndef ACL_ACL_BASE_MDL_H_
#define ACL_ACL_BASE_MDL_H_

#include <stdint.h>

typedef struct aclTensorDesc aclTensorDesc;

// Ranges of a dimension and of a value are pairs.
#define ACL_TENSOR_SHAPE_RANGE_NUM 2  // lower and upper bound
#define ACL_TENSOR_VALUE_RANGE_NUM 2  // lower and upper bound

// Rank of a tensor whose rank is not known; compares with a uint64_t.
#define ACL_UNKNOWN_RANK 0xFFFFFFFFFFFFFFFEULL  // marks unknown rank

#endif  // ACL_ACL_BASE_MDL_H_
