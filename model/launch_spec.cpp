// Byte format of a launch spec: sealed bytes (sealed_bytes.hpp) with the fields in the order of `fields` below.
//
// Each number takes 8 bytes, little-endian. A text is its length and its bytes. A list is its length and its elements.
// A variant is the index of its alternative and the fields of that alternative.
#include "model/launch_spec.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "model/sealed_bytes.hpp"

namespace heddle {
namespace {

constexpr SealForm spec_form{"launch spec", "HDLS", 6, launch_spec_bytes_max};

// -- the fields, in order: one list for writing and reading ------------------------------

template <class Form>
void fields(Form& form, Resource& x) {
  form.all(x.memory_mib, x.cores, x.others);
}
template <class Form>
void fields(Form& form, ResourceAmount& x) {
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
  form.all(x.resource_manager_address, x.host, x.rack, x.resource, x.slowness_percent, x.directory);
}
template <class Form>
void fields(Form& form, ApplicationMasterLaunch& x) {
  form.all(x.job_service, x.driver_address, x.owner, x.racks, x.staging_folder, x.is_followed);
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
void fields(Form& form, JobTrackerLaunch& x) {
  form.all(x.cluster_start, x.ready_pipe, x.directory, x.owner, x.address, x.restarts);
}
template <class Form>
void fields(Form& form, TaskTrackerLaunch& x) {
  form.all(x.job_tracker_address, x.host, x.rack, x.map_slots, x.reduce_slots, x.slowness_percent, x.directory,
           x.owner);
}
template <class Form>
void fields(Form& form, TaskChildLaunch& x) {
  form.all(x.parent_address, x.child, x.owner);
}
template <class Form>
void fields(Form& form, ContainerPlace& x) {
  form.all(x.container, x.attempt, x.node, x.node_epoch, x.host, x.slowness_percent, x.resource_manager_address,
           x.shuffle_address, x.directory, x.token);
}
template <class Form>
void fields(Form& form, LaunchSpec& x) {
  form.all(x.settings, x.log_directory, x.cluster, x.cluster_secret, x.parent_watch, x.container, x.role);
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
  void one(JobServiceKind& kind) { number(static_cast<std::int64_t>(kind)); }
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
  void one(ResourceAmounts& amounts) {
    number(static_cast<std::int64_t>(amounts.rows().size()));
    for (auto row : amounts) one(row);
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
  void one(JobServiceKind& kind) {
    const auto value = number();
    if (value < 0 || value > static_cast<std::int64_t>(JobServiceKind::map_reduce_master)) is_broken_ = true;
    else kind = static_cast<JobServiceKind>(value);
  }
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
  void one(ResourceAmounts& amounts) {
    for (auto count = length(); count > 0 && !is_broken_; --count) {
      ResourceAmount row;
      one(row);
      amounts.set(row.name, row.amount);
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
  if (const auto* child = std::get_if<TaskChildLaunch>(&launch.role); child != nullptr && child->child < 0)
    return refuse(fmt::format("{} is not a number of a task child", child->child));
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
  static constexpr std::array<std::string_view, 8> names{"resource-manager", "node-manager", "application-master",
                                                         "executor",         "watch",        "job-tracker",
                                                         "task-tracker",     "task-child"};
  static_assert(names.size() == std::variant_size_v<decltype(spec.role)>);
  return names.at(spec.role.index());
}

std::string write_launch_spec(LaunchSpec spec) {
  SpecWriter writer;
  writer.all(spec);
  return seal(spec_form, writer.bytes());
}

Result<LaunchSpec> read_launch_fields(std::string_view bytes) {
  LaunchSpec spec;
  SpecReader reader{bytes};
  reader.all(spec);
  if (!reader.is_whole())
    return Error{
        Errc::corrupt,
        fmt::format("the launch spec is damaged: its {} bytes do not match the fields of a launch spec", bytes.size())};
  return spec;
}

Result<LaunchSpec> read_launch_spec(std::string_view bytes) {
  const auto content = unseal(spec_form, bytes);
  return content ? read_launch_fields(*content) : content.error();
}

}  // namespace heddle
