// matmul: a chunk is one tile of C; it sums over k in slices.
//
// Floats, and bf16 where the processor multiplies it, are read where they lie.
// Other half-width operands are converted slice by slice, so scratch does not
// grow with k.
#include <algorithm>

#include "acl/ascend_rtd_ops.h"
#include "core/base/status_macros.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/data_type.h"
#include "server/kernels/bodies/bodies.h"
#include "server/kernels/half_types.h"
#include "server/kernels/scratch.h"
#include "server/kernels/tile_product.h"

namespace ascend::server {
namespace {

// A tile of C and the slices of A and B for it take 768 KiB as floats.
constexpr int64_t kTileRows = 256;
constexpr int64_t kTileColumns = 256;
constexpr int64_t kSlice = 256;

// One operand: a matrix of rows x columns, or its transpose, in memory.
struct Operand {
  const void* data;  // of one batch
  int64_t rows;
  int64_t columns;
  bool transposed;

  int64_t stride() const { return transposed ? rows : columns; }
  // The element at (row, column), counted from `data`.
  size_t IndexOf(int64_t row, int64_t column) const {
    return static_cast<size_t>(transposed ? column * rows + row
                                          : row * columns + column);
  }
};

struct Rectangle {
  int64_t row, column, rows, columns;
};

// Converts a part of an operand, as it lies in memory, into dense floats;
// returns their stride.
int64_t ConvertPart(int32_t data_type, const Operand& operand,
                    const Rectangle& part, float* target) {
  const int64_t lines = operand.transposed ? part.columns : part.rows;
  const int64_t width = operand.transposed ? part.rows : part.columns;
  for (int64_t line = 0; line < lines; ++line) {
    const size_t first = operand.transposed
                             ? operand.IndexOf(part.row, part.column + line)
                             : operand.IndexOf(part.row + line, part.column);
    LoadFloats(data_type, operand.data, first, target + line * width,
               static_cast<size_t>(width));
  }
  return width;
}

class MatmulJob final : public Job {
 public:
  MatmulJob(const ascrtMatmulArgs& args, std::span<void* const> tensors)
      : args_(args),
        batch_(args.batch == 0 ? 1 : args.batch),
        a_(tensors[0]),
        b_(tensors[1]),
        c_(tensors[2]) {}

  size_t chunk_count() const override {
    return static_cast<size_t>(batch_ * RowTiles() * ColumnTiles());
  }

  absl::Status RunChunk(size_t chunk) const override {
    const int64_t index = static_cast<int64_t>(chunk);
    const int64_t column = index % ColumnTiles() * kTileColumns;
    const int64_t row = index / ColumnTiles() % RowTiles() * kTileRows;
    const int64_t batch = index / ColumnTiles() / RowTiles();
    const Rectangle tile = {row, column, std::min(kTileRows, args_.m - row),
                            std::min(kTileColumns, args_.n - column)};
    if (args_.data_type == ASCRT_DT_FLOAT) {
      // Straight into C.
      float* c = static_cast<float*>(c_) + IndexOfC(batch, tile, 0);
      return MultiplyInPlace<float>(Multiply, batch, tile, c, args_.n);
    }
    ASCEND_ASSIGN_OR_RETURN(
        const ScratchArray<float> c,
        MakeScratch<float>(static_cast<size_t>(tile.rows * tile.columns)));
    const Bf16Product bf16_product = NativeBf16Product();
    if (args_.data_type == ASCRT_DT_BF16 && bf16_product != nullptr) {
      ASCEND_RETURN_IF_ERROR(MultiplyInPlace<Bf16>(bf16_product, batch, tile,
                                                   c.get(), tile.columns));
    } else {
      ASCEND_RETURN_IF_ERROR(MultiplyConverted(batch, tile, c.get()));
    }
    for (int64_t line = 0; line < tile.rows; ++line) {
      StoreFloats(args_.data_type, c.get() + line * tile.columns, c_,
                  IndexOfC(batch, tile, line),
                  static_cast<size_t>(tile.columns));
    }
    return absl::OkStatus();
  }

