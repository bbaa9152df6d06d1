// Compilation of single operators. Not supported yet: the calls link, do
// nothing and answer 200001; those that return no aclError return null, 0, or
// the value that stands for none.
#ifndef ACL_ACL_OP_COMPILER_H_
#define ACL_ACL_OP_COMPILER_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif

// Handle.
typedef struct aclGraphDumpOption aclGraphDumpOption;

// Which operators are compiled.
typedef enum aclCompileType {
  ACL_COMPILE_SYS = 0,           // ops known to system
  ACL_COMPILE_UNREGISTERED = 1,  // custom ops
} aclopCompileType;

// Options of the compiler.
typedef enum aclCompileOpt {
  ACL_PRECISION_MODE = 0,
  ACL_AICORE_NUM = 1,
  ACL_AUTO_TUNE_MODE = 2,
  ACL_OP_SELECT_IMPL_MODE = 3,
  ACL_OPTYPELIST_FOR_IMPLMODE = 4,
  ACL_OP_DEBUG_LEVEL = 5,
  ACL_DEBUG_DIR = 6,
  ACL_OP_COMPILER_CACHE_MODE = 7,
  ACL_OP_COMPILER_CACHE_DIR = 8,
  ACL_OP_PERFORMANCE_MODE = 9,
  ACL_OP_JIT_COMPILE = 10,
  ACL_OP_DETERMINISTIC = 11,
  ACL_CUSTOMIZE_DTYPES = 12,
  ACL_OP_PRECISION_MODE = 13,
  ACL_ALLOW_HF32 = 14,
  ACL_PRECISION_MODE_V2 = 15,
  ACL_OP_DEBUG_OPTION = 16,
} aclCompileOpt;

// For which shapes.
typedef enum aclCompileFlag {
  ACL_OP_COMPILE_DEFAULT = 0,  // exact-shape compile
  ACL_OP_COMPILE_FUZZ = 1,     // shape-range compile
} aclOpCompileFlag;

ACL_FUNC_VISIBILITY aclError aclopCompile(
    const char* opType, int numInputs, const aclTensorDesc* const* inputDesc,
    int numOutputs, const aclTensorDesc* const* outputDesc,
    const aclopAttr* attr, aclopEngineType engineType,
    aclopCompileType compileFlag, const char* opPath);
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecute(
    const char* opType, int numInputs, const aclTensorDesc* const* inputDesc,
    const aclDataBuffer* const* inputs, int numOutputs,
    const aclTensorDesc* const* outputDesc, aclDataBuffer* const* outputs,
    const aclopAttr* attr, aclopEngineType engineType,
    aclopCompileType compileFlag, const char* opPath, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecuteV2(
    const char* opType, int numInputs, aclTensorDesc** inputDesc,
    aclDataBuffer** inputs, int numOutputs, aclTensorDesc** outputDesc,
    aclDataBuffer** outputs, aclopAttr* attr, aclopEngineType engineType,
    aclopCompileType compileFlag, const char* opPath, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclSetCompileopt(aclCompileOpt opt,
                                              const char* value);
ACL_FUNC_VISIBILITY size_t aclGetCompileoptSize(aclCompileOpt opt);
ACL_FUNC_VISIBILITY aclError aclGetCompileopt(aclCompileOpt opt, char* value,
                                              size_t length);
ACL_FUNC_VISIBILITY aclError aclopSetCompileFlag(aclOpCompileFlag flag);
ACL_FUNC_VISIBILITY aclError aclGenGraphAndDumpForOp(
    const char* opType, int numInputs, const aclTensorDesc* const* inputDesc,
    const aclDataBuffer* const* inputs, int numOutputs,
    const aclTensorDesc* const* outputDesc, aclDataBuffer* const* outputs,
    const aclopAttr* attr, aclopEngineType engineType,
    const char* graphDumpPath, const aclGraphDumpOption* graphDumpOpt);
ACL_FUNC_VISIBILITY aclGraphDumpOption* aclCreateGraphDumpOpt(void);
ACL_FUNC_VISIBILITY aclError
aclDestroyGraphDumpOpt(const aclGraphDumpOption* graphDumpOpt);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_ACL_OP_COMPILER_H_
