#include "client/runtime/argument_lists.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

constexpr size_t RoundUp(size_t bytes) {
  constexpr size_t kMask = ArgumentList::kSlotBytes - 1;
  return (bytes + kMask) & ~kMask;
}

// Names of lists are numbers that no other handle and no pointer has.
constexpr uint64_t kNameKind = 15;
constexpr int kNameKindBits = 4;

}  // namespace

absl::Status ArgumentList::CheckOpen() const {
  if (!is_finalized_) return absl::OkStatus();
  return MakeError(Reason::kInvalidArgument,
                   "the argument list is finalized: nothing can be added");
}

absl::Status ArgumentList::CheckRoom(size_t bytes) const {
  // `bytes` may be huge: no sums.
  if (bytes > 0 && bytes <= bytes_max_ &&
      RoundUp(bytes) <= bytes_max_ - used_bytes_) {
    return absl::OkStatus();
  }
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("an argument of ", bytes,
                                " bytes: it must have at least 1, "
                                "and the list has room for ",
                                bytes_max_ - used_bytes_, " of ", bytes_max_));
}

absl::StatusOr<void*> ArgumentList::Add(Argument argument) {
  if (arguments_.size() == kArgumentsMax) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("the argument list has ", kArgumentsMax,
                                  " arguments already, the most there can be"));
  }
  used_bytes_ += argument.is_place_holder ? kSlotBytes : argument.value.size();
  arguments_.push_back(std::move(argument));
  return NameOf(arguments_.size() - 1);
}

absl::StatusOr<void*> ArgumentList::Append(const void* value, size_t bytes) {
  ASCEND_RETURN_IF_ERROR(CheckOpen());
  ASCEND_RETURN_IF_ERROR(CheckRoom(bytes));
  Argument argument;
  argument.value.assign(static_cast<const char*>(value), bytes);
  argument.value.resize(RoundUp(bytes));
  return Add(std::move(argument));
}

absl::StatusOr<void*> ArgumentList::AppendPlaceHolder() {
  ASCEND_RETURN_IF_ERROR(CheckOpen());
  ASCEND_RETURN_IF_ERROR(CheckRoom(kSlotBytes));
  Argument argument;
  argument.is_place_holder = true;
  return Add(std::move(argument));
}

void* ArgumentList::NameOf(size_t index) const {
  return reinterpret_cast<void*>(
      static_cast<uintptr_t>(serial_ * kArgumentsMax + index));
}

absl::StatusOr<ArgumentList::Argument*> ArgumentList::Find(void* name) {
  const uint64_t first = serial_ * kArgumentsMax;
  const uint64_t number = reinterpret_cast<uintptr_t>(name);
  if (number >= first && number - first < arguments_.size()) {
    return &arguments_[number - first];
  }
  return MakeError(Reason::kStaleHandle,
                   "paramHandle names no argument of this list");
}

absl::StatusOr<void*> ArgumentList::DataOf(void* name, size_t bytes) {
  ASCEND_RETURN_IF_ERROR(CheckOpen());
  ASCEND_ASSIGN_OR_RETURN(Argument* const argument, Find(name));
  if (!argument->is_place_holder || argument->has_data) {
    return MakeError(Reason::kInvalidArgument,
                     argument->is_place_holder
                         ? "the place holder has its data already"
                         : "the argument is a value, not a place holder");
  }
  ASCEND_RETURN_IF_ERROR(CheckRoom(bytes));
  argument->value.resize(RoundUp(bytes));
  argument->has_data = true;
  used_bytes_ += argument->value.size();
  return argument->value.data();
}

absl::Status ArgumentList::Update(void* name, const void* value, size_t bytes) {
  ASCEND_ASSIGN_OR_RETURN(Argument* const argument, Find(name));
  if (argument->is_place_holder) {
    return MakeError(Reason::kInvalidArgument,
                     "the argument is a place holder, whose data are rewritten "
                     "in its buffer");
  }
  if (bytes == 0 || bytes > argument->value.size()) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("paramSize is ", bytes,
                                  ", but the argument "
                                  "has a slot of ",
                                  argument->value.size(), " bytes"));
  }
  std::memcpy(argument->value.data(), value, bytes);
  is_finalized_ = false;
  return absl::OkStatus();
}

absl::Status ArgumentList::Finalize() {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!arguments_[i].is_place_holder || arguments_[i].has_data) continue;
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("argument ", i,
                                  " is a place holder without "
                                  "data: call "
                                  "aclrtKernelArgsGetPlaceHolderBuffer"));
  }
  is_finalized_ = true;
  return absl::OkStatus();
}

size_t ArgumentList::SlotsBytes() const {
  size_t bytes = 0;
  for (const Argument& argument : arguments_) {
    bytes += argument.is_place_holder ? kSlotBytes : argument.value.size();
  }
  return bytes;
}

std::string ArgumentList::Block() const {
  std::string slots;
  std::string data;
  for (const Argument& argument : arguments_) {
    if (argument.is_place_holder) {
      slots.append(kSlotBytes, '\0');
      data += argument.value;
    } else {
      slots += argument.value;
    }
  }
  return slots + data;
}

std::vector<PlaceHolder> ArgumentList::PlaceHolders() const {
  std::vector<PlaceHolder> holders;
  size_t slot = 0;
  size_t data = SlotsBytes();
  for (const Argument& argument : arguments_) {
    if (argument.is_place_holder) {
      holders.push_back(
          {static_cast<uint32_t>(slot), static_cast<uint32_t>(data)});
      slot += kSlotBytes;
      data += argument.value.size();
    } else {
      slot += argument.value.size();
    }
  }
  return holders;
}

void* ArgumentLists::Create(void* function, size_t bytes_max) {
  const uint64_t name = (next_serial_ << kNameKindBits) | kNameKind;
  auto* const handle = reinterpret_cast<void*>(static_cast<uintptr_t>(name));
  CreateAt(handle, function, bytes_max);
  return handle;
}

void ArgumentLists::CreateAt(void* handle, void* function, size_t bytes_max) {
  Remove(handle);
  std::deque<void*>& handles = by_function_[function];
  if (handles.size() == kPerFunctionMax) {
    lists_.erase(handles.front());
    handles.pop_front();
  }
  handles.push_back(handle);
  lists_[handle] =
      std::make_unique<ArgumentList>(next_serial_++, function, bytes_max);
}

ArgumentList* ArgumentLists::Find(void* handle) const {
  const auto found = lists_.find(handle);
  return found == lists_.end() ? nullptr : found->second.get();
}

void ArgumentLists::Remove(void* handle) {
  const auto found = lists_.find(handle);
  if (found == lists_.end()) return;
  std::deque<void*>& handles = by_function_[found->second->function()];
  handles.erase(std::find(handles.begin(), handles.end(), handle));
  lists_.erase(found);
}

void ArgumentLists::Forget(void* function) {
  const auto found = by_function_.find(function);
  if (found == by_function_.end()) return;
  for (void* const handle : found->second) lists_.erase(handle);
  by_function_.erase(found);
}

void ArgumentLists::Clear() {
  lists_.clear();
  by_function_.clear();
}

}  // namespace ascend::client