 private:
  int64_t RowTiles() const { return (args_.m + kTileRows - 1) / kTileRows; }
  int64_t ColumnTiles() const {
    return (args_.n + kTileColumns - 1) / kTileColumns;
  }

  size_t IndexOfC(int64_t batch, const Rectangle& tile, int64_t line) const {
    return static_cast<size_t>((batch * args_.m + tile.row + line) * args_.n +
                               tile.column);
  }

  Operand OperandA(int64_t batch) const {
    const size_t element_bytes = core::ElementBytes(args_.data_type);
    const size_t skipped = static_cast<size_t>(batch * args_.m * args_.k);
    return {static_cast<const char*>(a_) + skipped * element_bytes, args_.m,
            args_.k, args_.transpose_a != 0};
  }

  Operand OperandB(int64_t batch) const {
    const size_t element_bytes = core::ElementBytes(args_.data_type);
    const size_t skipped = static_cast<size_t>(batch * args_.k * args_.n);
    return {static_cast<const char*>(b_) + skipped * element_bytes, args_.k,
            args_.n, args_.transpose_b != 0};
  }

  template <typename Element, typename Product>
  absl::Status MultiplyInPlace(Product product, int64_t batch,
                               const Rectangle& tile, float* c,
                               int64_t c_stride) const {
    const Operand a = OperandA(batch);
    const Operand b = OperandB(batch);
    const TileShape shape = {.m = tile.rows,
                             .n = tile.columns,
                             .k = args_.k,
                             .a_stride = a.stride(),
                             .b_stride = b.stride(),
                             .c_stride = c_stride,
                             .transpose_a = a.transposed,
                             .transpose_b = b.transposed};
    return product(
        shape, static_cast<const Element*>(a.data) + a.IndexOf(tile.row, 0),
        static_cast<const Element*>(b.data) + b.IndexOf(0, tile.column), c);
  }

  absl::Status MultiplyConverted(int64_t batch, const Rectangle& tile,
                                 float* c) const {
    const int64_t depth = std::min(kSlice, args_.k);
    ASCEND_ASSIGN_OR_RETURN(
        const ScratchArray<float> a_part,
        MakeScratch<float>(static_cast<size_t>(tile.rows * depth)));
    ASCEND_ASSIGN_OR_RETURN(
        const ScratchArray<float> b_part,
        MakeScratch<float>(static_cast<size_t>(depth * tile.columns)));
    const Operand a = OperandA(batch);
    const Operand b = OperandB(batch);
    for (int64_t k = 0; k < args_.k; k += kSlice) {
      const int64_t count = std::min(kSlice, args_.k - k);
      const TileShape shape = {
          .m = tile.rows,
          .n = tile.columns,
          .k = count,
          .a_stride =
              ConvertPart(args_.data_type, a, {tile.row, k, tile.rows, count},
                          a_part.get()),
          .b_stride =
              ConvertPart(args_.data_type, b,
                          {k, tile.column, count, tile.columns}, b_part.get()),
          .c_stride = tile.columns,
          .transpose_a = a.transposed,
          .transpose_b = b.transposed,
          .accumulate = k > 0};
      ASCEND_RETURN_IF_ERROR(Multiply(shape, a_part.get(), b_part.get(), c));
    }
    return absl::OkStatus();
  }

  const ascrtMatmulArgs args_;
  const int64_t batch_;
  const void* const a_;
  const void* const b_;
  void* const c_;
};

}  // namespace

std::unique_ptr<Job> MakeMatmulJob(std::span<const std::byte> args,
                                   std::span<void* const> tensors) {
  return std::make_unique<MatmulJob>(core::LoadBlock<ascrtMatmulArgs>(args),
                                     tensors);
}

}  // namespace ascend::server
