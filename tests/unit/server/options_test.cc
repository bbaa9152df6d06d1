#include "server/options.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ascend::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<DaemonOptions> Parse(const std::vector<const char*>& words) {
  return ParseOptions(words);
}

void ExpectRefused(const std::vector<const char*>& words,
                   const std::string& says) {
  const auto options = Parse(words);
  ASSERT_FALSE(options.ok()) << says;
  EXPECT_THAT(std::string(options.status().message()), HasSubstr(says));
}

TEST(Options, DefaultsAreThoseOfAService) {
  const auto options = Parse({});
  ASSERT_TRUE(options.ok());
  EXPECT_THAT(options->listen,
              ElementsAre("unix:/run/ascend-rtd/ascend-rtd.sock"));
  EXPECT_EQ(options->devices, 1u);
  EXPECT_EQ(options->hbm_quota_per_session_bytes, 0u);
  EXPECT_EQ(options->policy, "strict_priority");
  EXPECT_EQ(options->socket_mode, 0666u);
  EXPECT_EQ(options->ready_fd, -1);
}

TEST(Options, ListenIsRepeatedOrSeparatedByCommas) {
  const auto options =
      Parse({"--listen", "unix:/a,127.0.0.1:1", "--listen=[::1]:2"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->listen,
              ElementsAre("unix:/a", "127.0.0.1:1", "[::1]:2"));
  ExpectRefused({"--listen", "unix:/a,"}, "empty address");
}

TEST(Options, BytesHaveBinarySuffixes) {
  const std::pair<const char*, uint64_t> cases[] = {
      {"0", 0},
      {"4096", 4096},
      {"3K", 3 << 10},
      {"512M", 512 << 20},
      {"8G", uint64_t{8} << 30},
      {"18446744073709551615", ~uint64_t{0}}};
  for (const auto& [text, bytes] : cases) {
    const auto options = Parse({"--hbm-quota-per-session", text});
    ASSERT_TRUE(options.ok()) << text;
    EXPECT_EQ(options->hbm_quota_per_session_bytes, bytes) << text;
  }
  for (const char* text :
       {"", "G", "1T", "-1", "1.5G", "8GG", "17179869184G"}) {
    ExpectRefused({"--hbm-quota-per-session", text},
                  "--hbm-quota-per-session is '" + std::string(text) + "'");
  }
}

TEST(Options, WhatIsForTestsWorksAndIsNotAdvertised) {
  EXPECT_FALSE(Parse({})->ignore_tickets_for_test);
  const auto options = Parse({"--ignore-tickets-for-test=true"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->ignore_tickets_for_test);
  EXPECT_THAT(std::string(OptionsHelp()), Not(HasSubstr("ignore-tickets")));
}

TEST(Options, BadValuesAreNamed) {
  ExpectRefused({"--devices", "0"}, "--devices is '0'");
  ExpectRefused({"--devices", "65"}, "from 1 to 64");
  ExpectRefused({"--sessions-max=x"}, "--sessions-max is 'x'");
  ExpectRefused({"--policy", "fair"}, "none of fifo, strict_priority");
  ExpectRefused({"--clock", "paced"}, "none of free");
  ExpectRefused({"--log-level", "loud"}, "--log-level is 'loud'");
  ExpectRefused({"--socket-mode", "0999"}, "no mode such as 0660");
  ExpectRefused({"--socket-mode", "10000"}, "no mode such as 0660");
  ExpectRefused({"--ready-fd", "-1"}, "--ready-fd is '-1'");
  ExpectRefused({"--ignore-tickets-for-test=1"}, "neither true nor false");
  ExpectRefused({"--colour", "red"}, "option '--colour' is unknown");
  ExpectRefused({"--devices"}, "option '--devices' lacks its value");
  ExpectRefused({"start"}, "argument 'start' is no option");
}

TEST(Options, TheHelpNamesEveryOption) {
  for (const char* option :
       {"--listen", "--socket-mode", "--devices", "--hbm-quota-per-session",
        "--policy", "--clock", "--sessions-max", "--log-level", "--ready-fd",
        "--lifeline-fd", "--version", "--help"}) {
    EXPECT_THAT(std::string(OptionsHelp()), HasSubstr(option));
  }
}

}  // namespace
}  // namespace ascend::server
