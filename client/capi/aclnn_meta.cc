// Arguments of operators: tensors, scalars, arrays, lists.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "client/capi/edge.h"
#include "client/capi/object_registry.h"
#include "client/capi/operator_objects.h"
#include "client/capi/operator_status.h"

using ascend::client::kOperatorInvalid;
using ascend::client::kOperatorNull;
using ascend::client::kOperatorOk;
using ascend::client::ObjectRegistry;
using ascend::client::ReportCode;

namespace {

constexpr uint64_t kDimensionsMax = 25;
// More is a size that was never meant.
constexpr uint64_t kElementsMax = uint64_t{1} << 27;

// A status and why, remembered by Tell.
struct Outcome {
  aclnnStatus status = kOperatorOk;
  std::string sentence;
  bool ok() const { return status == kOperatorOk; }
};

Outcome Invalid(std::string sentence) {
  return {kOperatorInvalid, std::move(sentence)};
}

Outcome RequireAll(
    std::initializer_list<ascend::client::NamedPointer> pointers) {
  for (const auto& entry : pointers) {
    if (entry.pointer != nullptr) continue;
    return {kOperatorNull, absl::StrCat("parameter ", entry.name, " is null")};
  }
  return {};
}

aclnnStatus Tell(const char* function, const Outcome& outcome) {
  if (outcome.ok()) return kOperatorOk;
  return ReportCode(function, outcome.status, outcome.sentence);
}

Outcome NotAlive(const char* what) {
  return Invalid(absl::StrCat("the ", what, " was destroyed or is none"));
}

// Hands `object` out if there was no failure.
template <typename Object>
Object* TellAndAdd(const char* function, const Outcome& outcome,
                   Object object) {
  if (Tell(function, outcome) != kOperatorOk) return nullptr;
  return ObjectRegistry<Object>::Get().Add(
      std::make_unique<Object>(std::move(object)));
}

template <typename Object>
aclnnStatus Destroy(const char* function, const char* what,
                    const Object* object) {
  using Registry = ObjectRegistry<Object>;
  Outcome outcome = RequireAll({{object, what}});
  if (outcome.ok()) {
    switch (Registry::Get().Remove(object)) {
      case Registry::Removal::kDone:
        break;
      case Registry::Removal::kUnknown:
        outcome = NotAlive(what);
        break;
      case Registry::Removal::kPinned:
        outcome = Invalid(
            absl::StrCat("the ", what, " is in a list, with which it ends"));
        break;
    }
  }
  return Tell(function, outcome);
}

// Calls `read(object)`, where `result` is required.
template <typename Object, typename Body>
aclnnStatus Read(const char* function, const char* what, const Object* object,
                 std::initializer_list<ascend::client::NamedPointer> results,
                 Body read) {
  Outcome outcome = RequireAll({{object, what}});
  if (outcome.ok()) outcome = RequireAll(results);
  if (outcome.ok() && !ObjectRegistry<Object>::Get().Visit(object, read)) {
    outcome = NotAlive(what);
  }
  return Tell(function, outcome);
}

bool IsDataType(aclDataType type) {
  return type == ACL_DT_UNDEFINED || type == ACL_STRING ||
         aclDataTypeSize(type) > 0;
}

Outcome CheckDimensions(const char* name, const int64_t* dimensions,
                        uint64_t count) {
  if (count > kDimensionsMax) {
    return Invalid(absl::StrCat(name, "Num is ", count,
                                ", but a tensor has at most ", kDimensionsMax,
                                " dimensions"));
  }
  if (count == 0) return {};
  Outcome outcome = RequireAll({{dimensions, name}});
  for (uint64_t i = 0; outcome.ok() && i < count; ++i) {
    if (dimensions[i] >= 0) continue;
    outcome = Invalid(absl::StrCat("dimension ", i, " of ", name, " is ",
                                   dimensions[i], ", which is negative"));
  }
  return outcome;
}

// Strides of rows that lie side by side. They wrap where no memory could hold
// the tensor anyway.
std::vector<int64_t> DenseStrides(const std::vector<int64_t>& dimensions) {
  std::vector<int64_t> strides(dimensions.size());
  uint64_t stride = 1;
  for (size_t i = dimensions.size(); i > 0; --i) {
    strides[i - 1] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(dimensions[i - 1]);
  }
  return strides;
}

struct TensorParameters {
  const int64_t* view_dims;
  uint64_t view_dims_count;
  aclDataType type;
  const int64_t* strides;
  int64_t offset;
  aclFormat format;
  const int64_t* storage_dims;
  uint64_t storage_dims_count;
  void* data;
};

Outcome Describe(const TensorParameters& p, aclTensor* tensor) {
  Outcome outcome = CheckDimensions("viewDims", p.view_dims, p.view_dims_count);
  if (outcome.ok()) {
    outcome =
        CheckDimensions("storageDims", p.storage_dims, p.storage_dims_count);
  }
  if (outcome.ok() && !IsDataType(p.type)) {
    outcome = Invalid(absl::StrCat("dataType is ", static_cast<int>(p.type),
                                   ", which is no type"));
  }
  if (outcome.ok() && p.offset < 0) {
    outcome =
        Invalid(absl::StrCat("offset is ", p.offset, ", which is negative"));
  }
  if (!outcome.ok()) return outcome;
  const auto copy = [](const int64_t* values, uint64_t count) {
    return count == 0 ? std::vector<int64_t>()
                      : std::vector<int64_t>(values, values + count);
  };
  tensor->view_dims = copy(p.view_dims, p.view_dims_count);
  tensor->strides = p.strides == nullptr ? DenseStrides(tensor->view_dims)
                                         : copy(p.strides, p.view_dims_count);
  tensor->storage_dims = copy(p.storage_dims, p.storage_dims_count);
  tensor->offset = p.offset;
  tensor->type = p.type;
  tensor->format = p.format;
  tensor->data = p.data;
  return {};
}

Outcome CheckElements(const void* value, uint64_t size) {
  if (size == 0) return {};
  if (size > kElementsMax) {
    return Invalid(absl::StrCat("size is ", size, ", more than the ",
                                kElementsMax, " that an array holds"));
  }
  return RequireAll({{value, "value"}});
}

template <typename Array, typename Value>
Array* CreateArray(const char* function, const Value* value, uint64_t size) {
  const Outcome outcome = CheckElements(value, size);
  Array array;
  if (outcome.ok() && size > 0) array.values.assign(value, value + size);
  return TellAndAdd(function, outcome, std::move(array));
}

template <typename List, typename Member>
List* CreateList(const char* function, const Member* const* value,
                 uint64_t size) {
  Outcome outcome = CheckElements(value, size);
  List list;
  for (uint64_t i = 0; outcome.ok() && i < size; ++i) {
    outcome = RequireAll({{value[i], "value[i]"}});
    list.members.push_back(value[i]);
  }
  if (outcome.ok() && !ObjectRegistry<Member>::Get().Pin(list.members)) {
    outcome = Invalid(
        "value holds a pointer to no live object, to one that is in a list "
        "already, or twice the same");
  }
  return TellAndAdd(function, outcome, std::move(list));
}

template <typename Member, typename List>
aclnnStatus DestroyList(const char* function, const List* list) {
  std::vector<const Member*> members;
  const aclnnStatus status =
      Read(function, "array", list, {},
           [&members](List& live) { members.swap(live.members); });
  if (status != kOperatorOk) return status;
  ObjectRegistry<Member>::Get().RemovePinned(members);
  return Destroy(function, "array", list);
}

// A copy that the caller frees.
int64_t* CopyOf(const std::vector<int64_t>& values) {
  auto* const copy = static_cast<int64_t*>(
      std::malloc(std::max<size_t>(values.size(), 1) * sizeof(int64_t)));
  std::copy(values.begin(), values.end(), copy);
  return copy;
}

aclnnStatus ReadDimensions(const char* function, const aclTensor* tensor,
                           std::vector<int64_t> aclTensor::*field,
                           ascend::client::NamedPointer values_parameter,
                           int64_t** values, uint64_t* count) {
  return Read(function, "tensor", tensor,
              {values_parameter, {count, "number of values"}},
              [&](const aclTensor& live) {
                *values = CopyOf(live.*field);
                *count = (live.*field).size();
              });
}

template <typename Array>
aclnnStatus ReadSize(const char* function, const char* what, const Array* array,
                     uint64_t* size) {
  return Read(function, what, array, {{size, "size"}}, [size](const Array& a) {
    if constexpr (requires { a.values; }) {
      *size = a.values.size();
    } else {
      *size = a.members.size();
    }
  });
}

}  // namespace

