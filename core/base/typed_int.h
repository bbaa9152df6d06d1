// TypedInt: integers that cannot be mixed up.
//
// SessionId and Ticket are both 64 bits wide, and swapping them compiles when
// both are plain integers. A TypedInt has its own type per tag, compares and
// hashes like its value, and converts only when asked to.
//
// Threading: value type. Ownership: none.
#ifndef ASCEND_CORE_BASE_TYPED_INT_H_
#define ASCEND_CORE_BASE_TYPED_INT_H_

#include <compare>
#include <cstdint>
#include <utility>

namespace ascend::core {

template <typename Tag, typename Value>
class TypedInt {
 public:
  using ValueType = Value;

  constexpr TypedInt() = default;
  constexpr explicit TypedInt(Value value) : value_(value) {}

  constexpr Value value() const { return value_; }

  friend constexpr auto operator<=>(TypedInt, TypedInt) = default;

  template <typename H>
  friend H AbslHashValue(H h, TypedInt id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  Value value_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_BASE_TYPED_INT_H_
