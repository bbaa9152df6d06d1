// ArgumentList and ArgumentLists: arguments of a kernel, built up one by one.
//
// A list is a block of bytes: one slot for each argument, aligned to 8 bytes,
// then the data of place holders, whose slots get the device address of their
// data when the kernel is launched. It is launched after Finalize, and may be
// changed, finalized and launched again.
//
// The interface has no call that ends a list, and programs make one for each
// launch. So a function keeps its latest kPerFunctionMax lists, and older ones
// become stale; all end with the function. A program may name a list by memory
// of its own; that memory is only a name here, and is never touched.
//
// Threading: thread-compatible; guarded by the runtime's order mutex.
// Ownership: ArgumentLists owns the lists.
#ifndef ASCEND_CLIENT_RUNTIME_ARGUMENT_LISTS_H_
#define ASCEND_CLIENT_RUNTIME_ARGUMENT_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ascend::client {

// Where in a block the device address of which byte of it goes.
struct PlaceHolder {
  uint32_t address_offset = 0;
  uint32_t data_offset = 0;
};

class ArgumentList {
 public:
  static constexpr size_t kArgumentsMax = 128;
  static constexpr size_t kSlotBytes = 8;

  // All slots and data together have at most `bytes_max`. `serial`, from 1 on,
  // is of no other list.
  ArgumentList(uint64_t serial, void* function, size_t bytes_max)
      : serial_(serial), function_(function), bytes_max_(bytes_max) {}

  void* function() const { return function_; }
  bool is_finalized() const { return is_finalized_; }

  // The results name an argument of this list. All errors: kInvalidArgument,
  // also when the list is finalized; kStaleHandle for the name of an argument
  // of another list.
  absl::StatusOr<void*> Append(const void* value, size_t bytes);
  absl::StatusOr<void*> AppendPlaceHolder();
  // Memory for the data of a place holder, once; valid as long as the list.
  absl::StatusOr<void*> DataOf(void* argument, size_t bytes);
  // Rewrites an appended argument, also of a finalized list, which then must be
  // finalized again.
  absl::Status Update(void* argument, const void* value, size_t bytes);
  // Every place holder has its data.
  absl::Status Finalize();

  // Of a finalized list.
  std::string Block() const;
  std::vector<PlaceHolder> PlaceHolders() const;

 private:
  struct Argument {
    std::string value;  // whole slots; of a place holder, its data
    bool is_place_holder = false;
    bool has_data = false;
  };

  absl::Status CheckOpen() const;
  absl::Status CheckRoom(size_t bytes) const;
  absl::StatusOr<void*> Add(Argument argument);
  absl::StatusOr<Argument*> Find(void* name);
  void* NameOf(size_t index) const;
  size_t SlotsBytes() const;

  const uint64_t serial_;
  void* const function_;
  const size_t bytes_max_;
  std::deque<Argument> arguments_;  // their addresses stay
  size_t used_bytes_ = 0;
  bool is_finalized_ = false;
};

class ArgumentLists {
 public:
  static constexpr size_t kPerFunctionMax = 1024;

  // A new list of `function`, named by a handle that was never given out.
  void* Create(void* function, size_t bytes_max);
  // The same, named `handle`; a list of that name is replaced.
  void CreateAt(void* handle, void* function, size_t bytes_max);

  // The live list of that name, or null.
  ArgumentList* Find(void* handle) const;

  // The function is gone, or all are.
  void Forget(void* function);
  void Clear();

 private:
  void Remove(void* handle);

  std::map<void*, std::unique_ptr<ArgumentList>> lists_;  // by handle
  std::map<void*, std::deque<void*>> by_function_;        // the oldest first
  uint64_t next_serial_ = 1;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_ARGUMENT_LISTS_H_
