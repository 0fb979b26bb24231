// Byte format of a launch spec; numbers are little-endian:
//
//   "HDLS" | version, 4 bytes | checksum of the rest, 8 bytes | fields in the order of `fields` below
//
// Each number takes 8 bytes. A text is its length and its bytes. A list is its length and its elements. A variant is
// the index of its alternative and the fields of that alternative.
#include "model/launch_spec.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace heddle {
namespace {

constexpr std::string_view magic = "HDLS";
constexpr std::uint32_t version = 1;
constexpr std::size_t header_bytes = 16;

/// FNV-1a. It detects damage, not forgery: only the parent process can write to the descriptor.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 14'695'981'039'346'656'037U;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211U;
  return sum;
}

std::string little_endian(std::uint64_t value, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return bytes;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  return value;
}

Error corrupt(const std::string& text) { return {Errc::corrupt, "the launch spec " + text}; }

// -- the fields, in order: one list for writing and reading ------------------------------

template <class Form>
void fields(Form& form, Resource& x) {
  form.all(x.memory_mib, x.cores);
}
template <class Form>
void fields(Form& form, ExtraResource& x) {
  form.all(x.name, x.amount);
}
template <class Form>
void fields(Form& form, ApplicationId& x) {
  form.all(x.cluster_start, x.number);
}
template <class Form>
void fields(Form& form, AttemptId& x) {
  form.all(x.application, x.attempt);
}
template <class Form, class Tag>
void fields(Form& form, StrongId<Tag>& x) {
  form.all(x.value);
}
template <class Form>
void fields(Form& form, ResourceManagerLaunch& x) {
  form.all(x.cluster_start, x.nodes_expected, x.ready_pipe);
}
template <class Form>
void fields(Form& form, NodeManagerLaunch& x) {
  form.all(x.resource_manager_address, x.host, x.rack, x.resource, x.extras, x.slowness_percent, x.directory);
}
template <class Form>
void fields(Form& form, ApplicationMasterLaunch& x) {
  form.all(x.holds_driver, x.driver_address, x.owner, x.racks);
}
template <class Form>
void fields(Form& form, ExecutorLaunch& x) {
  form.all(x.executor, x.cores, x.profile, x.driver_address, x.first_shuffle);
}
template <class Form>
void fields(Form& form, LeftoverWatchLaunch& x) {
  form.all(x.folder, x.mark, x.patience_ms);
}
template <class Form>
void fields(Form& form, ContainerPlace& x) {
  form.all(x.container, x.attempt, x.node, x.node_epoch, x.host, x.slowness_percent, x.resource_manager_address,
           x.shuffle_address, x.directory, x.token);
}
template <class Form>
void fields(Form& form, LaunchSpec& x) {
  form.all(x.settings, x.log_directory, x.parent_watch, x.container, x.role);
}

// -- writer and reader ----------------------------------------------------------------------

