// flash_attention: one FlashAttention call, from aclInit to the checked result.
//
//   flash_attention --batch 2 --heads 8 --seq 1024 --head-dim 128 --dtype bf16
//
// Prints one line and exits with 0 when the device's answer is within bounds of
// a double-precision reference, with 1 when it is not or a call failed, with 2
// when the options make no sense.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "attention.h"

namespace {

constexpr char kUsage[] =
    "usage: flash_attention [option value]...\n"
    "  --batch N       (2)     --heads N      (8)\n"
    "  --kv-heads N    (heads) --seq N        (1024)\n"
    "  --head-dim N    (128)   --causal 0|1   (0)\n"
    "  --dtype bf16|fp16|fp32  (bf16)\n"
    "  --deviation X   (1)     of the queries; 16 gives peaked logits\n"
    "  --seed N        (1)     --priority 0-7 (0)\n"
    "  --spelling acl|short    (acl)\n"
    "  --json FILE             writes the measurements there as well\n";

struct Options {
  Problem problem;
  uint32_t priority = 0;
  bool short_spelling = false;
  std::string json_file;
};

int Refuse(const char* option, const char* value) {
  std::fprintf(stderr, "flash_attention: %s does not take '%s'\n%s", option,
               value, kUsage);
  return 2;
}

// 0, or the exit code.
int ParseOptions(int argc, char** argv, Options* options) {
  Problem& p = options->problem;
  p.kv_heads = 0;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--help" || i + 1 == argc) {
      std::fputs(kUsage, name == "--help" ? stdout : stderr);
      return name == "--help" ? -1 : 2;
    }
    const char* value = argv[i + 1];
    char* end = nullptr;
    const double number = std::strtod(value, &end);
    const bool is_number = *value != '\0' && *end == '\0';
    const auto count = static_cast<int64_t>(number);
    const bool is_count = is_number && number >= 1 && number <= 1 << 20 &&
                          static_cast<double>(count) == number;
    if (name == "--dtype") {
      if (std::strcmp(value, "bf16") == 0) {
        p.type = ElementType::kBFloat16;
      } else if (std::strcmp(value, "fp16") == 0) {
        p.type = ElementType::kFloat16;
      } else if (std::strcmp(value, "fp32") == 0) {
        p.type = ElementType::kFloat32;
      } else {
        return Refuse(argv[i], value);
      }
    } else if (name == "--spelling") {
      options->short_spelling = std::strcmp(value, "short") == 0;
      if (!options->short_spelling && std::strcmp(value, "acl") != 0) {
        return Refuse(argv[i], value);
      }
    } else if (name == "--json") {
      options->json_file = value;
    } else if (name == "--deviation") {
      if (!is_number || !(number > 0)) return Refuse(argv[i], value);
      p.query_deviation = number;
    } else if (name == "--priority" || name == "--causal") {
      const double most = name == "--causal" ? 1 : 7;
      if (!is_number || !(number >= 0 && number <= most) ||
          static_cast<double>(count) != number) {
        return Refuse(argv[i], value);
      }
      if (name == "--causal") {
        p.causal = count == 1;
      } else {
        options->priority = static_cast<uint32_t>(count);
      }
    } else if (!is_count) {
      return Refuse(argv[i], value);
    } else if (name == "--batch") {
      p.batch = count;
    } else if (name == "--heads") {
      p.heads = count;
    } else if (name == "--kv-heads") {
      p.kv_heads = count;
    } else if (name == "--seq") {
      p.length = count;
    } else if (name == "--head-dim") {
      p.head_size = count;
    } else if (name == "--seed") {
      p.seed = static_cast<uint64_t>(count);
    } else {
      return Refuse(argv[i], value);
    }
  }
  if (p.kv_heads == 0) p.kv_heads = p.heads;
  if (p.heads % p.kv_heads != 0) {
    std::fprintf(stderr, "flash_attention: --kv-heads must divide --heads\n");
    return 2;
  }
  if (options->short_spelling &&
      (p.causal || p.kv_heads != p.heads || p.type != ElementType::kBFloat16)) {
    std::fprintf(stderr,
                 "flash_attention: the short spelling takes bf16, not causal, "
                 "and no --kv-heads\n");
    return 2;
  }
  return 0;
}

size_t TensorBytes(const Inputs& inputs) {
  return 2 * inputs.q.size() + inputs.k.size() + inputs.v.size();
}

bool WriteJson(const Options& options, const Inputs& inputs,
               const RunResult& run, const Comparison& c) {
  std::FILE* file = std::fopen(options.json_file.c_str(), "w");
  if (file == nullptr) {
    std::perror(options.json_file.c_str());
    return false;
  }
  std::fprintf(file,
               "{\"process\": %d, \"priority\": %u, \"wall_ms\": %.3f, "
               "\"kernel_us\": %.3f, \"copy_us\": %.3f, "
               "\"tensor_bytes\": %zu, \"max_error\": %.3e, "
               "\"relative_l2_error\": %.3e, \"ok\": %s}\n",
               static_cast<int>(getpid()), options.priority, run.wall_ms,
               run.kernel_us, run.copy_us, TensorBytes(inputs), c.max_error,
               c.relative_l2_error, c.within_bounds ? "true" : "false");
  return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const int exit_code = ParseOptions(argc, argv, &options)) {
    return exit_code < 0 ? 0 : exit_code;
  }
  const Problem& problem = options.problem;
  const Inputs inputs = MakeInputs(problem);
  RunResult run;
  const int failed =
      options.short_spelling
          ? RunWithShortSpelling(problem, inputs, &run)
          : RunWithAscendCl(problem, inputs, options.priority, &run);
  if (failed != 0) return 1;
  const Comparison c = Compare(problem.type, Widen(problem.type, run.o),
                               ReferenceAttention(problem, inputs));
  std::printf(
      "flash_attention: wall %.1f ms, simulated kernel %.1f us and copies "
      "%.1f us, tensors %.1f MiB, largest error %.2e, relative L2 %.2e: %s\n",
      run.wall_ms, run.kernel_us, run.copy_us,
      static_cast<double>(TensorBytes(inputs)) / (1 << 20), c.max_error,
      c.relative_l2_error, c.within_bounds ? "within bounds" : "OUT OF BOUNDS");
  if (!options.json_file.empty() && !WriteJson(options, inputs, run, c))
    return 1;
  return c.within_bounds ? 0 : 1;
}
