#include "server/soc_profile.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ascend/rtd/v1/soc.pb.h"
#include "core/base/error.h"
#include "core/spec/spec_fields.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/soc_profile_texts.h"
#include "tests/testing/daemon_process.h"

namespace ascend::server {
namespace {

using core::DeviceSpec;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kGiga = 1e9;
constexpr uint64_t kGibibyte = uint64_t{1} << 30;

DeviceSpec Load(absl::string_view name) {
  const auto spec = LoadSocProfile(name);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.value_or(DeviceSpec());
}

std::string RefusalOf(const absl::StatusOr<DeviceSpec>& spec) {
  if (spec.ok()) return "";
  EXPECT_EQ(core::ReasonOf(spec.status()), core::Reason::kInvalidArgument);
  return std::string(spec.status().message());
}

std::string TextOf(absl::string_view name) {
  for (const SocProfileText& profile : SocProfileTexts()) {
    if (profile.name == name) return std::string(profile.text);
  }
  ADD_FAILURE() << "no text of " << name;
  return "";
}

// The default profile with the line of `field` replaced, and its number.
struct Changed {
  std::string text;
  int line = 0;
};
Changed WithLine(const std::string& field, const std::string& line) {
  std::istringstream in(TextOf("ascend910"));
  Changed out;
  int number = 0;
  for (std::string old; std::getline(in, old);) {
    ++number;
    const bool is_it = absl::StartsWith(old, field + ":");
    if (is_it) out.line = number;
    absl::StrAppend(&out.text, is_it ? line : old, "\n");
  }
  EXPECT_GT(out.line, 0) << "no line has the field " << field;
  return out;
}

std::string RefusalAt(const std::string& field, const std::string& line) {
  return RefusalOf(ParseSocProfile(WithLine(field, line).text, "mine"));
}

// --- What is shipped ---------------------------------------------------------

TEST(SocProfile, Ascend910IsTheSpecOfTheCore) {
  const DeviceSpec loaded = Load("ascend910");
  const DeviceSpec expected = core::Ascend910Spec();
  for (const core::SpecField& field : core::SpecFields()) {
    EXPECT_EQ(core::ValueOf(loaded, field), core::ValueOf(expected, field))
        << field.name;
  }
  EXPECT_TRUE(loaded == expected);  // and what is not in the table
}

TEST(SocProfile, EveryShippedFileIsBuiltInUnderItsName) {
  std::map<std::string, std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(ASCEND_TEST_SOC_DIRECTORY)) {
    if (entry.path().extension() != ".textproto") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    files[entry.path().stem()] = text.str();
  }
  std::map<std::string, std::string> built_in;
  for (const SocProfileText& profile : SocProfileTexts()) {
    built_in[std::string(profile.name)] = std::string(profile.text);
    EXPECT_EQ(Load(profile.name).profile, profile.name);
  }
  EXPECT_EQ(built_in, files);
  EXPECT_THAT(SocProfileNames(),
              ElementsAre("ascend910", "ascend910_9392", "ascend910_bench",
                          "ascend910b1", "ascend910b2", "ascend910b3",
                          "ascend910b4", "ascend950dt_9581"));
}

TEST(SocProfile, TheBenchHasMoreMemoryAndNothingElse) {
  DeviceSpec bench = Load("ascend910_bench");
  EXPECT_EQ(bench.hbm_bytes, 256 * kGibibyte);
  EXPECT_EQ(bench.hbm_bytes / bench.hbm_banks, kGibibyte);
  const DeviceSpec expected = core::Ascend910Spec();
  bench.profile = expected.profile;
  bench.hbm_bytes = expected.hbm_bytes;
  bench.hbm_banks = expected.hbm_banks;
  EXPECT_TRUE(bench == expected);
}

// Of the vendor's platform files, but for `hbm_rate`.
struct Chip {
  const char* profile;
  const char* soc_name;
  uint32_t arch;
  uint32_t cores;
  uint32_t ai_cpus;
  uint64_t hbm_gibibytes;
  uint64_t l2_mebibytes;
  double gigahertz;
  double hbm_bytes_per_clock;
  double l2_bytes_per_clock;
  double hbm_rate;
};
constexpr Chip kChips[] = {
    {"ascend910b1", "Ascend910B1", 2201, 24, 6, 64, 192, 1.85, 32, 110, 1360},
    {"ascend910b2", "Ascend910B2", 2201, 24, 6, 64, 192, 1.8, 32, 110, 1360},
    {"ascend910b3", "Ascend910B3", 2201, 20, 6, 64, 192, 1.8, 32, 110, 1360},
    {"ascend910b4", "Ascend910B4", 2201, 20, 6, 32, 96, 1.5, 32, 110, 1360},
    {"ascend910_9392", "Ascend910_9392", 2201, 24, 6, 64, 192, 1.85, 32, 110,
     24 * 32 * 1.85 * 0.85},
    {"ascend950dt_9581", "Ascend950DT_9581", 3510, 32, 6, 144, 128, 1.65, 80,
     100, 32 * 80 * 1.65 * 0.85},
};

TEST(SocProfile, RatesFollowFromCoresAndClock) {
  for (const Chip& chip : kChips) {
    SCOPED_TRACE(chip.profile);
    const DeviceSpec s = Load(chip.profile);
    const double unit_clock = 4 * chip.gigahertz * kGiga;
    EXPECT_EQ(s.soc_name, chip.soc_name);
    EXPECT_EQ(s.arch, chip.arch);
    EXPECT_EQ(s.ai_cores, chip.cores);
    EXPECT_EQ(s.cube_cores, chip.cores);
    EXPECT_EQ(s.vector_cores, 2 * chip.cores);
    EXPECT_EQ(s.cube_units, chip.cores / 4);
    EXPECT_EQ(s.aiv_units, chip.cores / 2);
    EXPECT_EQ(s.cores_per_unit, 4u);
    EXPECT_EQ(s.ai_cpus, chip.ai_cpus);
    EXPECT_EQ(s.hbm_bytes, chip.hbm_gibibytes * kGibibyte);
    EXPECT_EQ(s.hbm_bytes / s.hbm_banks % kGibibyte, 0u);
    EXPECT_EQ(s.l2_bytes, chip.l2_mebibytes << 20);
    EXPECT_EQ(s.hold, core::HoldMode::kSplit);
    EXPECT_DOUBLE_EQ(s.hbm_bytes_per_second, chip.hbm_rate * kGiga);
    EXPECT_DOUBLE_EQ(s.unit_hbm_bytes_per_second,
                     unit_clock * chip.hbm_bytes_per_clock);
    EXPECT_DOUBLE_EQ(s.unit_l2_bytes_per_second,
                     unit_clock * chip.l2_bytes_per_clock);
    EXPECT_DOUBLE_EQ(s.unit_flops_per_second, unit_clock * 4096 * 2 * 0.65);
    EXPECT_DOUBLE_EQ(s.vector_unit_flops_per_second, unit_clock * 128);
    EXPECT_NEAR(static_cast<double>(s.core_descriptor_ticks),
                46'000 / chip.gigahertz, 1);
  }
}

// --- Names and files ---------------------------------------------------------

TEST(SocProfile, TheCaseOfANameDoesNotCount) {
  EXPECT_EQ(Load("Ascend910B2").profile, "ascend910b2");
}

TEST(SocProfile, AnUnknownNameListsTheKnownOnes) {
  EXPECT_EQ(RefusalOf(LoadSocProfile("ascend310")),
            absl::StrCat("--soc is 'ascend310', which is none of ",
                         absl::StrJoin(SocProfileNames(), ", "),
                         "; a file is named with a '/' in it or with its "
                         "ending .textproto"));
}

TEST(SocProfile, AFileIsReadAsAProfile) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/mine";
  std::ofstream(path) << WithLine("profile", "profile: \"mine\"").text;
  EXPECT_EQ(Load(path).profile, "mine");
  std::ofstream(path) << WithLine("dma_units", "dma_units: 0").text;
  EXPECT_THAT(
      RefusalOf(LoadSocProfile(path)),
      AllOf(StartsWith("device profile '" + path + "', line "),
            HasSubstr(": field 'dma_units' is 0, but it must lie between 1 "
                      "and 256")));
}

TEST(SocProfile, AFileThatCannotBeReadIsNamed) {
  EXPECT_EQ(RefusalOf(LoadSocProfile("nowhere.textproto")),
            "device profile 'nowhere.textproto' cannot be read: No such file "
            "or directory");
  EXPECT_EQ(RefusalOf(LoadSocProfile("/")),
            "device profile '/' cannot be read: Is a directory");
  EXPECT_EQ(RefusalOf(LoadSocProfile("/dev/zero")),
            "device profile '/dev/zero' is no profile: it has more than "
            "1048576 bytes");
}

// --- Mistakes in a profile ---------------------------------------------------

TEST(SocProfile, ARefusalHasFileLineFieldAndValue) {
  struct Case {
    const char* field;
    const char* line;
    const char* says;
  };
  constexpr Case kCases[] = {
      {"cube_units", "cube_units: 0",
       "field 'cube_units' is 0, but it must lie between 1 and 256"},
      {"hbm_bytes_per_second", "hbm_bytes_per_second: -1e9",
       "field 'hbm_bytes_per_second' is -1000000000, but it must lie between "
       "1000000 and 1e+15"},
      {"unit_flops_per_second", "unit_flops_per_second: nan",
       "field 'unit_flops_per_second' is nan, but it must lie between 1000000 "
       "and 1e+18"},
      {"dispatch_ns", "dispatch_ns: inf",
       "field 'dispatch_ns' is inf, but it must lie between 0 and 1000000000"},
      {"dispatch_ns", "dispatch_ns: 1e300",
       "field 'dispatch_ns' is 1e+300, but it must lie between 0 and "
       "1000000000"},
      {"event_wait_ns", "event_wait_ns: -0.5",
       "field 'event_wait_ns' is -0.5, but it must lie between 0 and "
       "1000000000"},
      {"hbm_bytes", "hbm_bytes: 18446744073709551615",
       "field 'hbm_bytes' is 1.84467440737e+19, but it must lie between "
       "2097152 and 1099511627776"},
      {"hbm_bytes", "hbm_bytes: 34359738369",
       "field 'hbm_bytes' is 34359738369, but each of 32 hbm_banks must hold "
       "whole 2 MiB pages"},
      {"soc_name", "soc_name: \"Ascend 910\"",
       "field 'soc_name' is 'Ascend 910', but it must be 1 to 64 letters, "
       "digits, '_', '-' and '.'"},
      {"hold", "hold: HOLD_UNSPECIFIED",
       "field 'hold' is 0, but it must be HOLD_GANG, HOLD_SPLIT or HOLD_BLOCK"},
      {"aiv_units", "aiv_units: 16",
       "field 'aiv_units' is 16, but 32 vector_cores make 8 units of 4 cores"},
  };
  for (const Case& c : kCases) {
    const Changed changed = WithLine(c.field, c.line);
    EXPECT_EQ(RefusalOf(ParseSocProfile(changed.text, "mine")),
              absl::StrCat("device profile 'mine', line ", changed.line, ": ",
                           c.says));
  }
}

TEST(SocProfile, WhatIsNoTextOfAProfileIsRefusedAtItsLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"ai_cpu: 4",
       "field 'ai_cpu' is none of a profile; soc.proto lists them"},
      {"ai_cpus: -4", "the text is no profile: Expected integer, got: -"},
      {"ai_cpus: 4294967296",
       "the text is no profile: Integer out of range (4294967296)"},
      {"ai_cpus: \"four\"",
       "the text is no profile: Expected integer, got: 'four'"},
      {"ai_cpus: 4 ai_cpus: 4",
       "the text is no profile: Non-repeated field 'ai_cpus' is specified "
       "multiple times"},
  };
  for (const auto& [line, says] : cases) {
    const Changed changed = WithLine("ai_cpus", line);
    EXPECT_EQ(
        RefusalOf(ParseSocProfile(changed.text, "mine")),
        absl::StrCat("device profile 'mine', line ", changed.line, ": ", says));
  }
}