class SpecWriter {
public:
  template <class... Fields>
  void all(Fields&... each) {
    (one(each), ...);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
  void number(std::int64_t value) { bytes_ += little_endian(static_cast<std::uint64_t>(value), 8); }
  void one(std::int64_t& value) { number(value); }
  void one(std::int32_t& value) { number(value); }
  void one(bool& value) { number(value ? 1 : 0); }
  void one(std::string& text) {
    number(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
  }
  void one(std::map<std::string, std::string>& rows) {
    number(static_cast<std::int64_t>(rows.size()));
    for (auto& [key, value] : rows) {
      auto written = key;
      all(written, value);
    }
  }
  void one(ExtraResources& rows) {
    number(static_cast<std::int64_t>(rows.size()));
    for (auto& row : rows) one(row);
  }
  template <class... Kinds>
  void one(std::variant<Kinds...>& kind) {
    number(static_cast<std::int64_t>(kind.index()));
    std::visit([this](auto& x) { this->one(x); }, kind);
  }
  template <class Struct>
  void one(Struct& x) {
    fields(*this, x);
  }

  std::string bytes_;
};

/// Reads nothing after the first error; the caller then discards the result.
class SpecReader {
public:
  explicit SpecReader(std::string_view bytes) : left_{bytes} {}
  template <class... Fields>
  void all(Fields&... each) {
    (one(each), ...);
  }
  [[nodiscard]] bool is_whole() const { return !is_broken_ && left_.empty(); }

private:
  std::int64_t number() {
    if (left_.size() < 8) is_broken_ = true;
    if (is_broken_) return 0;
    const auto value = from_little_endian(left_.substr(0, 8));
    left_.remove_prefix(8);
    return static_cast<std::int64_t>(value);
  }
  template <class Number>
  Number number_in_range() {
    const auto value = number();
    if (value < std::numeric_limits<Number>::min() || value > std::numeric_limits<Number>::max()) is_broken_ = true;
    return is_broken_ ? Number{} : static_cast<Number>(value);
  }
  /// Reads a length; an error if it exceeds the remaining bytes.
  std::size_t length() {
    const auto value = number();
    if (value < 0 || static_cast<std::uint64_t>(value) > left_.size()) is_broken_ = true;
    return is_broken_ ? 0 : static_cast<std::size_t>(value);
  }
  void one(std::int64_t& value) { value = number(); }
  void one(std::int32_t& value) { value = number_in_range<std::int32_t>(); }
  void one(bool& value) { value = number_in_range<bool>(); }
  void one(std::string& text) {
    const auto bytes = length();
    text = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
  }
  void one(std::map<std::string, std::string>& rows) {
    for (auto count = length(); count > 0 && !is_broken_; --count) {
      std::string key;
      std::string value;
      all(key, value);
      if (!rows.empty() && rows.rbegin()->first >= key) is_broken_ = true;
      rows.insert_or_assign(rows.end(), std::move(key), std::move(value));
    }
  }
  void one(ExtraResources& rows) {
    for (auto count = length(); count > 0 && !is_broken_; --count) {
      ExtraResource row;
      one(row);
      rows.push_back(std::move(row));
    }
  }
  template <std::size_t Index, class... Kinds>
  void alternative(std::size_t index, std::variant<Kinds...>& kind) {
    if (index == Index) one(kind.template emplace<Index>());
    else if constexpr (Index + 1 < sizeof...(Kinds)) alternative<Index + 1>(index, kind);
    else is_broken_ = true;
  }
  template <class... Kinds>
  void one(std::variant<Kinds...>& kind) {
    const auto index = number();
    if (index < 0) is_broken_ = true;
    if (!is_broken_) alternative<0>(static_cast<std::size_t>(index), kind);
  }
  template <class Struct>
  void one(Struct& x) {
    fields(*this, x);
  }

  std::string_view left_;
  bool is_broken_ = false;
};

}  // namespace

Result<Done> check_launch(const ContainerLaunch& launch) {
  const auto refuse = [](std::string text) { return Error{Errc::refused, std::move(text)}; };
  if (launch.settings.size() > launch_settings_bytes_max)
    return refuse(fmt::format("its settings have {} bytes, the maximum is {}", launch.settings.size(),
                              launch_settings_bytes_max));
  if (!launch.log_directory.empty() && launch.log_directory.front() != '/')
    return refuse(fmt::format("its log directory '{}' is not an absolute path", launch.log_directory));
  const auto* executor = std::get_if<ExecutorLaunch>(&launch.role);
  if (executor == nullptr) return Done{};
  if (executor->executor.value < 0) return refuse(fmt::format("{} is not an executor id", executor->executor.value));
  if (executor->cores < 1 || executor->cores > launch_cores_max)
    return refuse(
        fmt::format("an executor with {} cores is requested, it can have 1 to {}", executor->cores, launch_cores_max));
  if (executor->first_shuffle < 0) return refuse(fmt::format("{} is not a shuffle id", executor->first_shuffle));
  return Done{};
}

std::string_view role_name(const LaunchSpec& spec) {
  static constexpr std::array<std::string_view, 5> names{"resource-manager", "node-manager", "application-master",
                                                         "executor", "watch"};
  static_assert(names.size() == std::variant_size_v<decltype(spec.role)>);
  return names.at(spec.role.index());
}

std::string write_launch_spec(LaunchSpec spec) {
  SpecWriter writer;
  writer.all(spec);
  return std::string{magic} + little_endian(version, 4) + little_endian(checksum_of(writer.bytes()), 8) +
         writer.bytes();
}

Result<LaunchSpec> read_launch_fields(std::string_view bytes) {
  LaunchSpec spec;
  SpecReader reader{bytes};
  reader.all(spec);
  if (!reader.is_whole())
    return corrupt(fmt::format("is damaged: its {} bytes do not match the fields of a launch spec", bytes.size()));
  return spec;
}

Result<LaunchSpec> read_launch_spec(std::string_view bytes) {
  if (bytes.size() > launch_spec_bytes_max)
    return corrupt(fmt::format("has {} bytes, the maximum is {}", bytes.size(), launch_spec_bytes_max));
  if (bytes.size() < header_bytes || !bytes.starts_with(magic))
    return corrupt(fmt::format("has no valid header: its {} bytes do not start with HDLS", bytes.size()));
  const auto found = from_little_endian(bytes.substr(4, 4));
  if (found != version)
    return corrupt(fmt::format(
        "has version {}, this program reads version {}: another build wrote it; use one build for all processes", found,
        version));
  const auto payload = bytes.substr(header_bytes);
  if (from_little_endian(bytes.substr(8, 8)) != checksum_of(payload))
    return corrupt(fmt::format("is damaged: the checksum of its {} bytes is wrong", bytes.size()));
  return read_launch_fields(payload);
}

}  // namespace heddle
