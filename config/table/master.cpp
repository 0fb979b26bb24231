#include "config/table/master.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "config/table/setting_rows.hpp"
#include "config/text/did_you_mean.hpp"
#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

/// The arguments in brackets after `name`; empty if the text has another form.
std::optional<std::vector<std::string_view>> arguments_after(std::string_view text, std::string_view name) {
  if (text.size() < name.size() + 2 || text.substr(0, name.size()) != name || text[name.size()] != '[' ||
      text.back() != ']')
    return std::nullopt;
  const auto inside = text.substr(name.size() + 1, text.size() - name.size() - 2);
  auto words = split_words(inside, ',');
  if (static_cast<std::size_t>(std::count(inside.begin(), inside.end(), ',')) + 1 != words.size()) return std::nullopt;
  for (auto& word : words) word = trimmed(word);
  return words;
}

Result<std::int64_t> bounded(std::string_view word, std::string_view what, std::int64_t upper) {
  const auto number = parse_integer(word);
  if (number && *number >= 1 && *number <= upper) return *number;
  return Error{Errc::usage, fmt::format("--master: the {} must be from 1 to {}, not \"{}\"", what, upper, word)};
}

Result<MasterUrl> parse_local(const std::vector<std::string_view>& words, std::int32_t processors) {
  MasterUrl master;
  master.slots = std::max(1, processors);
  if (words[0] != "*") {
    const auto slots = bounded(words[0], "number of task slots", 4'096);
    if (!slots) return slots.error();
    master.slots = static_cast<std::int32_t>(*slots);
  }
  if (words.size() == 1) return master;
  const auto tries = bounded(words[1], "number of task attempts", 1'000'000);
  if (!tries) return tries.error();
  master.tries = static_cast<std::int32_t>(*tries);
  master.has_tries = true;
  return master;
}

Result<MasterUrl> parse_local_cluster(const std::vector<std::string_view>& words) {
  const auto nodes = bounded(words[0], "number of nodes", 1'024);
  if (!nodes) return nodes.error();
  const auto cores = bounded(words[1], "number of cores", 4'096);
  if (!cores) return cores.error();
  const auto memory = bounded(words[2], "memory in MiB", 16'777'216);
  if (!memory) return memory.error();
  MasterUrl master;
  master.kind = MasterKind::local_cluster;
  master.slots = 0;
  master.tries = 0;
  master.nodes = static_cast<std::int32_t>(*nodes);
  master.cores = static_cast<std::int32_t>(*cores);
  master.memory_mib = *memory;
  return master;
}

Error refused_master(std::string_view text, MasterForms offered) {
  const auto forms = to_string(offered);
  const auto unavailable = [&](std::string_view what) {
    return Error{Errc::usage,
                 fmt::format("--master {}: {} is not available in this version; use {}", text, what, forms)};
  };
  if (text.rfind("heddle://", 0) == 0) return unavailable("a shared heddle cluster");
  if (text == "virtual") return unavailable("virtual time");
  if (text.rfind("spark://", 0) == 0 || text.rfind("k8s://", 0) == 0 || text.rfind("mesos://", 0) == 0)
    return unavailable("a cluster of this kind");
  const auto known = offered == MasterForms::all ? std::vector<std::string_view>{"local", "local-cluster", "yarn"}
                                                 : std::vector<std::string_view>{"local-cluster"};
  const auto word = text.substr(0, text.find('['));
  const bool is_known = std::find(known.begin(), known.end(), word) != known.end();
  return Error{Errc::usage, fmt::format("--master \"{}\" is unknown; expected: {}{}", text, forms,
                                        is_known ? std::string{} : suggestion(word, known))};
}

using Pair = std::pair<std::string_view, std::string>;

MasterUrl yarn_master() {
  MasterUrl master;
  master.kind = MasterKind::yarn;
  master.slots = 0;
  master.tries = 0;
  return master;
}

/// The allocator counts no silent beats: the link to the ResourceManager waits for a silent one as long as
/// yarn-site.xml requires, and ends when it gives up.
std::vector<Pair> yarn_defaults() {
  return {{"heddle.executor.instances", "2"}, {"heddle.allocator.reporter_failures", "1000000"}};
}

}  // namespace

std::string_view to_string(MasterForms forms) {
  return forms == MasterForms::all ? "local, local[N], local[*], local[N,F], local-cluster[n,c,m] or yarn"
                                   : "local-cluster[n,c,m]";
}

Result<MasterUrl> parse_master(std::string_view text, std::int32_t processors, MasterForms offered) {
  if (text == "local") return MasterUrl{};
  if (text == "yarn") return yarn_master();
  if (const auto words = arguments_after(text, "local"); words && words->size() >= 1 && words->size() <= 2)
    return parse_local(*words, processors);
  if (const auto words = arguments_after(text, "local-cluster"); words && words->size() == 3)
    return parse_local_cluster(*words);
  return refused_master(text, offered);
}

Result<Done> apply_master(Settings& settings, const MasterUrl& master) {
  std::vector<Pair> said;
  std::vector<Pair> suggested{{"heddle.scheduler.min_registered_ratio", "0"}};
  if (master.kind == MasterKind::yarn) {
    suggested = yarn_defaults();
  } else if (master.kind == MasterKind::local) {
    said.emplace_back("heddle.executor.cores", fmt::format("{}", master.slots));
    const bool is_in_job = settings.effective("heddle.task.max_failures").origin == Origin::job_file;
    if (master.has_tries || !is_in_job) said.emplace_back("heddle.task.max_failures", fmt::format("{}", master.tries));
    said.emplace_back("heddle.executor.instances", "1");
  } else {
    said.emplace_back("heddle.executor.cores", fmt::format("{}", master.cores));
    said.emplace_back("heddle.executor.memory", fmt::format("{}m", master.memory_mib));
    const auto container_max = std::max(master.memory_mib, settings.application().master_memory_mib);
    suggested.insert(suggested.end(),
                     {{"heddle.executor.instances", fmt::format("{}", master.nodes)},
                      {"heddle.executor.memory_overhead_factor", "0"},
                      {"heddle.master.cores", "0"},
                      {"heddle.resource_manager.min_allocation_memory", "1m"},
                      {"heddle.resource_manager.min_allocation_cores", "0"},
                      {"heddle.fair.increment_memory", "1m"},
                      {"heddle.resource_manager.max_allocation_memory",
                       fmt::format("{}m", std::max<std::int64_t>(container_max, 8192))},
                      {"heddle.resource_manager.max_allocation_cores", fmt::format("{}", std::max(master.cores, 4))}});
  }
  const auto weight = master.is_of_topology ? Origin::derived : Origin::command_line;
  for (const auto& [key, value] : said)
    if (const auto done = settings.set(key, value, weight, "--master"); !done) return done.error();
  for (const auto& [key, value] : suggested)
    if (const auto done = settings.set(key, value, Origin::derived, "--master"); !done) return done.error();
  return Done{};
}

}  // namespace heddle::config
