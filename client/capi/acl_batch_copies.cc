// Several copies in one call.
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::CheckRoom;
using ascend::client::ClientRuntime;
using ascend::client::CopyRequest;
using ascend::client::NumberOf;
using ascend::client::Report;
using ascend::client::StatedKind;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

constexpr size_t kNoCopy = SIZE_MAX;

// As the caller gives it.
struct Batch {
  void* const* targets;
  const size_t* rooms;
  void* const* sources;
  const size_t* sizes;
  size_t count;
  const aclrtMemcpyBatchAttr* attributes;
  const size_t* first_uses;
  size_t attribute_count;
};

// Where one end of a copy is; no value: on the host.
using Place = absl::optional<uint32_t>;

struct Places {
  Place target;
  Place source;
};

absl::StatusOr<Place> PlaceOf(const aclrtMemLocation& location,
                              const char* field, size_t attribute) {
  switch (NumberOf(location.type)) {
    case ACL_MEM_LOCATION_TYPE_HOST:
      return Place();
    case ACL_MEM_LOCATION_TYPE_DEVICE:
      return Place(location.id);
    default:
      return MakeError(
          Reason::kInvalidArgument,
          absl::StrCat("attrs[", attribute, "].", field, " is of type ",
                       NumberOf(location.type),
                       ", but copies are between host and devices"));
  }
}

absl::Status CheckShape(const Batch& batch) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{batch.targets, "dsts"},
                                       {batch.rooms, "destMaxs"},
                                       {batch.sources, "srcs"},
                                       {batch.sizes, "sizes"},
                                       {batch.attributes, "attrs"},
                                       {batch.first_uses, "attrsIndexes"}}));
  if (batch.count == 0 || batch.attribute_count == 0) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("numBatches is ", batch.count, " and numAttrs is ",
                     batch.attribute_count, ", but both are at least 1"));
  }
  if (batch.attribute_count > batch.count) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("numAttrs is ", batch.attribute_count,
                     ", which is more than numBatches, ", batch.count));
  }
  for (size_t i = 0; i < batch.attribute_count; ++i) {
    const size_t first = batch.first_uses[i];
    const bool follows = i == 0 ? first == 0 : first > batch.first_uses[i - 1];
    if (follows && first < batch.count) continue;
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("attrsIndexes[", i, "] is ", first,
                     ", but the numbers start at 0, ascend, and are less than "
                     "numBatches, ",
                     batch.count));
  }
  return absl::OkStatus();
}

// One element for each attribute.
absl::StatusOr<std::vector<Places>> FindPlaces(const Batch& batch) {
  std::vector<Places> places(batch.attribute_count);
  for (size_t i = 0; i < places.size(); ++i) {
    const aclrtMemcpyBatchAttr& attribute = batch.attributes[i];
    ASCEND_ASSIGN_OR_RETURN(places[i].target,
                            PlaceOf(attribute.dstLoc, "dstLoc", i));
    ASCEND_ASSIGN_OR_RETURN(places[i].source,
                            PlaceOf(attribute.srcLoc, "srcLoc", i));
    if (places[i].target.has_value() == places[0].target.has_value() &&
        places[i].source.has_value() == places[0].source.has_value()) {
      continue;
    }
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("attrs[", i,
                                  "] has another direction than attrs[0], but "
                                  "a batch has one"));
  }
  return places;
}

StatedKind KindOf(const Places& places) {
  if (places.source.has_value()) {
    return places.target.has_value() ? StatedKind::kDeviceToDevice
                                     : StatedKind::kDeviceToHost;
  }
  return places.target.has_value() ? StatedKind::kHostToDevice
                                   : StatedKind::kHostToHost;
}

absl::Status CheckCopy(const Batch& batch, size_t i, const Places& places) {
  const void* const target = batch.targets[i];
  const void* const source = batch.sources[i];
  const size_t size = batch.sizes[i];
  ASCEND_RETURN_IF_ERROR(
      CheckNotNull({{target, "dsts[i]"}, {source, "srcs[i]"}}));
  ASCEND_RETURN_IF_ERROR(
      CheckRoom("sizes[i]", size, "destMaxs[i]", batch.rooms[i]));
  if (size == 0) return absl::OkStatus();
  ClientRuntime& runtime = ClientRuntime::Get();
  ASCEND_RETURN_IF_ERROR(
      runtime.CheckPlace(target, size, places.target, "target"));
  return runtime.CheckPlace(source, size, places.source, "source");
}

// `fail_index` names the copy that cannot be made, if it is one.
absl::Status Run(
    const Batch& batch, size_t* fail_index,
    absl::FunctionRef<absl::Status(const CopyRequest&, StatedKind)> copy) {
  *fail_index = kNoCopy;
  ASCEND_RETURN_IF_ERROR(CheckShape(batch));
  ASCEND_ASSIGN_OR_RETURN(const std::vector<Places> places, FindPlaces(batch));
  size_t attribute = 0;
  for (size_t i = 0; i < batch.count; ++i) {
    if (attribute + 1 < batch.attribute_count &&
        batch.first_uses[attribute + 1] == i) {
      ++attribute;
    }
    const absl::Status checked = CheckCopy(batch, i, places[attribute]);
    if (checked.ok()) continue;
    *fail_index = i;
    return ascend::core::Annotate(checked, absl::StrCat("copy ", i));
  }
  for (size_t i = 0; i < batch.count; ++i) {
    if (batch.sizes[i] == 0) continue;
    const absl::Status copied =
        copy({batch.targets[i], batch.sources[i], batch.sizes[i]},
             KindOf(places[0]));
    if (copied.ok()) continue;
    *fail_index = i;
    return ascend::core::Annotate(copied, absl::StrCat("copy ", i));
  }
  return absl::OkStatus();
}

absl::Status RunNow(const Batch& batch, size_t* fail_index) {
  return Run(batch, fail_index, [](const CopyRequest& request, StatedKind) {
    return ClientRuntime::Get().Copy(request);
  });
}

absl::Status RunInStream(const Batch& batch, size_t* fail_index,
                         aclrtStream stream) {
  return Run(batch, fail_index,
             [stream](const CopyRequest& request, StatedKind kind) {
               return ClientRuntime::Get().CopyAsync(request, kind, stream);
             });
}

}  // namespace

aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs,
                          size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                          size_t numAttrs, size_t* failIndex) {
  const absl::Status status = CheckNotNull({{failIndex, "failIndex"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, RunNow({dsts, destMaxs, srcs, sizes, numBatches,
                                  attrs, attrsIndexes, numAttrs},
                                 failIndex));
}

aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs,
                            size_t* sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                            size_t numAttrs) {
  size_t fail_index = kNoCopy;
  return Report(__func__, RunNow({dsts, destMaxs, srcs, sizes, numBatches,
                                  attrs, attrsIndexes, numAttrs},
                                 &fail_index));
}

aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs,
                               size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs,
                               size_t* attrsIndexes, size_t numAttrs,
                               size_t* failIndex, aclrtStream stream) {
  const absl::Status status = CheckNotNull({{failIndex, "failIndex"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, RunInStream({dsts, destMaxs, srcs, sizes, numBatches,
                                       attrs, attrsIndexes, numAttrs},
                                      failIndex, stream));
}

aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs,
                                 size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr* attrs,
                                 size_t* attrsIndexes, size_t numAttrs,
                                 aclrtStream stream) {
  size_t fail_index = kNoCopy;
  return Report(__func__, RunInStream({dsts, destMaxs, srcs, sizes, numBatches,
                                       attrs, attrsIndexes, numAttrs},
                                      &fail_index, stream));
}
