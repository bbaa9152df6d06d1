// Tensors for tests: elements of a type as they lie in memory, and their values
// as floats.
//
// Threading: none. Ownership: owns its elements.
#ifndef ASCEND_TESTS_TESTING_TENSOR_H_
#define ASCEND_TESTS_TESTING_TENSOR_H_

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "acl/ascend_rtd_ops.h"
#include "tests/testing/float_formats.h"

namespace ascend::testing {

class Tensor {
 public:
  // Rounds `values` to the type ASCRT_DT_*.
  Tensor(int32_t data_type, const std::vector<float>& values)
      : data_type_(data_type), count_(values.size()) {
    bytes_.resize(count_ * ElementBytes());
    for (size_t i = 0; i < count_; ++i) Store(i, values[i]);
  }

  // Independent samples of N(0, deviation^2).
  static Tensor Normal(int32_t data_type, int64_t count, uint32_t seed,
                       float deviation = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, deviation);
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = normal(random);
    return Tensor(data_type, values);
  }

  // Elements that show when a kernel leaves them unwritten.
  static Tensor Unwritten(int32_t data_type, int64_t count) {
    return Tensor(data_type,
                  std::vector<float>(static_cast<size_t>(count), -12345.0f));
  }

  int32_t data_type() const { return data_type_; }
  void* data() { return bytes_.data(); }
  const std::vector<unsigned char>& bytes() const { return bytes_; }

  // The values after rounding.
  std::vector<float> Values() const {
    std::vector<float> values(count_);
    for (size_t i = 0; i < count_; ++i) values[i] = Load(i);
    return values;
  }

 private:
  size_t ElementBytes() const { return data_type_ == ASCRT_DT_FLOAT ? 4 : 2; }

  void Store(size_t index, float value) {
    if (data_type_ == ASCRT_DT_FLOAT) {
      std::memcpy(&bytes_[index * 4], &value, 4);
      return;
    }
    const uint16_t bits = data_type_ == ASCRT_DT_FLOAT16 ? FloatToHalf(value)
                                                         : FloatToBf16(value);
    std::memcpy(&bytes_[index * 2], &bits, 2);
  }

  float Load(size_t index) const {
    if (data_type_ == ASCRT_DT_FLOAT) {
      float value;
      std::memcpy(&value, &bytes_[index * 4], 4);
      return value;
    }
    uint16_t bits;
    std::memcpy(&bits, &bytes_[index * 2], 2);
    return data_type_ == ASCRT_DT_FLOAT16 ? HalfToFloat(bits)
                                          : Bf16ToFloat(bits);
  }

  int32_t data_type_;
  size_t count_;
  std::vector<unsigned char> bytes_;
};

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_TENSOR_H_
