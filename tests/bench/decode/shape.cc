#include "tests/bench/decode/shape.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::decode {
namespace {

constexpr int64_t kDimensionMax = 1'000'000;

// As field hbm_bytes of a profile (proto/ascend/rtd/v1/soc.proto).
constexpr double kDeviceBytesMax = 1024.0 * 1024 * 1024 * 1024;

struct Field {
  const char* key;
  int64_t Shape::*value;
};

constexpr Field kFields[] = {
    {"layers", &Shape::layers},         {"hidden", &Shape::hidden},
    {"heads", &Shape::heads},           {"kv_heads", &Shape::kv_heads},
    {"head_size", &Shape::head_size},   {"feed_forward", &Shape::feed_forward},
    {"vocabulary", &Shape::vocabulary}, {"ranks", &Shape::ranks},
    {"context", &Shape::context},       {"rows", &Shape::rows},
    {"host_us", &Shape::host_us},
};

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return core::MakeError(core::Reason::kInvalidArgument,
                         absl::StrCat(parts...));
}

absl::Status RefuseNumber(absl::string_view key, absl::string_view value) {
  return Refuse("'", key, "' is ", value,
                ", which is no whole number from 1 to ", kDimensionMax);
}

absl::Status SetField(const std::string& key, const nlohmann::json& value,
                      Shape* shape) {
  if (key == "name") {
    if (!value.is_string()) {
      return Refuse("'name' is ", value.dump(), ", which is no text");
    }
    shape->name = value.get<std::string>();
    return absl::OkStatus();
  }
  for (const Field& field : kFields) {
    if (key != field.key) continue;
    if (!value.is_number_integer() || value < 1 || value > kDimensionMax) {
      return RefuseNumber(key, value.dump());
    }
    shape->*field.value = value.get<int64_t>();
    return absl::OkStatus();
  }
  return Refuse("'", key, "' is no field of a shape");
}

absl::Status CheckDivides(const char* what, int64_t value, int64_t ranks) {
  if (value % ranks == 0) return absl::OkStatus();
  return Refuse("'", what, "' is ", value, ", which ", ranks,
                " ranks cannot share evenly");
}

// Where there are fewer of them than ranks, some ranks have the same one.
absl::Status CheckKvHeads(const Shape& shape) {
  if (shape.heads % shape.kv_heads != 0) {
    return Refuse("'kv_heads' is ", shape.kv_heads, ", which 'heads', ",
                  shape.heads, ", is no multiple of");
  }
  if (shape.kv_heads < shape.ranks && shape.ranks % shape.kv_heads == 0) {
    return absl::OkStatus();
  }
  return CheckDivides("kv_heads", shape.kv_heads, shape.ranks);
}

// What a rank must find room for, and the fields that make it large.
struct Part {
  const char* what;
  double bytes;
  std::vector<absl::string_view> keys;
};

// In floating point: what is too large must not overflow here.
std::vector<Part> PartsOf(const Shape& s) {
  const double hidden(s.hidden);
  const double qkv(s.QkvColumns());
  const double attention(s.AttentionColumns());
  const double feed_forward(s.FeedForwardColumns());
  const double vocabulary(s.VocabularyColumns());
  const double layers(s.layers);
  const double cached = 2.0 * double(s.RankKvHeads()) * double(s.head_size);
  return {{"the weights of a rank take ",
           kElementBytes * hidden *
               (layers * (qkv + attention + 3 * feed_forward) + vocabulary),
           {"layers", "hidden", "heads", "kv_heads", "head_size",
            "feed_forward", "vocabulary", "ranks"}},
          {"its cache takes ",
           kElementBytes * layers * cached * double(s.context),
           {"layers", "kv_heads", "head_size", "ranks", "context"}},
          {"the tokens of a step take ",
           kElementBytes * double(s.rows) *
               (2 * hidden + qkv + attention + 3 * feed_forward + vocabulary),
           {"hidden", "heads", "kv_heads", "head_size", "feed_forward",
            "vocabulary", "ranks", "rows"}}};
}

std::string ValuesOf(const Shape& shape,
                     const std::vector<absl::string_view>& keys) {
  std::vector<std::string> values;
  for (const Field& field : kFields) {
    if (std::find(keys.begin(), keys.end(), field.key) == keys.end()) continue;
    values.push_back(absl::StrCat("'", field.key, "' is ", shape.*field.value));
  }
  return absl::StrJoin(values, ", ");
}

absl::Status CheckFits(const Shape& shape) {
  const std::vector<Part> parts = PartsOf(shape);
  double total = 0;
  for (const Part& part : parts) total += part.bytes;
  if (total <= kDeviceBytesMax) return absl::OkStatus();
  const Part& most = *std::max_element(
      parts.begin(), parts.end(),
      [](const Part& a, const Part& b) { return a.bytes < b.bytes; });
  return Refuse(most.what, absl::StrFormat("%.0f", most.bytes), " bytes (",
                ValuesOf(shape, most.keys),
                "), but no device has more than 1 TiB");
}

absl::StatusOr<Shape> ReadShape(const std::string& path) {
  std::ifstream file(path);
  file.peek();  // a directory can be opened, but not read
  if (!file.is_open() || file.bad()) {
    return Refuse("it cannot be read: ", std::strerror(errno));
  }
  std::string last_key;
  const nlohmann::json in = nlohmann::json::parse(
      file,
      [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        if (event == nlohmann::json::parse_event_t::key) {
          last_key = parsed.get<std::string>();
        }
        return true;
      },
      /*allow_exceptions=*/false);
  if (in.is_discarded()) {
    return Refuse("it is cut short or no JSON",
                  last_key.empty() ? "" : ", at or behind '", last_key,
                  last_key.empty() ? "" : "'");
  }
  if (!in.is_object()) return Refuse("it holds no JSON object");
  Shape shape;
  for (const auto& [key, value] : in.items()) {
    ASCEND_RETURN_IF_ERROR(SetField(key, value, &shape));
  }
  ASCEND_RETURN_IF_ERROR(CheckShape(shape));
  return shape;
}

}  // namespace

int64_t Shape::WeightBytes() const {
  const int64_t layer =
      hidden * (QkvColumns() + AttentionColumns() + 3 * FeedForwardColumns());
  return kElementBytes * (layers * layer + hidden * VocabularyColumns());
}

int64_t Shape::CacheBytes() const {
  return kElementBytes * layers * 2 * context * RankKvHeads() * head_size;
}

absl::Status CheckShape(const Shape& shape) {
  for (const Field& field : kFields) {
    const int64_t value = shape.*field.value;
    if (value < 1 || value > kDimensionMax) {
      return RefuseNumber(field.key, absl::StrCat(value));
    }
  }
  ASCEND_RETURN_IF_ERROR(CheckDivides("heads", shape.heads, shape.ranks));
  ASCEND_RETURN_IF_ERROR(
      CheckDivides("feed_forward", shape.feed_forward, shape.ranks));
  ASCEND_RETURN_IF_ERROR(
      CheckDivides("vocabulary", shape.vocabulary, shape.ranks));
  ASCEND_RETURN_IF_ERROR(CheckKvHeads(shape));
  return CheckFits(shape);
}

absl::StatusOr<Shape> LoadShape(const std::string& path) {
  absl::StatusOr<Shape> shape = ReadShape(path);
  if (shape.ok()) return shape;
  return Refuse("shape file ", path, ": ", shape.status().message());
}

}  // namespace ascend::decode