TEST(SocProfile, WhatIsNoTextAtAllIsRefused) {
  for (const std::string& text :
       {std::string("{"), std::string("\0\xff", 2), std::string("profile"),
        std::string("#!/bin/sh\necho 'x\n")}) {
    EXPECT_THAT(RefusalOf(ParseSocProfile(text, "mine")),
                StartsWith("device profile 'mine', line "));
  }
  EXPECT_EQ(RefusalOf(ParseSocProfile("profile\x01: 3\nx: 1", "mine")),
            "device profile 'mine', line 1: the text is no profile: Invalid "
            "control characters encountered in text")
      << "the first of its mistakes";
  EXPECT_EQ(RefusalOf(ParseSocProfile("", "mine")),
            "device profile 'mine': field 'profile' is missing, and so are 54 "
            "others, but every field must be given");
}

TEST(SocProfile, EveryFieldIsNeeded) {
  const auto* const type = rtd::v1::SocProfile::descriptor();
  ASSERT_EQ(static_cast<size_t>(type->field_count()),
            core::SpecFields().size() + 3)
      << "profile, soc_name and hold are those that are no numbers";
  for (int i = 0; i < type->field_count(); ++i) {
    const std::string& name = type->field(i)->name();
    EXPECT_EQ(RefusalAt(name, ""),
              "device profile 'mine': field '" + name +
                  "' is missing, but every field must be given");
  }
}

TEST(SocProfile, EachHoldModeHasItsName) {
  const std::pair<const char*, core::HoldMode> cases[] = {
      {"hold: HOLD_GANG", core::HoldMode::kGang},
      {"hold: HOLD_SPLIT", core::HoldMode::kSplit},
      {"hold: HOLD_BLOCK", core::HoldMode::kBlock}};
  for (const auto& [line, mode] : cases) {
    const auto spec = ParseSocProfile(WithLine("hold", line).text, "mine");
    ASSERT_TRUE(spec.ok()) << spec.status();
    EXPECT_EQ(spec->hold, mode) << line;
  }
}

}  // namespace
}  // namespace ascend::server
