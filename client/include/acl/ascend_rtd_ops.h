/*
 * The built-in kernels of ascend-rtd: names and argument blocks.
 *
 * A program loads the binary "builtin:ops", asks for a kernel by one of the
 * ASCRT_OP_* names and launches it with the address of the argument block that
 * belongs to it. This header is the one definition of both; the daemon checks
 * launches against it. It needs nothing but the C library.
 *
 * Rules that hold for every block:
 *  - `size` is sizeof the block as the program was compiled. A later version
 *    only appends fields; fields that an older program does not send are zero,
 *    and zero always means what the field's comment says.
 *  - Pointers are device addresses of the launching process, aligned to the
 *    element size. Tensors are dense and row-major, the last dimension nearest.
 *  - Dimensions and counts are at least 1 unless a comment gives 0 a meaning.
 *  - An output must not overlap an input, unless "in place" is stated: then it
 *    may be the very same tensor.
 *  - Half-width types (fp16, bf16) are computed in 32-bit floating point and
 *    rounded to nearest even at the end.
 *
 * Layout: that of a 64-bit program, asserted below.
 */
#ifndef ACL_ASCEND_RTD_OPS_H_
#define ACL_ASCEND_RTD_OPS_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element types; the numbers are those of aclDataType. */
#define ASCRT_DT_FLOAT 0
#define ASCRT_DT_FLOAT16 1
#define ASCRT_DT_BF16 27
/* Integers, which reduce alone takes. */
#define ASCRT_DT_INT8 2
#define ASCRT_DT_INT16 6
#define ASCRT_DT_INT32 3

/* Names, as aclrtBinaryGetFunction takes them. */
#define ASCRT_OP_FLASH_ATTENTION "flash_attention"
#define ASCRT_OP_MATMUL "matmul"
#define ASCRT_OP_ADD "add"
#define ASCRT_OP_MUL "mul"
#define ASCRT_OP_SOFTMAX "softmax"
#define ASCRT_OP_RMS_NORM "rms_norm"
#define ASCRT_OP_ROPE "rope"
#define ASCRT_OP_SILU_MUL "silu_mul"
#define ASCRT_OP_FILL "fill"
#define ASCRT_OP_REDUCE "reduce"
#define ASCRT_OP_ALL_REDUCE "all_reduce"

/* The largest head size of flash_attention. */
#define ASCRT_ATTENTION_HEAD_SIZE_MAX 256

/*
 * o = softmax(scale * q k^T) v for each batch and head.
 * q, o: [batch, heads, q_length, head_size];
 * k, v: [batch, kv_heads, kv_length, head_size].
 * Query head h reads key/value head h / (heads / kv_heads).
 * Causal: query i sees the keys j <= i + kv_length - q_length, so the last
 * query sees every key; a query that sees none yields zeros.
 */
typedef struct ascrtFlashAttentionArgs {
  uint64_t size;
  const void* q;
  const void* k;
  const void* v;
  void* o;
  int64_t batch;
  int64_t heads;
  int64_t q_length;
  int64_t head_size;  /* at most ASCRT_ATTENTION_HEAD_SIZE_MAX */
  int64_t kv_heads;   /* divides heads; 0: heads */
  int64_t kv_length;  /* 0: q_length */
  float scale;        /* finite; 0: 1 / sqrt(head_size) */
  int32_t data_type;  /* ASCRT_DT_* of q, k, v and o */
  uint32_t causal;    /* 0 or 1 */
  uint32_t reserved0; /* 0 */
} ascrtFlashAttentionArgs;

/*
 * c = op(a) op(b) for each batch, sums in 32-bit floating point.
 * a: [batch, m, k], or [batch, k, m] with transpose_a;
 * b: [batch, k, n], or [batch, n, k] with transpose_b; c: [batch, m, n].
 */
typedef struct ascrtMatmulArgs {
  uint64_t size;
  const void* a;
  const void* b;
  void* c;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t batch;        /* 0: 1 */
  int32_t data_type;    /* ASCRT_DT_* of a, b and c */
  uint32_t transpose_a; /* 0 or 1 */
  uint32_t transpose_b; /* 0 or 1 */
  uint32_t reserved0;   /* 0 */
} ascrtMatmulArgs;

/* add: z = x + y; mul: z = x * y; element by element, in place allowed. */
typedef struct ascrtBinaryArgs {
  uint64_t size;
  const void* x;
  const void* y;
  void* z;
  int64_t count;      /* elements */
  int32_t data_type;  /* ASCRT_DT_* of x, y and z */
  uint32_t reserved0; /* 0 */
} ascrtBinaryArgs;

typedef ascrtBinaryArgs ascrtAddArgs;
typedef ascrtBinaryArgs ascrtMulArgs;

/* y = softmax(x) along the last dimension of [rows, columns]; in place
 * allowed. A row that is -infinity throughout yields zeros. */
