#include "tests/bench/decode/shape.h"

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/daemon_process.h"

namespace ascend::decode {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ShapeFile : public ::testing::Test {
 protected:
  absl::StatusOr<Shape> Load(const std::string& text) {
    EXPECT_TRUE((std::ofstream(path_) << text).flush());
    return LoadShape(path_);
  }

  // `says` is all that is said behind the file's name.
  void ExpectRefused(const std::string& text, const std::string& says) {
    const auto shape = Load(text);
    ASSERT_FALSE(shape.ok()) << text;
    EXPECT_EQ(std::string(shape.status().message()),
              "shape file " + path_ + ": " + says);
  }

  // As ExpectRefused, of a sentence with numbers that are worked out.
  void ExpectTooLarge(const std::string& text, const std::string& what,
                      const std::string& field) {
    const auto shape = Load(text);
    ASSERT_FALSE(shape.ok()) << text;
    EXPECT_THAT(std::string(shape.status().message()),
                AllOf(StartsWith("shape file " + path_ + ": " + what),
                      HasSubstr(field), HasSubstr("more than 1 TiB")));
  }

 private:
  const testing::TemporaryDirectory directory_;

 protected:
  const std::string path_ = directory_.path() + "/shape.json";
};

TEST_F(ShapeFile, SaysWhatAModelHasAndTheRestIsTheDefault) {
  const auto shape = Load(R"({"name": "small", "layers": 2, "hidden": 256,
      "heads": 4, "kv_heads": 2, "head_size": 64, "feed_forward": 512,
      "vocabulary": 1000, "ranks": 1, "context": 16, "rows": 3,
      "host_us": 7})");
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(shape->name, "small");
  EXPECT_EQ(shape->rows, 3);
  EXPECT_EQ(shape->host_us, 7);
  EXPECT_EQ(shape->QkvColumns(), (4 + 2 * 2) * 64);
  EXPECT_EQ(shape->WeightBytes(),
            2 * (2 * 256 * (512 + 256 + 3 * 512) + 256 * 1000));
  EXPECT_EQ(shape->CacheBytes(), 2 * 2 * 2 * 16 * 2 * 64);
  const auto empty = Load("{}");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->name, Shape().name);
  EXPECT_EQ(empty->WeightBytes(), Shape().WeightBytes());
}

TEST_F(ShapeFile, ThatCannotBeReadIsNamed) {
  EXPECT_EQ(LoadShape("/no/such").status().message(),
            "shape file /no/such: it cannot be read: No such file or "
            "directory");
  EXPECT_EQ(LoadShape("/").status().message(),
            "shape file /: it cannot be read: Is a directory");
}

TEST_F(ShapeFile, ThatIsCutShortSaysWhere) {
  ExpectRefused("", "it is cut short or no JSON");
  ExpectRefused("{", "it is cut short or no JSON");
  ExpectRefused(R"({"layers": 2, "hid)",
                "it is cut short or no JSON, at or behind 'layers'");
  ExpectRefused(R"({"layers": 2, "hidden": 8192)",
                "it is cut short or no JSON, at or behind 'hidden'");
  ExpectRefused(R"({"layers": 2, "hidden": })",
                "it is cut short or no JSON, at or behind 'hidden'");
  ExpectRefused(R"({"layers": 2} and more)",
                "it is cut short or no JSON, at or behind 'layers'");
  ExpectRefused("[80, 8192]", "it holds no JSON object");
  ExpectRefused("80", "it holds no JSON object");
}

TEST_F(ShapeFile, NamesFieldsThatAModelHasNot) {
  ExpectRefused(R"({"layer": 2})", "'layer' is no field of a shape");
  ExpectRefused(R"({"Layers": 2})", "'Layers' is no field of a shape");
  ExpectRefused(R"({"name": 7})", "'name' is 7, which is no text");
}

