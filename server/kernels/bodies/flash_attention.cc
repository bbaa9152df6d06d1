// flash_attention: exact attention without ever holding a whole score matrix.
//
// The query heads that share a key/value head stand below each other in one
// matrix of rows. A chunk is kRowTile of those rows; it walks over the keys in
// tiles, and for each tile computes the scores, folds them into the running
// softmax and adds weights * v to its output. Scores and weights stay in the
// second-level cache. Tiles that no row of the chunk sees are not visited.
#include "server/kernels/bodies/flash_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "acl/ascend_rtd_ops.h"
#include "core/base/status_macros.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/data_type.h"
#include "server/kernels/bodies/bodies.h"
#include "server/kernels/half_types.h"
#include "server/kernels/score_refinement.h"
#include "server/kernels/scratch.h"
#include "server/kernels/softmax_tile.h"
#include "server/kernels/weight_residuals.h"

namespace ascend::server {
namespace {

// 256 x 256 scores are 256 KiB: half of a second-level cache of 512 KiB, and
// large enough that oneDNN's packing of operands is amortised.
constexpr int64_t kRowTile = 256;
constexpr int64_t kKeyTile = 256;
constexpr double kLog2E = 1.4426950408889634;

// The argument block with its defaults filled in.
struct Shape {
  explicit Shape(const ascrtFlashAttentionArgs& args)
      : kv_heads(args.kv_heads == 0 ? args.heads : args.kv_heads),
        groups(args.batch * kv_heads),
        q_length(args.q_length),
        rows(args.heads / kv_heads * args.q_length),
        keys(args.kv_length == 0 ? args.q_length : args.kv_length),
        head_size(args.head_size),
        causal(args.causal != 0),
        data_type(args.data_type) {
    const double scale = args.scale != 0
                             ? double{args.scale}
                             : 1 / std::sqrt(static_cast<double>(head_size));
    factor = static_cast<float>(scale * kLog2E);
  }

  // How many keys row `row` of a group sees.
  int64_t Visible(int64_t row) const {
    if (!causal) return keys;
    return std::clamp<int64_t>(row % q_length + 1 + keys - q_length, 0, keys);
  }

  int64_t kv_heads;
  int64_t groups;  // independent pairs of K and V
  int64_t q_length;
  int64_t rows;  // of the queries of one group
  int64_t keys;
  int64_t head_size;
  bool causal;
  int32_t data_type;
  float factor;  // from a product q k^T to powers of two
};

// How tiles of one type of operand are loaded, multiplied and weighed.
struct FloatTiles {
  using Element = float;
  static constexpr bool kConverts = true;

  const float* Load(int32_t data_type, const void* tensor, int64_t first,
                    float* scratch, int64_t count) const {
    return AsFloats(data_type, tensor, static_cast<size_t>(first), scratch,
                    static_cast<size_t>(count));
  }
  absl::Status Product(const TileShape& shape, const float* a, const float* b,
                       float* c) const {
    return Multiply(shape, a, b, c);
  }
  // Only 32-bit tensors promise results that need it.
  void Refine(int32_t data_type, const SoftmaxTile& tile, const float* queries,
              const float* keys) const {
    if (data_type == ASCRT_DT_FLOAT) RefineScores(tile, queries, keys);
  }
  // The weights take the place of the scores.
  const float* Fold(const SoftmaxTile& tile, float*) const {
    FoldTile(tile);
    return tile.scores;
  }
  void GiveBack(const SoftmaxTile&, const float*) const {}
};

struct Bf16Tiles {
  using Element = Bf16;
  static constexpr bool kConverts = false;

  const Bf16* Load(int32_t, const void* tensor, int64_t first, Bf16*,
                   int64_t) const {
    return static_cast<const Bf16*>(tensor) + first;
  }
  absl::Status Product(const TileShape& shape, const Bf16* a, const Bf16* b,
                       float* c) const {
    return product(shape, a, b, c);
  }
  void Refine(int32_t, const SoftmaxTile&, const Bf16*, const Bf16*) const {}
  const Bf16* Fold(const SoftmaxTile& tile, Bf16* weights) const {
    FoldTile(tile, weights);
    return weights;
  }
  void GiveBack(const SoftmaxTile& tile, const Bf16* values) const {
    AddWeightResiduals(tile, values);
  }

  Bf16Product product;
};

// The state of one chunk while it walks over the keys.
template <typename Tiles>
class Walk {
 public:
  using Element = typename Tiles::Element;

  Walk(const Tiles& tiles, const Shape& shape, std::span<void* const> tensors,
       int64_t group, int64_t first_row)
      : tiles_(tiles),
        shape_(shape),
        tensors_(tensors),
        group_(group),
        first_row_(first_row),
        rows_(std::min(kRowTile, shape.rows - first_row)) {}

  absl::Status Run() {
    ASCEND_RETURN_IF_ERROR(Prepare());
    int64_t end = 0;  // past the last key that any row sees
    for (int64_t row = 0; row < rows_; ++row) {
      end = std::max(end, shape_.Visible(first_row_ + row));
    }
    for (int64_t key = 0; key < end; key += kKeyTile) {
      ASCEND_RETURN_IF_ERROR(Visit(key, std::min(kKeyTile, end - key)));
    }
    Normalize(static_cast<size_t>(rows_), static_cast<size_t>(shape_.head_size),
              sums_, output_.get());
    StoreFloats(shape_.data_type, output_.get(), tensors_[3], FirstOfRows(),
                static_cast<size_t>(rows_ * shape_.head_size));
    return absl::OkStatus();
  }

 private:
  size_t FirstOfRows() const {
    return static_cast<size_t>((group_ * shape_.rows + first_row_) *
                               shape_.head_size);
  }

