#include "interop/yarn/yarn_ids.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace heddle::interop {
namespace {

constexpr int epoch_shift = 40;  // of a container id
constexpr std::int64_t epoch_max = std::numeric_limits<std::int64_t>::max() >> epoch_shift;

/// A decimal number without sign, up to `upper`, at the begin of `text`, which loses it.
std::optional<std::int64_t> take_number(std::string_view& text, std::int64_t upper) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || text.front() == '-') return std::nullopt;
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || value > upper) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<ContainerName> read_name(std::string_view text) {
  if (!take(text, "container_")) return std::nullopt;
  std::int64_t epoch = 0;
  if (take(text, "e")) {
    const auto named = take_number(text, epoch_max);
    if (!named || !take(text, "_")) return std::nullopt;
    epoch = *named;
  }
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t small = std::numeric_limits<std::int32_t>::max();
  constexpr std::array<std::int64_t, 4> upper{any, small, small, (std::int64_t{1} << epoch_shift) - 1};
  std::array<std::int64_t, 4> parts{};  // cluster start, application, attempt, container
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (part > 0 && !take(text, "_")) return std::nullopt;
    const auto number = take_number(text, upper.at(part));
    if (!number) return std::nullopt;
    parts.at(part) = *number;
  }
  if (!text.empty()) return std::nullopt;
  return ContainerName{ContainerId{(epoch << epoch_shift) | parts[3]},
                       {{parts[0], parts[1]}, static_cast<std::int32_t>(parts[2])}};
}

}  // namespace

proto::ApplicationId to_proto(const ApplicationId& id) {
  proto::ApplicationId made;
  made.set_cluster_timestamp(id.cluster_start);
  made.set_id(static_cast<std::int32_t>(id.number));
  return made;
}

proto::ApplicationAttemptId to_proto(const AttemptId& id) {
  proto::ApplicationAttemptId made;
  *made.mutable_application_id() = to_proto(id.application);
  made.set_attempt_id(id.attempt);
  return made;
}

proto::ContainerId to_proto(ContainerId id, const AttemptId& attempt) {
  proto::ContainerId made;
  *made.mutable_application_id() = to_proto(attempt.application);
  *made.mutable_attempt_id() = to_proto(attempt);
  made.set_id(id.value);
  return made;
}

ApplicationId application_of(const proto::ApplicationId& id) { return {id.cluster_timestamp(), id.id()}; }

AttemptId attempt_of(const proto::ApplicationAttemptId& id) {
  return {application_of(id.application_id()), id.attempt_id()};
}

Result<ContainerName> parse_container_name(std::string_view text) {
  if (auto name = read_name(text)) return *name;
  return Error{Errc::usage, fmt::format("CONTAINER_ID is \"{}\"; expected a name that a NodeManager gives, such as "
                                        "container_1410901177871_0001_01_000005",
                                        text)};
}

std::string container_name(const proto::ContainerId& id) {
  const auto attempt = attempt_of(id.attempt_id());
  const auto epoch = id.id() >> epoch_shift;
  const auto number = id.id() & ((std::int64_t{1} << epoch_shift) - 1);
  const auto prefix = epoch > 0 ? fmt::format("e{:02}_", epoch) : std::string{};
  return fmt::format("container_{}{}_{:04}_{:02}_{:06}", prefix, attempt.application.cluster_start,
                     attempt.application.number, attempt.attempt, number);
}

std::optional<ApplicationId> parse_application_name(std::string_view text) {
  if (!take(text, "application_")) return std::nullopt;
  const auto start = take_number(text, std::numeric_limits<std::int64_t>::max());
  if (!start || !take(text, "_")) return std::nullopt;
  const auto number = take_number(text, std::numeric_limits<std::int32_t>::max());
  if (!number || !text.empty()) return std::nullopt;
  return ApplicationId{*start, *number};
}

}  // namespace heddle::interop
