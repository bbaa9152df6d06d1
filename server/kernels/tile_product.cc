#include "server/kernels/tile_product.h"

#include <dnnl.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/base/sync.h"
#include "server/kernels/scratch.h"

// Of the OpenMP run-time that oneDNN brings along. Declared here because clang
// does not find gcc's omp.h.
extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads(void);
}

namespace ascend::server {
namespace {

// Holds OpenMP to the calling thread and restores what was set.
class SingleThreadedOpenMp {
 public:
  SingleThreadedOpenMp() : threads_(omp_get_max_threads()) {
    omp_set_num_threads(1);
  }
  ~SingleThreadedOpenMp() { omp_set_num_threads(threads_); }
  SingleThreadedOpenMp(const SingleThreadedOpenMp&) = delete;
  SingleThreadedOpenMp& operator=(const SingleThreadedOpenMp&) = delete;

 private:
  const int threads_;
};

template <typename T, dnnl_status_t (*Destroy)(T*)>
struct Destroyer {
  void operator()(T* object) const { Destroy(object); }
};
using PrimitiveDesc = std::unique_ptr<
    dnnl_primitive_desc,
    Destroyer<dnnl_primitive_desc, dnnl_primitive_desc_destroy>>;
using Attributes = std::unique_ptr<
    dnnl_primitive_attr,
    Destroyer<dnnl_primitive_attr, dnnl_primitive_attr_destroy>>;
using PostOps =
    std::unique_ptr<dnnl_post_ops,
                    Destroyer<dnnl_post_ops, dnnl_post_ops_destroy>>;
using Memory =
    std::unique_ptr<dnnl_memory, Destroyer<dnnl_memory, dnnl_memory_destroy>>;
using Stream =
    std::unique_ptr<dnnl_stream, Destroyer<dnnl_stream, dnnl_stream_destroy>>;

absl::Status FromDnnl(dnnl_status_t status, absl::string_view call) {
  if (status == dnnl_success) return absl::OkStatus();
  return core::MakeError(
      core::Reason::kInternal,
      absl::StrCat("oneDNN fails with status ", static_cast<int>(status),
                   " in ", call, "; check that the host has free memory"));
}

// One engine for the process; never destroyed, as primitives refer to it.
dnnl_engine_t Engine() {
  static const dnnl_engine_t engine = [] {
    dnnl_engine_t created = nullptr;
    dnnl_engine_create(&created, dnnl_cpu, 0);
    return created;
  }();
  return engine;
}

// A matrix of rows x columns; `transposed` when its columns lie as rows.
absl::Status Describe(int64_t rows, int64_t columns, int64_t stride,
                      bool transposed, dnnl_data_type_t type,
                      dnnl_memory_desc_t* desc) {
  const dnnl_dims_t dims = {rows, columns};
  const dnnl_dims_t strides = {transposed ? 1 : stride,
                               transposed ? stride : 1};
  return FromDnnl(
      dnnl_memory_desc_init_by_strides(desc, 2, dims, type, strides),
      "dnnl_memory_desc_init_by_strides");
}

// A generated product. Immutable once made, so many threads may run it; each
// run brings its own scratch memory.
class Product {
 public:
  static absl::StatusOr<std::unique_ptr<Product>> Make(const TileShape& shape,
                                                       dnnl_data_type_t type);
  ~Product() { dnnl_primitive_destroy(primitive_); }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  absl::Status Run(const void* a, const void* b, float* c) const;

 private:
  Product() = default;
  absl::Status Generate(bool accumulate);

