#include "server/soc_profile.h"

#include <fcntl.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "ascend/rtd/v1/soc.pb.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/base/unique_fd.h"
#include "core/spec/spec_fields.h"
#include "server/soc_profile_texts.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;
using google::protobuf::FieldDescriptor;
using google::protobuf::TextFormat;

constexpr absl::string_view kSuffix = ".textproto";
constexpr size_t kFileBytesMax = size_t{1} << 20;

absl::Status Refuse(absl::string_view source, absl::string_view where,
                    absl::string_view why) {
  return core::MakeError(
      core::Reason::kInvalidArgument,
      absl::StrCat("device profile '", source, "'", where, why));
}

// Keeps the first error: those after it mostly follow from it.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  struct Error {
    int line = 0;  // counted from 0
    std::string text;
  };

  // The column is that of the word after the one that is meant.
  void AddError(int line, google::protobuf::io::ColumnNumber,
                const std::string& text) override {
    if (!error_.has_value()) error_ = {line, text};
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

// protobuf's sentence, or a shorter one for the likeliest mistake.
std::string ParseErrorText(std::string text) {
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  absl::string_view field = text;
  if (absl::ConsumePrefix(
          &field,
          "Message type 'ascend.rtd.v1.SocProfile' has no field named ") &&
      absl::ConsumeSuffix(&field, ".")) {
    return absl::StrCat("field ", field,
                        " is none of a profile; soc.proto lists them");
  }
  return absl::StrCat("the text is no profile: ", absl::StripSuffix(text, "."));
}

// A profile's message, and where in the text its fields stand.
class ProfileReader {
 public:
  explicit ProfileReader(absl::string_view source) : source_(source) {}

  absl::Status Parse(absl::string_view text) {
    FirstError errors;
    TextFormat::Parser parser;
    parser.RecordErrorsTo(&errors);
    parser.WriteLocationsTo(&locations_);
    if (parser.ParseFromString(std::string(text), &message_)) {
      return absl::OkStatus();
    }
    const auto error = errors.error().value_or(FirstError::Error{});
    return Refuse(source_, absl::StrCat(", line ", error.line + 1, ": "),
                  ParseErrorText(error.text));
  }

  absl::Status CheckAllGiven() const {
    std::vector<absl::string_view> missing;
    const auto* const type = pb::SocProfile::descriptor();
    for (int i = 0; i < type->field_count(); ++i) {
      if (!pb::SocProfile::GetReflection()->HasField(message_,
                                                     type->field(i))) {
        missing.push_back(type->field(i)->name());
      }
    }
    if (missing.empty()) return absl::OkStatus();
    return Refuse(
        source_, ": ",
        absl::StrCat(
            "field '", missing[0], "' is missing",
            missing.size() == 1
                ? ""
                : absl::StrCat(", and so are ", missing.size() - 1, " others"),
            ", but every field must be given"));
  }

  absl::StatusOr<core::DeviceSpec> ToSpec() const {
    core::DeviceSpec spec;
    spec.profile = message_.profile();
    spec.soc_name = message_.soc_name();
    ASCEND_ASSIGN_OR_RETURN(spec.hold, Hold());
    for (const core::SpecField& field : core::SpecFields()) {
      const double value = NumberOf(field.name);
      if (const auto why = core::WhyOutOfRange(field, value)) {
        return RefuseField(field.name, *why);
      }
      core::SetValue(field, value, &spec);
    }
    if (const auto fault = core::FindSpecFault(spec)) {
      return RefuseField(fault->field, fault->sentence);
    }
    return spec;
  }

 private:
  absl::StatusOr<core::HoldMode> Hold() const {
    switch (message_.hold()) {
      case pb::SocProfile::HOLD_GANG:
        return core::HoldMode::kGang;
      case pb::SocProfile::HOLD_SPLIT:
        return core::HoldMode::kSplit;
      case pb::SocProfile::HOLD_BLOCK:
        return core::HoldMode::kBlock;
      default:
        return RefuseField(
            "hold", absl::StrCat("field 'hold' is ", message_.hold(),
                                 ", but it must be HOLD_GANG, HOLD_SPLIT or "
                                 "HOLD_BLOCK"));
    }
  }

  double NumberOf(absl::string_view name) const {
    const FieldDescriptor* const field = FieldOf(name);
    const auto* const reflection = pb::SocProfile::GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->GetUInt32(message_, field);
      case FieldDescriptor::CPPTYPE_UINT64:
        return static_cast<double>(reflection->GetUInt64(message_, field));
      default:
        return reflection->GetDouble(message_, field);
    }
  }

  absl::Status RefuseField(absl::string_view name,
                           absl::string_view why) const {
    const auto location = locations_.GetLocation(FieldOf(name), -1);
    return Refuse(source_, absl::StrCat(", line ", location.line + 1, ": "),
                  why);
  }

  static const FieldDescriptor* FieldOf(absl::string_view name) {
    const FieldDescriptor* const field =
        pb::SocProfile::descriptor()->FindFieldByName(std::string(name));
    ASCEND_CHECK(field != nullptr) << "SocProfile lacks the field " << name;
    return field;
  }

  const absl::string_view source_;
  pb::SocProfile message_;
  TextFormat::ParseInfoTree locations_;
};

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const auto fail = [&path](int error) {
    return Refuse(path, " cannot be read: ", std::strerror(error));
  };
  const core::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return fail(errno);
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t got = ::read(file.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(errno);
    if (got == 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > kFileBytesMax) {
      return Refuse(path, " is no profile: ",
                    absl::StrCat("it has more than ", kFileBytesMax, " bytes"));
    }
  }
}

}  // namespace

absl::StatusOr<core::DeviceSpec> LoadSocProfile(
    absl::string_view name_or_path) {
  if (absl::StrContains(name_or_path, '/') ||
      absl::EndsWith(name_or_path, kSuffix)) {
    ASCEND_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(std::string(name_or_path)));
    return ParseSocProfile(text, name_or_path);
  }
  for (const SocProfileText& profile : SocProfileTexts()) {
    if (absl::EqualsIgnoreCase(profile.name, name_or_path)) {
      return ParseSocProfile(profile.text, profile.name);
    }
  }
  return core::MakeError(
      core::Reason::kInvalidArgument,
      absl::StrCat("--soc is '", name_or_path, "', which is none of ",
                   absl::StrJoin(SocProfileNames(), ", "),
                   "; a file is named with a '/' in it or with its ending ",
                   kSuffix));
}

absl::StatusOr<core::DeviceSpec> ParseSocProfile(absl::string_view text,
                                                 absl::string_view source) {
  ProfileReader reader(source);
  ASCEND_RETURN_IF_ERROR(reader.Parse(text));
  ASCEND_RETURN_IF_ERROR(reader.CheckAllGiven());
  return reader.ToSpec();
}

std::vector<std::string> SocProfileNames() {
  std::vector<std::string> names;
  for (const SocProfileText& profile : SocProfileTexts()) {
    names.emplace_back(profile.name);
  }
  return names;
}

}  // namespace ascend::server
