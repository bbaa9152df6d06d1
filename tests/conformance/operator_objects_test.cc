// Arguments of operators (aclnn/acl_meta.h): descriptions without a device.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "aclnn/acl_meta.h"
#include "tests/conformance/acl_test.h"

namespace ascend::conformance {
namespace {

using OperatorObjectsTest = AclTest;

using Dims = std::vector<int64_t>;

aclTensor* Tensor(const Dims& view, const Dims& storage,
                  aclDataType type = ACL_FLOAT, void* data = nullptr) {
  return aclCreateTensor(view.data(), view.size(), type, nullptr, 0,
                         ACL_FORMAT_ND, storage.data(), storage.size(), data);
}

// What one of the getters of arrays says, and frees.
Dims Read(aclnnStatus (*get)(const aclTensor*, int64_t**, uint64_t*),
          const aclTensor* tensor) {
  int64_t* values = nullptr;
  uint64_t count = 0;
  EXPECT_ACL_OK(get(tensor, &values, &count));
  if (values == nullptr) return {};
  const Dims copy(values, values + count);
  std::free(values);
  return copy;
}

template <typename Object>
void ExpectRefused(aclnnStatus code, Object* object) {
  EXPECT_EQ(object, nullptr);
  EXPECT_ACL_ERROR(code, aclrtPeekAtLastError(kThread));
}

TEST_F(OperatorObjectsTest, ATensorIsWhatItWasMadeOf) {
  const Dims view = {2, 3};
  const Dims strides = {1, 2};
  const Dims storage = {3, 4};
  char data[1];
  aclTensor* const tensor =
      aclCreateTensor(view.data(), 2, ACL_BF16, strides.data(), 5,
                      ACL_FORMAT_NCHW, storage.data(), 2, data);
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(Read(aclGetViewShape, tensor), view);
  EXPECT_EQ(Read(aclGetStorageShape, tensor), storage);
  EXPECT_EQ(Read(aclGetViewStrides, tensor), strides);
  int64_t offset = 0;
  aclFormat format = ACL_FORMAT_ND;
  aclDataType type = ACL_FLOAT;
  void* address = nullptr;
  EXPECT_ACL_OK(aclGetViewOffset(tensor, &offset));
  EXPECT_ACL_OK(aclGetFormat(tensor, &format));
  EXPECT_ACL_OK(aclGetDataType(tensor, &type));
  EXPECT_ACL_OK(aclGetRawTensorAddr(tensor, &address));
  EXPECT_EQ(offset, 5);
  EXPECT_EQ(format, ACL_FORMAT_NCHW);
  EXPECT_EQ(type, ACL_BF16);
  EXPECT_EQ(address, data);
  EXPECT_ACL_OK(aclSetRawTensorAddr(tensor, nullptr));
  EXPECT_ACL_OK(aclGetRawTensorAddr(tensor, &address));
  EXPECT_EQ(address, nullptr);
  EXPECT_ACL_OK(aclDestroyTensor(tensor));
}

TEST_F(OperatorObjectsTest, WithoutStridesRowsLieSideBySide) {
  aclTensor* const tensor = Tensor({2, 3, 4}, {24});
  EXPECT_EQ(Read(aclGetViewStrides, tensor), (Dims{12, 4, 1}));
  EXPECT_ACL_OK(aclDestroyTensor(tensor));
  aclTensor* const scalar = Tensor({}, {});
  ASSERT_NE(scalar, nullptr);
  EXPECT_EQ(Read(aclGetViewShape, scalar), Dims());
  EXPECT_ACL_OK(aclDestroyTensor(scalar));
}

TEST_F(OperatorObjectsTest, ATensorCanBeDescribedAnew) {
  aclTensor* const tensor = Tensor({2}, {2});
  const Dims view = {4, 5};
  EXPECT_ACL_OK(aclInitTensor(tensor, view.data(), 2, ACL_INT8, nullptr, 1,
                              ACL_FORMAT_ND, view.data(), 2, nullptr));
  EXPECT_EQ(Read(aclGetViewShape, tensor), view);
  EXPECT_EQ(Read(aclGetViewStrides, tensor), (Dims{5, 1}));
  // A refusal leaves it as it was.
  const Dims bad = {4, -5};
  EXPECT_ACL_ERROR(161002,
                   aclInitTensor(tensor, bad.data(), 2, ACL_INT8, nullptr, 0,
                                 ACL_FORMAT_ND, view.data(), 2, nullptr));
  EXPECT_EQ(Read(aclGetViewShape, tensor), view);
  int64_t offset = 0;
  EXPECT_ACL_OK(aclGetViewOffset(tensor, &offset));
  EXPECT_EQ(offset, 1);
  EXPECT_ACL_ERROR(161001,
                   aclInitTensor(nullptr, view.data(), 2, ACL_INT8, nullptr, 0,
                                 ACL_FORMAT_ND, view.data(), 2, nullptr));
  EXPECT_ACL_OK(aclDestroyTensor(tensor));
}

TEST_F(OperatorObjectsTest, IllegalTensorsAreRefused) {
  const Dims dims = {2, 3};
  const auto create = [](const int64_t* view, uint64_t view_count,
                         const int64_t* storage, uint64_t storage_count,
                         int type, int64_t offset) {
    return aclCreateTensor(view, view_count, static_cast<aclDataType>(type),
                           nullptr, offset, ACL_FORMAT_ND, storage,
                           storage_count, nullptr);
  };
  const int64_t* const d = dims.data();
  const Dims negative = {-1, 3};
  ExpectRefused(161001, create(nullptr, 2, d, 2, ACL_FLOAT, 0));
  ExpectRefused(161001, create(d, 2, nullptr, 2, ACL_FLOAT, 0));
  ExpectRefused(161002, create(negative.data(), 2, d, 2, ACL_FLOAT, 0));
  ExpectRefused(161002, create(d, 2, negative.data(), 2, ACL_FLOAT, 0));
  ExpectRefused(161002, create(d, 26, d, 2, ACL_FLOAT, 0));
  ExpectRefused(161002, create(d, 2, d, UINT64_MAX, ACL_FLOAT, 0));
  ExpectRefused(161002, create(d, 2, d, 2, 55, 0));
  ExpectRefused(161002, create(d, 2, d, 2, ACL_FLOAT, -1));
}

TEST_F(OperatorObjectsTest, WhatIsNoTensorIsRefused) {
  aclTensor* const gone = Tensor({1}, {1});
  EXPECT_ACL_OK(aclDestroyTensor(gone));
  int64_t* values = nullptr;
  uint64_t count = 7;
  int64_t offset = 7;
  aclFormat format = ACL_FORMAT_NHWC;
  aclDataType type = ACL_INT8;
  void* address = Garbage();
  const auto refused = [&](aclnnStatus code, aclTensor* tensor) {
    EXPECT_ACL_ERROR(code, aclDestroyTensor(tensor));
    EXPECT_ACL_ERROR(code, aclGetViewShape(tensor, &values, &count));
    EXPECT_ACL_ERROR(code, aclGetStorageShape(tensor, &values, &count));
    EXPECT_ACL_ERROR(code, aclGetViewStrides(tensor, &values, &count));
    EXPECT_ACL_ERROR(code, aclGetViewOffset(tensor, &offset));
    EXPECT_ACL_ERROR(code, aclGetFormat(tensor, &format));
    EXPECT_ACL_ERROR(code, aclGetDataType(tensor, &type));
    EXPECT_ACL_ERROR(code, aclSetRawTensorAddr(tensor, nullptr));
    EXPECT_ACL_ERROR(code, aclGetRawTensorAddr(tensor, &address));
    EXPECT_ACL_ERROR(code,
                     aclInitTensor(tensor, nullptr, 0, ACL_INT8, nullptr, 0,
                                   ACL_FORMAT_ND, nullptr, 0, nullptr));
  };
  refused(161001, nullptr);
  refused(161002, gone);
  refused(161002, static_cast<aclTensor*>(Garbage()));
  EXPECT_EQ(values, nullptr);
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(offset, 7);
  EXPECT_EQ(format, ACL_FORMAT_NHWC);
  EXPECT_EQ(type, ACL_INT8);
  EXPECT_EQ(address, Garbage());

  aclTensor* const tensor = Tensor({1}, {1});
  EXPECT_ACL_ERROR(161001, aclGetViewShape(tensor, nullptr, &count));
  EXPECT_ACL_ERROR(161001, aclGetStorageShape(tensor, &values, nullptr));
  EXPECT_ACL_ERROR(161001, aclGetViewStrides(tensor, nullptr, nullptr));
  EXPECT_ACL_ERROR(161001, aclGetViewOffset(tensor, nullptr));
  EXPECT_ACL_ERROR(161001, aclGetFormat(tensor, nullptr));
  EXPECT_ACL_ERROR(161001, aclGetDataType(tensor, nullptr));
  EXPECT_ACL_ERROR(161001, aclGetRawTensorAddr(tensor, nullptr));
  EXPECT_ACL_OK(aclDestroyTensor(tensor));
}

TEST_F(OperatorObjectsTest, ScalarsHaveTypesOfFixedSize) {
  float value = 1.5f;
  aclScalar* const scalar = aclCreateScalar(&value, ACL_FLOAT);
  ASSERT_NE(scalar, nullptr);
  EXPECT_ACL_OK(aclDestroyScalar(scalar));
  EXPECT_ACL_ERROR(161002, aclDestroyScalar(scalar));
  EXPECT_ACL_ERROR(161001, aclDestroyScalar(nullptr));
  ExpectRefused(161001, aclCreateScalar(nullptr, ACL_FLOAT));
  ExpectRefused(161002, aclCreateScalar(&value, ACL_STRING));
  ExpectRefused(161002, aclCreateScalar(&value, ACL_DT_UNDEFINED));
  ExpectRefused(161002, aclCreateScalar(&value, static_cast<aclDataType>(5)));
}

// The three kinds of arrays are alike.
template <typename Array, typename Value>
void TestArrays(Array* (*create)(const Value*, uint64_t),
                aclnnStatus (*size_of)(const Array*, uint64_t*),
                aclnnStatus (*destroy)(const Array*)) {
  const Value values[3] = {Value(1), Value(0), Value(2)};
  uint64_t size = 0;
  Array* const array = create(values, 3);
  ASSERT_NE(array, nullptr);
  EXPECT_ACL_OK(size_of(array, &size));
  EXPECT_EQ(size, 3u);
  EXPECT_ACL_ERROR(161001, size_of(array, nullptr));
  EXPECT_ACL_OK(destroy(array));
  EXPECT_ACL_ERROR(161002, destroy(array));
  EXPECT_ACL_ERROR(161002, size_of(array, &size));
  EXPECT_ACL_ERROR(161001, destroy(nullptr));
  EXPECT_ACL_ERROR(161001, size_of(nullptr, &size));
  EXPECT_EQ(size, 3u);
  Array* const empty = create(nullptr, 0);
  ASSERT_NE(empty, nullptr);
  EXPECT_ACL_OK(size_of(empty, &size));
  EXPECT_EQ(size, 0u);
  EXPECT_ACL_OK(destroy(empty));
  ExpectRefused(161001, create(nullptr, 1));
  ExpectRefused(161002, create(values, UINT64_MAX));
}

TEST_F(OperatorObjectsTest, ArraysOfIntegers) {
  TestArrays(aclCreateIntArray, aclGetIntArraySize, aclDestroyIntArray);
}

TEST_F(OperatorObjectsTest, ArraysOfFloats) {
  TestArrays(aclCreateFloatArray, aclGetFloatArraySize, aclDestroyFloatArray);
}

TEST_F(OperatorObjectsTest, ArraysOfBooleans) {
  TestArrays(aclCreateBoolArray, aclGetBoolArraySize, aclDestroyBoolArray);
}

// Both kinds of lists own what is in them.
template <typename List, typename Member>
void TestLists(Member* const (&members)[2],
               List* (*create)(const Member* const*, uint64_t),
               aclnnStatus (*size_of)(const List*, uint64_t*),
               aclnnStatus (*destroy)(const List*),
               aclnnStatus (*destroy_member)(const Member*)) {
  const Member* const twice[] = {members[0], members[0]};
  ExpectRefused(161002, create(twice, 2));
  const Member* const with_null[] = {members[0], nullptr};
  ExpectRefused(161001, create(with_null, 2));
  const Member* const with_garbage[] = {members[0],
                                        static_cast<Member*>(Garbage())};
  ExpectRefused(161002, create(with_garbage, 2));
  ExpectRefused(161001, create(nullptr, 1));
  ExpectRefused(161002, create(members, UINT64_MAX));

  // The refusals left the members free.
  List* const list = create(members, 2);
  ASSERT_NE(list, nullptr);
  uint64_t size = 0;
  EXPECT_ACL_OK(size_of(list, &size));
  EXPECT_EQ(size, 2u);
  EXPECT_ACL_ERROR(161001, size_of(list, nullptr));
  ExpectRefused(161002, create(members, 1));
  EXPECT_ACL_ERROR(161002, destroy_member(members[0]));
  EXPECT_ACL_OK(destroy(list));
  EXPECT_ACL_ERROR(161002, destroy_member(members[1]));
  EXPECT_ACL_ERROR(161002, destroy(list));
  EXPECT_ACL_ERROR(161001, destroy(nullptr));
  EXPECT_ACL_ERROR(161002, size_of(list, &size));
  EXPECT_ACL_ERROR(161001, size_of(nullptr, &size));
}

TEST_F(OperatorObjectsTest, ListsOfTensorsOwnThem) {
  aclTensor* const tensors[] = {Tensor({1}, {1}), Tensor({2}, {2})};
  TestLists(tensors, aclCreateTensorList, aclGetTensorListSize,
            aclDestroyTensorList, aclDestroyTensor);
}

TEST_F(OperatorObjectsTest, ListsOfScalarsOwnThem) {
  int64_t value = 3;
  aclScalar* const scalars[] = {aclCreateScalar(&value, ACL_INT64),
                                aclCreateScalar(&value, ACL_INT32)};
  TestLists(scalars, aclCreateScalarList, aclGetScalarListSize,
            aclDestroyScalarList, aclDestroyScalar);
}

// The members of a list can still be looked at.
TEST_F(OperatorObjectsTest, TensorsInAListAnswer) {
  aclTensor* const tensor = Tensor({3}, {3});
  aclTensorList* const list = aclCreateTensorList(&tensor, 1);
  EXPECT_EQ(Read(aclGetViewShape, tensor), Dims{3});
  EXPECT_ACL_OK(aclDestroyTensorList(list));
}

}  // namespace
}  // namespace ascend::conformance