  dnnl_memory_desc_t a_desc_;
  dnnl_memory_desc_t b_desc_;
  dnnl_memory_desc_t c_desc_;
  dnnl_memory_desc_t scratch_desc_;
  dnnl_primitive_t primitive_ = nullptr;
};

absl::StatusOr<std::unique_ptr<Product>> Product::Make(const TileShape& shape,
                                                       dnnl_data_type_t type) {
  std::unique_ptr<Product> product(new Product);
  ASCEND_RETURN_IF_ERROR(Describe(shape.m, shape.k, shape.a_stride,
                                  shape.transpose_a, type, &product->a_desc_));
  ASCEND_RETURN_IF_ERROR(Describe(shape.k, shape.n, shape.b_stride,
                                  shape.transpose_b, type, &product->b_desc_));
  ASCEND_RETURN_IF_ERROR(Describe(shape.m, shape.n, shape.c_stride, false,
                                  dnnl_f32, &product->c_desc_));
  ASCEND_RETURN_IF_ERROR(product->Generate(shape.accumulate));
  return product;
}

absl::Status Product::Generate(bool accumulate) {
  dnnl_primitive_attr_t attributes = nullptr;
  ASCEND_RETURN_IF_ERROR(FromDnnl(dnnl_primitive_attr_create(&attributes),
                                  "dnnl_primitive_attr_create"));
  const Attributes attributes_owner(attributes);
  ASCEND_RETURN_IF_ERROR(FromDnnl(dnnl_primitive_attr_set_scratchpad_mode(
                                      attributes, dnnl_scratchpad_mode_user),
                                  "dnnl_primitive_attr_set_scratchpad_mode"));
  if (accumulate) {
    dnnl_post_ops_t post_ops = nullptr;
    ASCEND_RETURN_IF_ERROR(
        FromDnnl(dnnl_post_ops_create(&post_ops), "dnnl_post_ops_create"));
    const PostOps post_ops_owner(post_ops);
    ASCEND_RETURN_IF_ERROR(FromDnnl(dnnl_post_ops_append_sum(post_ops, 1.0f),
                                    "dnnl_post_ops_append_sum"));
    ASCEND_RETURN_IF_ERROR(
        FromDnnl(dnnl_primitive_attr_set_post_ops(attributes, post_ops),
                 "dnnl_primitive_attr_set_post_ops"));
  }
  dnnl_matmul_desc_t matmul;
  ASCEND_RETURN_IF_ERROR(FromDnnl(
      dnnl_matmul_desc_init(&matmul, &a_desc_, &b_desc_, nullptr, &c_desc_),
      "dnnl_matmul_desc_init"));
  dnnl_primitive_desc_t desc = nullptr;
  ASCEND_RETURN_IF_ERROR(FromDnnl(
      dnnl_primitive_desc_create(&desc, &matmul, attributes, Engine(), nullptr),
      "dnnl_primitive_desc_create"));
  const PrimitiveDesc desc_owner(desc);
  scratch_desc_ =
      *dnnl_primitive_desc_query_md(desc, dnnl_query_scratchpad_md, 0);
  return FromDnnl(dnnl_primitive_create(&primitive_, desc),
                  "dnnl_primitive_create");
}

absl::StatusOr<Memory> Wrap(const dnnl_memory_desc_t& desc, void* data) {
  dnnl_memory_t memory = nullptr;
  ASCEND_RETURN_IF_ERROR(
      FromDnnl(dnnl_memory_create(&memory, &desc, Engine(), data),
               "dnnl_memory_create"));
  return Memory(memory);
}

absl::Status Product::Run(const void* a, const void* b, float* c) const {
  ASCEND_ASSIGN_OR_RETURN(const ScratchArray<std::byte> scratch,
                          MakeScratch<std::byte>(std::max<size_t>(
                              1, dnnl_memory_desc_get_size(&scratch_desc_))));
  ASCEND_ASSIGN_OR_RETURN(const Memory a_memory,
                          Wrap(a_desc_, const_cast<void*>(a)));
  ASCEND_ASSIGN_OR_RETURN(const Memory b_memory,
                          Wrap(b_desc_, const_cast<void*>(b)));
  ASCEND_ASSIGN_OR_RETURN(const Memory c_memory, Wrap(c_desc_, c));
  ASCEND_ASSIGN_OR_RETURN(const Memory scratch_memory,
                          Wrap(scratch_desc_, scratch.get()));
  dnnl_stream_t stream = nullptr;
  ASCEND_RETURN_IF_ERROR(
      FromDnnl(dnnl_stream_create(&stream, Engine(), dnnl_stream_in_order),
               "dnnl_stream_create"));
  const Stream stream_owner(stream);
  const dnnl_exec_arg_t arguments[] = {
      {DNNL_ARG_SRC, a_memory.get()},
      {DNNL_ARG_WEIGHTS, b_memory.get()},
      {DNNL_ARG_DST, c_memory.get()},
      {DNNL_ARG_SCRATCHPAD, scratch_memory.get()}};
  ASCEND_RETURN_IF_ERROR(
      FromDnnl(dnnl_primitive_execute(primitive_, stream, 4, arguments),
               "dnnl_primitive_execute"));
  return FromDnnl(dnnl_stream_wait(stream), "dnnl_stream_wait");
}

// Most shapes are whole tiles, but remainders follow from what users send:
// when the cache is full of them it starts anew.
constexpr size_t kCachedProductsMax = 1024;

class ProductCache {
 public:
  static ProductCache& Global() {
    static ProductCache* const cache = new ProductCache;  // never destroyed
    return *cache;
  }

  // Generates outside the mutex, as that takes up to a millisecond: two threads
  // may both generate a new shape, and one result is kept.
  absl::StatusOr<std::shared_ptr<const Product>> Get(const TileShape& shape,
                                                     dnnl_data_type_t type) {
    if (auto product = Find({shape, type})) return product;
    ASCEND_ASSIGN_OR_RETURN(std::shared_ptr<const Product> product,
                            Product::Make(shape, type));
    const core::MutexLock lock(mutex_);
    if (products_.size() >= kCachedProductsMax) products_.clear();
    return products_.emplace(Key{shape, type}, std::move(product))
        .first->second;
  }

 private:
  using Key = std::pair<TileShape, dnnl_data_type_t>;

  std::shared_ptr<const Product> Find(const Key& key) {
    const core::MutexLock lock(mutex_);
    const auto found = products_.find(key);
    return found == products_.end() ? nullptr : found->second;
  }

  core::Mutex mutex_;
  std::map<Key, std::shared_ptr<const Product>> products_
      ABSL_GUARDED_BY(mutex_);
};

absl::Status MultiplyAs(dnnl_data_type_t type, const TileShape& shape,
                        const void* a, const void* b, float* c) {
  const SingleThreadedOpenMp single_threaded;
  ASCEND_ASSIGN_OR_RETURN(const std::shared_ptr<const Product> product,
                          ProductCache::Global().Get(shape, type));
  return product->Run(a, b, c);
}

absl::Status MultiplyBf16(const TileShape& shape, const Bf16* a, const Bf16* b,
                          float* c) {
  return MultiplyAs(dnnl_bf16, shape, a, b, c);
}

// The instruction sets are bit masks; each contains those it builds upon.
bool Bf16InstructionsUsable() {
  const unsigned usable = dnnl_get_effective_cpu_isa();
  const unsigned wanted = dnnl_cpu_isa_avx512_core_bf16;
  return (usable & wanted) == wanted;
}

}  // namespace

absl::Status Multiply(const TileShape& shape, const float* a, const float* b,
                      float* c) {
  return MultiplyAs(dnnl_f32, shape, a, b, c);
}

Bf16Product NativeBf16Product() {
  static const bool usable = Bf16InstructionsUsable();
  return usable ? MultiplyBf16 : nullptr;
}

}  // namespace ascend::server
