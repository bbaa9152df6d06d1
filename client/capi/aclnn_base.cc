// Initialisation of the operator libraries: nothing of them has a state.
#include "aclnn/aclnn_base.h"

#include <string>

#include "acl/acl.h"
#include "client/capi/edge.h"
#include "client/capi/operator_status.h"
#include "client/runtime/config.h"

using ascend::client::Config;
using ascend::client::ConfigOutcome;
using ascend::client::kOperatorInvalid;
using ascend::client::ParseConfig;
using ascend::client::ReadConfigFile;
using ascend::client::ReportCode;

aclnnStatus aclnnInit(const char* configPath) {
  if (configPath == nullptr || *configPath == '\0') return ACL_SUCCESS;
  std::string text;
  Config config;
  if (ReadConfigFile(configPath, &text) == ConfigOutcome::kOk &&
      ParseConfig(text, &config) == ConfigOutcome::kOk) {
    return ACL_SUCCESS;
  }
  return ReportCode(__func__, kOperatorInvalid,
                    "the configuration file cannot be read, or is not a JSON "
                    "object: check configPath");
}

aclnnStatus aclnnFinalize(void) { return ACL_SUCCESS; }