TEST_F(ShapeFile, NamesValuesThatAreNoDimension) {
  for (const char* key :
       {"layers", "hidden", "heads", "kv_heads", "head_size", "feed_forward",
        "vocabulary", "ranks", "context", "rows", "host_us"}) {
    for (const char* value :
         {"0", "-1", "-9223372036854775808", "1000001", "9223372036854775807",
          "9223372036854775808", "18446744073709551615", "18446744073709551617",
          "1.5", "\"80\"", "null", "[80]", "true"}) {
      const auto shape = Load("{\"" + std::string(key) + "\": " + value + "}");
      ASSERT_FALSE(shape.ok()) << key << ": " << value;
      const std::string message(shape.status().message());
      EXPECT_THAT(message,
                  StartsWith("shape file " + path_ + ": '" + key + "' is "));
      EXPECT_THAT(message,
                  HasSubstr(", which is no whole number from 1 to 1000000"));
    }
  }
  ExpectRefused(R"({"heads": -8})",
                "'heads' is -8, which is no whole number from 1 to 1000000");
}

TEST_F(ShapeFile, NamesWhatRanksAndHeadsCannotShare) {
  ExpectRefused(R"({"heads": 60})",
                "'heads' is 60, which 8 ranks cannot share evenly");
  ExpectRefused(R"({"feed_forward": 28673})",
                "'feed_forward' is 28673, which 8 ranks cannot share evenly");
  ExpectRefused(R"({"vocabulary": 7})",
                "'vocabulary' is 7, which 8 ranks cannot share evenly");
  ExpectRefused(R"({"heads": 48, "kv_heads": 12})",
                "'kv_heads' is 12, which 8 ranks cannot share evenly");
  ExpectRefused(R"({"heads": 48, "kv_heads": 3})",
                "'kv_heads' is 3, which 8 ranks cannot share evenly");
  ExpectRefused(R"({"kv_heads": 7})",
                "'kv_heads' is 7, which 'heads', 64, is no multiple of");
  // Fewer than ranks: each of two ranks has the same one.
  EXPECT_TRUE(Load(R"({"kv_heads": 4})").ok());
}

TEST_F(ShapeFile, NamesWhatNoDeviceHasRoomFor) {
  // Beyond 64 bits too.
  ExpectTooLarge(R"({"layers": 1000000, "hidden": 1000000, "ranks": 1,
                     "feed_forward": 1000000, "vocabulary": 1000000})",
                 "the weights of a rank take ", "'layers' is 1000000");
  ExpectTooLarge(R"({"heads": 1000000, "kv_heads": 1000000, "ranks": 1,
                     "head_size": 1000000, "context": 1000000})",
                 "its cache takes ", "'head_size' is 1000000");
  // Beyond a device only.
  ExpectTooLarge(R"({"layers": 80000})", "the weights of a rank take ",
                 "'layers' is 80000");
  ExpectTooLarge(R"({"context": 1000000, "ranks": 1, "kv_heads": 64,
                     "layers": 100})",
                 "its cache takes ", "'context' is 1000000");
  ExpectTooLarge(R"({"rows": 1000000, "ranks": 1, "vocabulary": 500000})",
                 "the tokens of a step take ", "'rows' is 1000000");
  EXPECT_TRUE(Load(R"({"layers": 1000})").ok());
}

// What comes from the command line, not from a file.
TEST(CheckShape, RefusesWhatAFileMayNotSay) {
  EXPECT_TRUE(CheckShape(Shape()).ok());
  Shape shape;
  shape.rows = 2'000'000'000;
  EXPECT_EQ(CheckShape(shape).message(),
            "'rows' is 2000000000, which is no whole number from 1 to 1000000");
  shape.rows = 1;
  shape.ranks = 0;
  EXPECT_EQ(CheckShape(shape).message(),
            "'ranks' is 0, which is no whole number from 1 to 1000000");
}

}  // namespace
}  // namespace ascend::decode
