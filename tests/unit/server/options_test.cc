#include "server/options.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ascend::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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
  EXPECT_EQ(options->soc, "ascend910");
  EXPECT_EQ(options->hbm_quota_per_session_bytes, 0u);
  EXPECT_THAT(options->policies, ElementsAre("strict_priority"));
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

TEST(Options, SocIsTakenAsItIs) {
  const auto options = Parse({"--soc", "./no/such.textproto"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->soc, "./no/such.textproto");
  ExpectRefused({"--soc="}, "--soc is empty");
}

TEST(Options, TraceIsAPath) {
  EXPECT_EQ(Parse({})->trace_path, "");
  EXPECT_EQ(Parse({"--trace", "/tmp/run.svg"})->trace_path, "/tmp/run.svg");
  ExpectRefused({"--trace="}, "--trace is empty, which is no file");
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

TEST(Options, SchedulingAndTimeAreSet) {
  const auto options =
      Parse({"--policy=drfq", "--hold=block", "--preempt=true",
             "--ageing-us=5000", "--reserve-after-us=200", "--clock=paced:2",
             "--seed=7", "--rank-weights=2,1", "--record=/tmp/run"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->policies, ElementsAre("drfq"));
  EXPECT_THAT(options->holds, ElementsAre(core::HoldMode::kBlock));
  EXPECT_TRUE(options->policy_options.preempts);
  EXPECT_EQ(options->policy_options.ageing_ticks, core::Milliseconds(5));
  EXPECT_EQ(options->policy_options.reserve_after_ticks,
            core::Microseconds(200));
  EXPECT_EQ(options->clock.pace, 2);
  EXPECT_EQ(options->seed, 7u);
  EXPECT_THAT(options->rank_weights, ElementsAre(2, 1));
  EXPECT_EQ(options->record, "/tmp/run");
  EXPECT_THAT(Parse({})->holds, IsEmpty());
}

TEST(Options, DevicesMayHavePoliciesAndHoldModesOfTheirOwn) {
  const auto options = Parse(
      {"--policy=fifo,drfq,fair", "--devices=3", "--hold", "gang,block,split"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->policies, ElementsAre("fifo", "drfq", "fair"));
  EXPECT_THAT(options->holds,
              ElementsAre(core::HoldMode::kGang, core::HoldMode::kBlock,
                          core::HoldMode::kSplit));
  const auto of_all = Parse({"--devices=3", "--policy=srf", "--hold=split"});
  ASSERT_TRUE(of_all.ok()) << of_all.status();
  EXPECT_THAT(of_all->policies, ElementsAre("srf"));
  EXPECT_THAT(of_all->holds, ElementsAre(core::HoldMode::kSplit));
}

TEST(Options, AListForAnotherNumberOfDevicesIsRefused) {
  ExpectRefused({"--devices=3", "--policy=fifo,drfq"},
                "--policy has 2 values, but --devices is 3; give one for all, "
                "or one for each");
  ExpectRefused({"--policy=fifo,drfq"},
                "--policy has 2 values, but --devices is 1");
  ExpectRefused({"--hold=gang,block,gang", "--devices=2"},
                "--hold has 3 values, but --devices is 2");
  ExpectRefused({"--devices=2", "--policy=fifo,"}, "--policy is ''");
  ExpectRefused({"--devices=2", "--policy=fifo,whim"}, "--policy is 'whim'");
  ExpectRefused({"--devices=2", "--hold=,gang"}, "--hold is ''");
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
  ExpectRefused({"--policy", "whim"},
                "none of strict_priority, fifo, fair, drfq, srf");
  ExpectRefused({"--hold", "tight"}, "none of gang, split, block");
  ExpectRefused({"--clock", "fast"}, "none of free, lockstep");
  ExpectRefused({"--preempt", "1"}, "neither true nor false");
  ExpectRefused({"--ageing-us", "-1"}, "--ageing-us is '-1'");
  ExpectRefused({"--reserve-after-us", "x"}, "--reserve-after-us is 'x'");
  ExpectRefused({"--rank-weights", "1,0"}, "--rank-weights is '0'");
  ExpectRefused({"--seed", "x"}, "no whole number");
  ExpectRefused({"--record", ""}, "--record has an empty path");
  ExpectRefused({"--kernel-timeout-s", "0"}, "--kernel-timeout-s is '0'");
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
       {"--listen", "--socket-mode", "--devices", "--soc",
        "--hbm-quota-per-session", "--policy", "--hold", "--clock",
        "--sessions-max", "--log-level", "--ready-fd", "--lifeline-fd",
        "--version", "--help"}) {
    EXPECT_THAT(std::string(OptionsHelp()), HasSubstr(option));
  }
}

}  // namespace
}  // namespace ascend::server
