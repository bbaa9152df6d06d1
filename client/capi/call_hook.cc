#include "client/capi/call_hook.h"

#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/capi/edge.h"
#include "client/capi/fault_plan.h"
#include "client/runtime/environment.h"

namespace ascend::client {

constinit std::atomic<bool> g_are_calls_hooked{true};

namespace {

constexpr char kFaults[] = "ASCEND_RTD_FAULTS";
constexpr char kFaultSeed[] = "ASCEND_RTD_FAULT_SEED";
constexpr char kCallTrace[] = "ASCEND_RTD_CALL_TRACE";
constexpr uint64_t kDefaultSeed = 1;

struct Tools {
  std::unique_ptr<FaultPlan> faults;
  std::unique_ptr<CallTrace> trace;
};

uint64_t ReadSeed() {
  const absl::string_view text = ReadVariable(kFaultSeed);
  uint64_t seed = kDefaultSeed;
  if (text.empty() || absl::SimpleAtoi(text, &seed)) return seed;
  IgnoreVariable(kFaultSeed,
                 absl::StrCat("'", text, "' is no number of 0 to 2^64 - 1"));
  return kDefaultSeed;
}

// The tool of a variable; null when it is unset or makes no sense.
template <typename Tool, typename Make>
std::unique_ptr<Tool> MakeTool(const char* variable, Make make) {
  const absl::string_view text = ReadVariable(variable);
  if (text.empty()) return nullptr;
  absl::StatusOr<Tool> tool = make(text);
  if (tool.ok()) return std::make_unique<Tool>(*std::move(tool));
  IgnoreVariable(variable, tool.status().message());
  return nullptr;
}

Tools& GetTools() {
  static Tools* const tools = [] {
    auto made = std::make_unique<Tools>();
    made->faults = MakeTool<FaultPlan>(kFaults, [](absl::string_view text) {
      return FaultPlan::Parse(text, ReadSeed());
    });
    made->trace = MakeTool<CallTrace>(kCallTrace, [](absl::string_view text) {
      return CallTrace::Open(std::string(text));
    });
    g_are_calls_hooked.store(made->faults != nullptr || made->trace != nullptr);
    return made.release();
  }();
  return *tools;
}

}  // namespace

HookedCall::HookedCall(size_t function)
    : function_(PublicFunctions()[function]) {
  const Tools& tools = GetTools();
  if (tools.trace != nullptr) {
    is_traced_ = true;
    start_ = std::chrono::system_clock::now();
    begin_ = std::chrono::steady_clock::now();
  }
  if (tools.faults == nullptr) return;
  const Fault fault = tools.faults->Next(function);
  code_ = fault.code;
  if (code_ == 0) return;
  ReportCode(absl::string_view(function_.name.data(), function_.name.size()),
             code_,
             absl::StrCat("call ", fault.call, " fails because ", kFaults,
                          " says so"));
}

bool HookedCall::EndTraced() {
  if (is_traced_) end_ = std::chrono::steady_clock::now();
  return is_traced_;
}

void HookedCall::Write(std::vector<std::string> arguments, std::string result) {
  TracedCall call;
  call.function = &function_;
  call.start = start_;
  call.duration = end_ - begin_;
  call.arguments = std::move(arguments);
  call.result = std::move(result);
  call.is_injected = code_ != 0;
  GetTools().trace->Write(call);
}

}  // namespace ascend::client