// ---- Tensors ---------------------------------------------------------------

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum,
                           aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData) {
  aclTensor tensor;
  const Outcome outcome =
      Describe({viewDims, viewDimsNum, dataType, stride, offset, format,
                storageDims, storageDimsNum, tensorData},
               &tensor);
  return TellAndAdd(__func__, outcome, std::move(tensor));
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims,
                          uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t* stride, int64_t offset,
                          aclFormat format, const int64_t* storageDims,
                          uint64_t storageDimsNum, void* tensorDataAddr) {
  Outcome outcome;
  const aclnnStatus status =
      Read(__func__, "tensor", tensor, {}, [&](aclTensor& live) {
        outcome =
            Describe({viewDims, viewDimsNum, dataType, stride, offset, format,
                      storageDims, storageDimsNum, tensorDataAddr},
                     &live);
      });
  return status != kOperatorOk ? status : Tell(__func__, outcome);
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return Destroy(__func__, "tensor", tensor);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims,
                            uint64_t* viewDimsNum) {
  return ReadDimensions(__func__, tensor, &aclTensor::view_dims,
                        {viewDims, "viewDims"}, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
  return ReadDimensions(__func__, tensor, &aclTensor::storage_dims,
                        {storageDims, "storageDims"}, storageDims,
                        storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
  return ReadDimensions(__func__, tensor, &aclTensor::strides,
                        {stridesValue, "stridesValue"}, stridesValue,
                        stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return Read(__func__, "tensor", tensor, {{offset, "offset"}},
              [offset](const aclTensor& t) { *offset = t.offset; });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return Read(__func__, "tensor", tensor, {{format, "format"}},
              [format](const aclTensor& t) { *format = t.format; });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return Read(__func__, "tensor", tensor, {{dataType, "dataType"}},
              [dataType](const aclTensor& t) { *dataType = t.type; });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return Read(__func__, "tensor", tensor, {},
              [addr](aclTensor& t) { t.data = addr; });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return Read(__func__, "tensor", tensor, {{addr, "addr"}},
              [addr](const aclTensor& t) { *addr = t.data; });
}

// ---- Scalars and arrays ----------------------------------------------------

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  aclScalar scalar;
  scalar.type = dataType;
  const size_t bytes = aclDataTypeSize(dataType);
  Outcome outcome = RequireAll({{value, "value"}});
  if (outcome.ok() && bytes == 0) {
    outcome = Invalid(absl::StrCat("dataType is ", static_cast<int>(dataType),
                                   ", which no scalar can have"));
  }
  if (outcome.ok()) std::memcpy(scalar.value.data(), value, bytes);
  return TellAndAdd(__func__, outcome, std::move(scalar));
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return CreateArray<aclIntArray>(__func__, value, size);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return CreateArray<aclFloatArray>(__func__, value, size);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return CreateArray<aclBoolArray>(__func__, value, size);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return Destroy(__func__, "scalar", scalar);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return Destroy(__func__, "array", array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return Destroy(__func__, "array", array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return Destroy(__func__, "array", array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return ReadSize(__func__, "array", array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return ReadSize(__func__, "array", array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return ReadSize(__func__, "array", array, size);
}

// ---- Lists -----------------------------------------------------------------

aclTensorList* aclCreateTensorList(const aclTensor* const* value,
                                   uint64_t size) {
  return CreateList<aclTensorList>(__func__, value, size);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value,
                                   uint64_t size) {
  return CreateList<aclScalarList>(__func__, value, size);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return DestroyList<aclTensor>(__func__, array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return DestroyList<aclScalar>(__func__, array);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList,
                                 uint64_t* size) {
  return ReadSize(__func__, "tensorList", tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList,
                                 uint64_t* size) {
  return ReadSize(__func__, "scalarList", scalarList, size);
}
