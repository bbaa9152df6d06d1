#include "attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

namespace {

float FloatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t BitsFromFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Round to nearest, ties to even; inputs here are finite.
uint16_t BFloat16FromFloat(float value) {
  const uint32_t bits = BitsFromFloat(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float FloatFromBFloat16(uint16_t bits) {
  return FloatFromBits(uint32_t{bits} << 16);
}

// IEEE half from a finite float of magnitude below 65504, ties to even.
uint16_t HalfFromFloat(float value) {
  const uint16_t sign =
      static_cast<uint16_t>((BitsFromFloat(value) >> 16) & 0x8000);
  const double magnitude = std::fabs(value);
  if (magnitude < 6.103515625e-05) {  // subnormal: steps of 2^-24
    return static_cast<uint16_t>(sign + std::nearbyint(magnitude * 0x1p24));
  }
  int exponent;
  const double fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
  // 11 significant bits; a carry out of the mantissa moves into the exponent.
  const auto mantissa =
      static_cast<uint16_t>(std::nearbyint(std::ldexp(fraction, 11)));
  return static_cast<uint16_t>(sign + ((exponent + 13) << 10) + mantissa);
}

float FloatFromHalf(uint16_t bits) {
  const double sign = (bits & 0x8000) ? -1 : 1;
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double magnitude = exponent == 0
                               ? std::ldexp(mantissa, -24)
                               : std::ldexp(1024 + mantissa, exponent - 25);
  return static_cast<float>(sign * magnitude);
}

std::vector<std::byte> MakeTensor(ElementType type, size_t count,
                                  double deviation, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, deviation);
  std::vector<std::byte> bytes(count * ElementBytes(type));
  for (size_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(normal(random));
    if (type == ElementType::kFloat32) {
      std::memcpy(&bytes[i * 4], &value, 4);
      continue;
    }
    const uint16_t half = type == ElementType::kFloat16
                              ? HalfFromFloat(value)
                              : BFloat16FromFloat(value);
    std::memcpy(&bytes[i * 2], &half, 2);
  }
  return bytes;
}

// One head: `q`, `k`, `v` and `o` point at its [length, head size] matrices.
void AttendOneHead(const Problem& p, const double* q, const double* k,
                   const double* v, double* o) {
  const auto length = static_cast<size_t>(p.length);
  const auto size = static_cast<size_t>(p.head_size);
  const double scale = 1.0 / std::sqrt(static_cast<double>(size));
  // Transposed, so that the inner loop runs along keys without a reduction.
  std::vector<double> k_transposed(size * length);
  for (size_t j = 0; j < length; ++j) {
    for (size_t d = 0; d < size; ++d) {
      k_transposed[d * length + j] = k[j * size + d];
    }
  }
  std::vector<double> weights(length);
  for (size_t i = 0; i < length; ++i) {
    const size_t visible = p.causal ? i + 1 : length;
    std::fill(weights.begin(), weights.end(), 0.0);
    for (size_t d = 0; d < size; ++d) {
      const double factor = q[i * size + d] * scale;
      const double* row = &k_transposed[d * length];
      for (size_t j = 0; j < visible; ++j) weights[j] += factor * row[j];
    }
    const double largest =
        *std::max_element(weights.begin(), weights.begin() + visible);
    double sum = 0;
    for (size_t j = 0; j < visible; ++j) {
      weights[j] = std::exp(weights[j] - largest);
      sum += weights[j];
    }
    double* out = &o[i * size];
    std::fill(out, out + size, 0.0);
    for (size_t j = 0; j < visible; ++j) {
      const double weight = weights[j] / sum;
      for (size_t d = 0; d < size; ++d) out[d] += weight * v[j * size + d];
    }
  }
}

}  // namespace

size_t Problem::QueryCount() const {
  return static_cast<size_t>(batch * heads * length * head_size);
}

size_t Problem::KeyCount() const {
  return static_cast<size_t>(batch * kv_heads * length * head_size);
}

size_t ElementBytes(ElementType type) {
  return type == ElementType::kFloat32 ? 4 : 2;
}

Inputs MakeInputs(const Problem& p) {
  return Inputs{
      MakeTensor(p.type, p.QueryCount(), p.query_deviation, p.seed * 3),
      MakeTensor(p.type, p.KeyCount(), 1.0, p.seed * 3 + 1),
      MakeTensor(p.type, p.KeyCount(), 1.0, p.seed * 3 + 2)};
}

std::vector<double> Widen(ElementType type,
                          const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / ElementBytes(type));
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == ElementType::kFloat32) {
      float value;
      std::memcpy(&value, &bytes[i * 4], 4);
      values[i] = value;
      continue;
    }
    uint16_t half;
    std::memcpy(&half, &bytes[i * 2], 2);
    values[i] = type == ElementType::kFloat16 ? FloatFromHalf(half)
                                              : FloatFromBFloat16(half);
  }
  return values;
}

std::vector<double> ReferenceAttention(const Problem& p, const Inputs& inputs) {
  const std::vector<double> q = Widen(p.type, inputs.q);
  const std::vector<double> k = Widen(p.type, inputs.k);
  const std::vector<double> v = Widen(p.type, inputs.v);
  std::vector<double> o(q.size());
  const auto head_elements = static_cast<size_t>(p.length * p.head_size);
  const int64_t group = p.heads / p.kv_heads;
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    for (int64_t h; (h = next.fetch_add(1)) < p.batch * p.heads;) {
      const int64_t kv = h / p.heads * p.kv_heads + h % p.heads / group;
      const size_t at = static_cast<size_t>(h) * head_elements;
      const size_t kv_at = static_cast<size_t>(kv) * head_elements;
      AttendOneHead(p, &q[at], &k[kv_at], &v[kv_at], &o[at]);
    }
  };
  std::vector<std::thread> threads(
      std::max(1u, std::thread::hardware_concurrency()));
  for (std::thread& thread : threads) thread = std::thread(work);
  for (std::thread& thread : threads) thread.join();
  return o;
}

Comparison Compare(ElementType type, const std::vector<double>& result,
                   const std::vector<double>& reference) {
  const bool single = type == ElementType::kFloat32;
  const double absolute = single ? 1e-5 : 2e-3;
  const double relative = single ? 1e-5 : 0x1p-7;
  const double l2_bound = single ? 1e-5 : 5e-3;
  Comparison c;
  c.within_bounds = result.size() == reference.size() && !reference.empty();
  double error_squares = 0;
  double squares = 0;
  for (size_t i = 0; i < std::min(result.size(), reference.size()); ++i) {
    const double error = std::fabs(result[i] - reference[i]);
    // Written so that a NaN is out of bounds.
    if (!(error <= absolute + relative * std::fabs(reference[i]))) {
      c.within_bounds = false;
    }
    c.max_error = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                    : std::max(c.max_error, error);
    error_squares += error * error;
    squares += reference[i] * reference[i];
  }
  c.relative_l2_error = std::sqrt(error_squares / squares);
  if (!(c.relative_l2_error <= l2_bound)) c.within_bounds = false;
  return c;
}
