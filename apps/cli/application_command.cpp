// `list`, `info`, `wait`, `cancel` and `logs`: applications of a running cluster.
#include <fmt/format.h>

#include <utility>

#include "apps/cli/verb_parsers.hpp"

namespace heddle::apps {
namespace {

namespace options = boost::program_options;

ApplicationVerb verb_of(std::string_view name) {
  if (name == "info") return ApplicationVerb::info;
  if (name == "wait") return ApplicationVerb::wait;
  if (name == "logs") return ApplicationVerb::logs;
  return name == "cancel" ? ApplicationVerb::cancel : ApplicationVerb::list;
}

Result<Done> check_arguments(const std::string& verb, const std::vector<std::string>& arguments) {
  const std::size_t wanted = verb == "list" ? 0 : 1;
  if (arguments.size() > wanted)
    return Error{Errc::usage, fmt::format("{} takes {}; remove \"{}\"", verb,
                                          wanted == 0 ? "no argument" : "one application id", arguments[wanted])};
  if (arguments.size() < wanted)
    return Error{Errc::usage,
                 fmt::format("{} needs the id of an application; heddle list --master yarn shows them", verb)};
  return Done{};
}

}  // namespace

OptionTable application_options(std::string_view verb) {
  OptionTable table;
  auto add = table.add_options();
  add("master", options::value<std::string>()->value_name("MASTER"), "yarn: the cluster of $HADOOP_CONF_DIR");
  if (verb == "list") add("ended", "also applications that have ended");
  if (verb == "list") add("all-types", "also applications of other programs than heddle");
  if (verb == "logs") {
    add("container", options::value<std::string>()->value_name("ID"), "only those of this container");
    add("file", options::value<std::vector<std::string>>()->composing()->value_name("NAME"),
        "only log files of this name, such as stderr (repeatable)");
    add("all-files", "also event logs, and files that the NodeManager writes");
  }
  add("set", options::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
      "set a setting (repeatable), such as heddle.yarn.connect_wait");
  add("format", options::value<std::string>()->value_name("FORM"), "output format: table (default), json or jsonl");
  add("quiet", "print only results and errors");
  if (verb == "wait") add("no-progress", "print no progress");
  add("help", "show this help");
  return table;
}

Result<ParsedCommand> parse_application_verb(std::span<const std::string> words, std::int32_t processors) {
  const auto& verb = words.front();
  auto parsed = parse_options(words.subspan(1), application_options(verb), OptionStyle::unix_like);
  if (!parsed) return parsed.error();
  if (parsed->values.count("help") > 0) return ParsedCommand{Answer{help_of_verb(verb)}};
  ApplicationOptions made;
  made.verb = verb_of(verb);
  auto job = read_job_options(parsed->values, processors);
  if (!job) return job.error();
  made.job = std::move(*job);
  if (!made.job.master || made.job.master->kind != config::MasterKind::yarn)
    return Error{Errc::usage,
                 fmt::format("{} needs --master yarn: a local cluster ends with the command that started it", verb)};
  if (auto checked = check_arguments(verb, parsed->positional); !checked) return checked.error();
  if (!parsed->positional.empty()) made.application = parsed->positional.front();
  made.with_ended = parsed->values.count("ended") > 0;
  made.with_all_types = parsed->values.count("all-types") > 0;
  made.container = text_of(parsed->values, "container");
  made.files = texts_of(parsed->values, "file");
  made.with_all_files = parsed->values.count("all-files") > 0;
  if (made.with_all_files && !made.files.empty())
    return Error{Errc::usage, "logs takes --file or --all-files, not both; remove one of them"};
  return ParsedCommand{std::move(made)};
}

}  // namespace heddle::apps
