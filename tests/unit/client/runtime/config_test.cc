#include "client/runtime/config.h"

#include <cstdio>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace ascend::client {
namespace {

TEST(ConfigTest, ReadsTheKeysThatMatter) {
  Config config;
  EXPECT_EQ(ParseConfig(R"({"err_msg_mode": 1, "dump": {"x": []},
                            "defaultDevice": {"default_device": "3"}})",
                        &config),
            ConfigOutcome::kOk);
  EXPECT_EQ(config.message_scope, MessageScope::kProcess);
  EXPECT_EQ(config.default_device, 3);
}

TEST(ConfigTest, UnknownSectionsAndOddValuesAreIgnored) {
  Config config;
  EXPECT_EQ(ParseConfig(R"({"profiler": {"switch": "on"}, "err_msg_mode": {},
                            "defaultDevice": [1, 2]})",
                        &config),
            ConfigOutcome::kOk);
  EXPECT_EQ(config.message_scope, MessageScope::kThread);
  EXPECT_FALSE(config.default_device.has_value());
  EXPECT_EQ(ParseConfig(R"({"defaultDevice":
                            {"default_device": 99999999999}})",
                        &config),
            ConfigOutcome::kOk);
  EXPECT_FALSE(config.default_device.has_value());
}

TEST(ConfigTest, RefusesWhatIsNoJsonObject) {
  Config config;
  for (const char* text : {"", "{", "[]", "{} x", "{\"a\": }"}) {
    EXPECT_EQ(ParseConfig(text, &config), ConfigOutcome::kNotJson) << text;
  }
  const std::string deep(100000, '[');
  EXPECT_EQ(ParseConfig(deep, &config), ConfigOutcome::kNotJson);
}

TEST(ConfigTest, UnreadableFilesAreToldApart) {
  std::string text;
  EXPECT_EQ(ReadConfigFile("/nowhere/acl.json", &text),
            ConfigOutcome::kUnreadable);
  EXPECT_EQ(ReadConfigFile("/", &text), ConfigOutcome::kUnreadable);
  const std::string path = ::testing::TempDir() + "/config_test.json";
  std::ofstream(path) << "{}";
  EXPECT_EQ(ReadConfigFile(path, &text), ConfigOutcome::kOk);
  EXPECT_EQ(text, "{}");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace ascend::client