typedef struct ascrtSoftmaxArgs {
  uint64_t size;
  const void* x;
  void* y;
  int64_t rows;
  int64_t columns;
  int32_t data_type;  /* ASCRT_DT_* of x and y */
  uint32_t reserved0; /* 0 */
} ascrtSoftmaxArgs;

/* y = x / sqrt(mean(x^2) + epsilon) * weight along the last dimension of
 * [rows, columns]; in place allowed (y and x). */
typedef struct ascrtRmsNormArgs {
  uint64_t size;
  const void* x;
  const void* weight; /* [columns] */
  void* y;
  int64_t rows;
  int64_t columns;
  float epsilon;     /* finite, not negative; 0: 1e-6 */
  int32_t data_type; /* ASCRT_DT_* of x, weight and y */
} ascrtRmsNormArgs;

/*
 * Rotary position embedding of x: [batch, heads, length, head_size] into y of
 * the same shape; in place allowed. Row s has position first_position + s.
 * Pair i of rotary_size / 2 turns by position * base^(-2i / rotary_size); its
 * elements are i and i + rotary_size / 2, or with `interleaved` 2i and 2i + 1.
 * Elements from rotary_size on are copied.
 */
typedef struct ascrtRopeArgs {
  uint64_t size;
  const void* x;
  void* y;
  int64_t batch;
  int64_t heads;
  int64_t length;
  int64_t head_size;
  int64_t rotary_size;    /* even, at most head_size; 0: head_size */
  int64_t first_position; /* 0 to 2^40 */
  float base;             /* at least 1 and finite; 0: 10000 */
  int32_t data_type;      /* ASCRT_DT_* of x and y */
  uint32_t interleaved;   /* 0 or 1 */
  uint32_t reserved0;     /* 0 */
} ascrtRopeArgs;

/* y = gate / (1 + exp(-gate)) * up, element by element, in place allowed. */
typedef struct ascrtSiluMulArgs {
  uint64_t size;
  const void* gate;
  const void* up;
  void* y;
  int64_t count;      /* elements */
  int32_t data_type;  /* ASCRT_DT_* of gate, up and y */
  uint32_t reserved0; /* 0 */
} ascrtSiluMulArgs;

/* y = value in every element. */
typedef struct ascrtFillArgs {
  uint64_t size;
  void* y;
  int64_t count;     /* elements */
  float value;       /* rounded to data_type */
  int32_t data_type; /* ASCRT_DT_* of y */
} ascrtFillArgs;

/* Operations of reduce; the numbers are those of aclrtReduceKind. */
#define ASCRT_REDUCE_SUM 10
#define ASCRT_REDUCE_MAX 11
#define ASCRT_REDUCE_MIN 12

/* z = x op y, element by element, in place allowed. Sums of integers wrap
 * around; a maximum or minimum is NaN where an operand is. */
typedef struct ascrtReduceArgs {
  uint64_t size;
  const void* x;
  const void* y;
  void* z;
  int64_t count;      /* elements */
  int32_t data_type;  /* ASCRT_DT_* of x, y and z, integers too */
  uint32_t operation; /* ASCRT_REDUCE_* */
} ascrtReduceArgs;

/*
 * y = the sum of x over all ranks, in place allowed. The device is one rank of
 * the group and the others are not simulated: their time is, and their parts of
 * the sum are zero. Claims one DMA unit, whatever the number of blocks.
 */
typedef struct ascrtAllReduceArgs {
  uint64_t size;
  const void* x;
  void* y;
  int64_t count;     /* elements */
  int32_t data_type; /* ASCRT_DT_* of x and y */
  uint32_t ranks;    /* in the group: 2 to 1024 */
} ascrtAllReduceArgs;

/* The layout above is part of the wire. */
#if defined(__cplusplus)
#define ASCRT_LAYOUT(type, bytes) \
  static_assert(sizeof(type) == (bytes), #type " must have " #bytes " bytes")
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define ASCRT_LAYOUT(type, bytes) \
  _Static_assert(sizeof(type) == (bytes), #type " must have " #bytes " bytes")
#else
#define ASCRT_LAYOUT(type, bytes) \
  typedef char type##Layout[sizeof(type) == (bytes) ? 1 : -1]
#endif
ASCRT_LAYOUT(ascrtFlashAttentionArgs, 104);
ASCRT_LAYOUT(ascrtMatmulArgs, 80);
ASCRT_LAYOUT(ascrtBinaryArgs, 48);
ASCRT_LAYOUT(ascrtSoftmaxArgs, 48);
ASCRT_LAYOUT(ascrtRmsNormArgs, 56);
ASCRT_LAYOUT(ascrtRopeArgs, 88);
ASCRT_LAYOUT(ascrtSiluMulArgs, 48);
ASCRT_LAYOUT(ascrtFillArgs, 32);
ASCRT_LAYOUT(ascrtReduceArgs, 48);
ASCRT_LAYOUT(ascrtAllReduceArgs, 40);
#undef ASCRT_LAYOUT

#ifdef __cplusplus
}
#endif

#endif /* ACL_ASCEND_RTD_OPS_H_ */
