#include "config/table/framework.hpp"

#include <fmt/format.h>

#include <array>

#include "config/text/did_you_mean.hpp"

namespace heddle::config {
namespace {

constexpr std::string_view classic_name = "classic";
constexpr std::string_view yarn_name = "yarn";

Result<Framework> parse(std::string_view key, std::string_view text, std::string_view driver_name) {
  if (text == driver_name) return Framework::driver;
  if (text == classic_name) return Framework::classic;
  if (text == yarn_name) return Framework::yarn;
  const std::array<std::string_view, 3> known{driver_name, classic_name, yarn_name};
  return Error{Errc::usage, fmt::format("{} must be {}, {} or {}, not \"{}\"{}", key, driver_name, classic_name,
                                        yarn_name, text, suggestion(text, known))};
}

}  // namespace

Result<Framework> parse_framework(std::string_view text) { return parse("--framework", text, "driver"); }

Result<Framework> parse_framework_name(std::string_view text) {
  return parse("mapreduce.framework.name", text, "local");
}

Framework framework_of(const Settings& settings) {
  const auto& name = settings.map_reduce().framework;
  return name == classic_name ? Framework::classic : name == yarn_name ? Framework::yarn : Framework::driver;
}

Framework choose_framework(const std::optional<Framework>& option, const std::optional<Framework>& of_topology,
                           const Settings& settings) {
  if (option) return *option;
  const bool is_said = settings.effective("heddle.map_reduce.framework").origin == Origin::command_line;
  return of_topology && !is_said ? *of_topology : framework_of(settings);
}

MasterForms usable_masters(Framework framework, bool has_topology) {
  return framework == Framework::driver && !has_topology ? MasterForms::all : MasterForms::local_cluster;
}

std::string_view to_string(Framework framework) {
  switch (framework) {
    case Framework::driver: return "driver";
    case Framework::classic: return classic_name;
    case Framework::yarn: return yarn_name;
  }
  return "";
}

}  // namespace heddle::config