  absl::Status Prepare() {
    const size_t row_count = static_cast<size_t>(rows_ * shape_.head_size);
    const size_t key_count =
        static_cast<size_t>(std::min(kKeyTile, shape_.keys) * shape_.head_size);
    const size_t score_count =
        static_cast<size_t>(rows_ * std::min(kKeyTile, shape_.keys));
    ASCEND_ASSIGN_OR_RETURN(output_, MakeScratch<float>(row_count));
    ASCEND_ASSIGN_OR_RETURN(scores_, MakeScratch<float>(score_count));
    if constexpr (Tiles::kConverts) {
      if (shape_.data_type != ASCRT_DT_FLOAT) {
        ASCEND_ASSIGN_OR_RETURN(q_, MakeScratch<Element>(row_count));
        ASCEND_ASSIGN_OR_RETURN(kv_, MakeScratch<Element>(key_count));
      }
    } else {
      ASCEND_ASSIGN_OR_RETURN(weights_, MakeScratch<Element>(score_count));
    }
    std::fill_n(output_.get(), row_count, 0.0f);
    std::fill_n(maxima_, rows_, -std::numeric_limits<float>::infinity());
    std::fill_n(sums_, rows_, 0.0f);
    queries_ = tiles_.Load(shape_.data_type, tensors_[0],
                           static_cast<int64_t>(FirstOfRows()), q_.get(),
                           rows_ * shape_.head_size);
    return absl::OkStatus();
  }

  // K or V of `count` keys from `key` on.
  const Element* LoadKeys(const void* tensor, int64_t key, int64_t count) {
    return tiles_.Load(shape_.data_type, tensor,
                       (group_ * shape_.keys + key) * shape_.head_size,
                       kv_.get(), count * shape_.head_size);
  }

  absl::Status Visit(int64_t key, int64_t count) {
    const int64_t size = shape_.head_size;
    const Element* keys = LoadKeys(tensors_[1], key, count);
    const TileShape scores = {.m = rows_,
                              .n = count,
                              .k = size,
                              .a_stride = size,
                              .b_stride = size,
                              .c_stride = count,
                              .transpose_b = true};
    ASCEND_RETURN_IF_ERROR(
        tiles_.Product(scores, queries_, keys, scores_.get()));
    const SoftmaxTile tile = TileFrom(key, count);
    tiles_.Refine(shape_.data_type, tile, queries_, keys);
    const Element* weights = tiles_.Fold(tile, weights_.get());
    const TileShape sums = {.m = rows_,
                            .n = size,
                            .k = count,
                            .a_stride = count,
                            .b_stride = size,
                            .c_stride = size,
                            .accumulate = true};
    const Element* values = LoadKeys(tensors_[2], key, count);
    tiles_.GiveBack(tile, values);
    return tiles_.Product(sums, weights, values, output_.get());
  }

  SoftmaxTile TileFrom(int64_t key, int64_t count) {
    for (int64_t row = 0; row < rows_; ++row) {
      visible_[row] =
          std::clamp<int64_t>(shape_.Visible(first_row_ + row) - key, 0, count);
    }
    return {.rows = static_cast<size_t>(rows_),
            .keys = static_cast<size_t>(count),
            .scores = scores_.get(),
            .factor = shape_.factor,
            .visible = visible_,
            .maxima = maxima_,
            .sums = sums_,
            .output = output_.get(),
            .head_size = static_cast<size_t>(shape_.head_size)};
  }

  const Tiles& tiles_;
  const Shape& shape_;
  const std::span<void* const> tensors_;
  const int64_t group_;
  const int64_t first_row_;
  const int64_t rows_;

  const Element* queries_ = nullptr;
  ScratchArray<Element> q_;   // converted queries
  ScratchArray<Element> kv_;  // converted keys, then values, of one tile
  ScratchArray<float> scores_;
  ScratchArray<Element> weights_;
  ScratchArray<float> output_;
  float maxima_[kRowTile];
  float sums_[kRowTile];
  int64_t visible_[kRowTile];
};

template <typename Tiles>
class FlashAttention final : public Job {
 public:
  FlashAttention(const Tiles& tiles, const Shape& shape,
                 std::span<void* const> tensors)
      : tiles_(tiles), shape_(shape) {
    std::copy(tensors.begin(), tensors.end(), tensors_);
  }

  size_t chunk_count() const override {
    return static_cast<size_t>(shape_.groups * RowTiles());
  }

  absl::Status RunChunk(size_t chunk) const override {
    const int64_t index = static_cast<int64_t>(chunk);
    Walk<Tiles> walk(tiles_, shape_, tensors_, index / RowTiles(),
                     index % RowTiles() * kRowTile);
    return walk.Run();
  }

 private:
  int64_t RowTiles() const { return (shape_.rows + kRowTile - 1) / kRowTile; }

  const Tiles tiles_;
  const Shape shape_;
  void* tensors_[4];  // q, k, v, o
};

}  // namespace

std::unique_ptr<Job> MakeFlashAttentionJobWith(Bf16Product bf16_product,
                                               std::span<const std::byte> args,
                                               std::span<void* const> tensors) {
  const Shape shape(core::LoadBlock<ascrtFlashAttentionArgs>(args));
  if (shape.data_type == ASCRT_DT_BF16 && bf16_product != nullptr) {
    return std::make_unique<FlashAttention<Bf16Tiles>>(Bf16Tiles{bf16_product},
                                                       shape, tensors);
  }
  return std::make_unique<FlashAttention<FloatTiles>>(FloatTiles{}, shape,
                                                      tensors);
}

std::unique_ptr<Job> MakeFlashAttentionJob(std::span<const std::byte> args,
                                           std::span<void* const> tensors) {
  return MakeFlashAttentionJobWith(NativeBf16Product(), args, tensors);
}

}  // namespace ascend::server
