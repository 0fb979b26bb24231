// Kind stage_graph: scripts for the stage scheduler. Hosts and executors get numbers in order of appearance. The clock
// moves only for delayed resubmissions. Files KIND_wide also have: indeterminate datasets, map-stage jobs,
// decommissioned executors, migrated outputs, and the settings for them.
#include <algorithm>
#include <set>
#include <string>

#include "policies/stages/stage_scheduler.hpp"
#include "tests/conformance/json_fields.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {
namespace stage_graph_kind {

namespace {

namespace json = boost::json;
using namespace heddle::policies;

constexpr std::int32_t partitions_max = 10'000'000;  // all outputs are compared after each step

/// Names in order of appearance.
class Names {
public:
  std::int32_t number(std::string_view name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<std::int32_t>(found - names_.begin());
    names_.emplace_back(name);
    return static_cast<std::int32_t>(names_.size()) - 1;
  }
  [[nodiscard]] const std::string& name(std::int64_t number) const {
    return names_.at(static_cast<std::size_t>(number));
  }

private:
  std::vector<std::string> names_;
};

std::string_view text(const json::value& value) { return value.as_string(); }

template <class Id>
json::array sorted_ids(const std::set<Id>& ids) {
  json::array result;
  for (const Id id : ids) result.emplace_back(id.value);
  return result;
}

class StageScript {
public:
  StageScript(const json::object& settings, Report& report) : report_{report}, scheduler_{read_settings(settings)} {
    for (const json::value& entry : settings.at("datasets").as_array()) add_dataset(entry.as_object());
  }

  void run(const json::array& steps) {
    for (const json::value& step : steps) {
      effects_.clear();
      act(step.as_object());
      scheduler_.check_invariants();
      compare(step.at("expect").as_object());
      ++step_;
    }
  }

private:
  static StageSchedulerSettings read_settings(const json::object& settings) {
    StageSchedulerSettings result;
    result.max_consecutive_attempts = json::value_to<std::int32_t>(settings.at("max_consecutive_attempts"));
    result.shuffle_service = settings.at("shuffle_service").as_bool();
    result.unregister_output_on_host = settings.at("unregister_output_on_host").as_bool();
    const auto flag = [&settings](std::string_view name) {
      return settings.contains(name) && settings.at(name).as_bool();
    };
    result.ignore_decommission_fetch_failure = flag("ignore_decommission");
    result.old_fetch_protocol = flag("old_fetch_protocol");
    result.reliable_shuffle_storage = flag("reliable_storage");
    if (const json::value* most = settings.if_contains("max_stage_attempts"))
      result.max_stage_attempts = json::value_to<std::int32_t>(*most);
    return result;
  }

  void add_dataset(const json::object& entry) {
    DatasetDescription description;
    description.partitions = json::value_to<std::int32_t>(entry.at("partitions"));
    require(description.partitions > 0 && description.partitions <= partitions_max,
            "a number of partitions out of range");
    for (const json::value& dependency : entry.at("deps").as_array()) {
      const auto parent = static_cast<std::size_t>(dependency.at(1).to_number<std::uint32_t>());
      require(parent < partitions_.size(), "a parent that comes after its child");
      const bool is_narrow = text(dependency.at(0)) == "narrow";
      require(!is_narrow || partitions_[parent] >= description.partitions, "a narrow parent with fewer partitions");
      const auto kind = text(dependency.at(0)) == "shuffle" ? Dependency::Kind::shuffle : Dependency::Kind::narrow;
      description.dependencies.push_back({kind, DatasetId{dependency.at(1).to_number<std::int64_t>()}});
    }
    if (const json::value* cached = entry.if_contains("cached")) description.cached = cached->as_bool();
    if (const json::value* varies = entry.if_contains("indeterminate")) description.indeterminate = varies->as_bool();
    if (const json::value* preferred = entry.if_contains("preferred")) {
      auto lists = std::make_shared<PreferredLocationLists>();
      for (const json::value& hosts : preferred->as_array()) {
        std::vector<PreferredLocation> places;
        for (const json::value& host : hosts.as_array()) places.emplace_back(HostId{hosts_.number(text(host))});
        lists->add(places);
      }
      description.preferred = std::move(lists);
    }
    partitions_.push_back(description.partitions);
    for (const Dependency& dependency : description.dependencies)
      if (dependency.kind == Dependency::Kind::shuffle)
        maps_.push_back(partitions_[static_cast<std::size_t>(dependency.parent.value)]);
    scheduler_.apply(now_, stage_input::DatasetAdded{std::move(description)});
  }

  void require_partition(std::int32_t dataset, std::int32_t partition) const {
    require(static_cast<std::size_t>(dataset) < partitions_.size(), "a dataset that is not there");
    require(partition >= 0 && partition < partitions_[static_cast<std::size_t>(dataset)],
            "a partition that is not there");
  }

  ExecutorId executor(const json::value& name) { return ExecutorId{executors_.number(text(name))}; }
  HostId host(const json::value& name) { return HostId{hosts_.number(text(name))}; }
  static StageId stage(const json::object& step) { return StageId{step.at("stage").to_number<std::int64_t>()}; }
  static std::int32_t number(const json::object& step, std::string_view field) {
    return step.at(field).to_number<std::int32_t>();
  }

  void act(const json::object& step) {
    const std::string_view verb = text(step.at("do"));
    if (verb == "submit_job") {
      std::vector<IndexRange> partitions;
      std::set<std::int32_t> asked;
      for (const json::value& one : step.at("partitions").as_array()) {
        const std::int32_t partition = one.to_number<std::int32_t>();
        require(asked.insert(partition).second, "a partition is asked for twice");
        require_partition(number(step, "dataset"), partition);
        append_index(partitions, partition);
      }
      require(!asked.empty(), "a job without partitions");
      require(submitted_.insert(number(step, "job")).second, "a job is submitted twice");
      scheduler_.apply(now_,
                       stage_input::JobSubmitted{JobId{number(step, "job")}, DatasetId{number(step, "dataset")},
                                                 std::move(partitions)},
                       effects_);
    } else if (verb == "resubmit") {
      now_ += StageSchedulerSettings{}.resubmit_delay;
      scheduler_.apply(now_, stage_input::TimePassed{}, effects_);
    } else if (verb == "executor_lost") {
      const json::value& worker = step.at("worker_host");
      const auto lost_host = worker.is_null() ? std::nullopt : std::optional{host(worker)};
      scheduler_.apply(now_, stage_input::ExecutorGone{executor(step.at("executor")), lost_host}, effects_);
    } else if (verb == "executor_added") {
      scheduler_.apply(now_, stage_input::ExecutorRegistered{executor(step.at("executor")), host(step.at("host"))});
    } else if (verb == "cancel_job") {
      scheduler_.apply(now_, stage_input::JobCancelled{JobId{number(step, "job")}}, effects_);
    } else if (verb == "cached") {
      require_partition(number(step, "dataset"), number(step, "partition"));
      std::vector<MapStatusLocation> places;
      for (const json::value& at : step.at("at").as_array()) places.emplace_back(executor(at.at(0)), host(at.at(1)));
      scheduler_.apply(now_, stage_input::PartitionCached{DatasetId{number(step, "dataset")}, number(step, "partition"),
                                                          std::move(places)});
    } else if (verb == "submit_map_stage") {
      require(static_cast<std::size_t>(number(step, "shuffle")) < maps_.size(), "a shuffle that is not there");
      require(submitted_.insert(number(step, "job")).second, "a job is submitted twice");
      scheduler_.apply(now_,
                       stage_input::MapStageSubmitted{JobId{number(step, "job")}, ShuffleId{number(step, "shuffle")}},
                       effects_);
    } else if (verb == "decommission") {
      scheduler_.apply(
          now_, stage_input::ExecutorDecommissioned{executor(step.at("executor")), step.at("whole_host").as_bool()});
    } else if (verb == "output_moved") {
      const MapStatusLocation from{executor(step.at("from_executor")), host(step.at("from_host"))};
      const MapStatusLocation to{executor(step.at("executor")), host(step.at("host"))};
      scheduler_.apply(now_,
                       stage_input::OutputMoved{ShuffleId{number(step, "shuffle")}, number(step, "map"), from, to});
    } else {
      act_on_task(verb, step);
    }
  }

  void act_on_task(std::string_view verb, const json::object& step) {
    const std::int32_t attempt = number(step, "attempt");
    if (verb == "set_failed") {
      scheduler_.apply(now_, stage_input::SetGivenUp{stage(step), attempt}, effects_);
      return;
    }
    const std::int32_t partition = number(step, "partition");
    require(partition >= 0, "a partition below 0");
    if (verb == "success") {
      const MapStatusLocation place{executor(step.at("executor")), host(step.at("host"))};
      scheduler_.apply(now_, stage_input::TaskSucceeded{stage(step), attempt, partition, place}, effects_);
    } else if (verb == "fetch_failed") {
      const bool is_somewhere = step.contains("executor");
      const MapStatusLocation place =
          is_somewhere ? MapStatusLocation{executor(step.at("executor")), host(step.at("host"))} : MapStatusLocation{};
      const auto shuffle = static_cast<std::size_t>(number(step, "shuffle"));
      require(shuffle < maps_.size(), "a shuffle that is not there");
      const std::int32_t first_map = is_somewhere ? 0 : -1;
      require(number(step, "map") >= first_map && number(step, "map") < maps_[shuffle],
              "a map output that is not there");
      scheduler_.apply(now_,
                       stage_input::FetchFailed{stage(step), attempt, partition, ShuffleId{number(step, "shuffle")},
                                                number(step, "map"), place},
                       effects_);
    } else if (verb == "failed") {
      scheduler_.apply(now_, stage_input::TaskFailed{stage(step), attempt, partition}, effects_);
    } else if (verb == "resubmitted") {
      scheduler_.apply(now_, stage_input::TaskResubmitted{stage(step), attempt, partition}, effects_);
    } else {
      throw std::runtime_error{"unknown verb " + std::string{verb}};
    }
  }

  json::value set_of(const SubmitTaskSet& set) const {
    json::object result{{"stage", set.stage.value},
                        {"attempt", set.attempt},
                        {"kind", set.kind == StageKind::map ? "map" : "result"},
                        {"priority", set.job.value}};
    json::array partitions;
    json::array preferred;
    bool has_any = false;
    for (const IndexRange& range : set.partitions) {
      for (std::int32_t partition = range.first; partition < range.first + range.count; ++partition) {
        json::array places;
        for (const PreferredLocation& place : set.places.of(partitions.size(), partition)) {
          std::string name = hosts_.name(place.host.value);
          if (place.kind == PreferredLocation::Kind::executor) name += "/" + executors_.name(place.executor.value);
          places.emplace_back(name);
        }
        has_any = has_any || !places.empty();
        partitions.emplace_back(partition);
        preferred.emplace_back(std::move(places));
      }
    }
    result["partitions"] = std::move(partitions);
    if (set.kind == StageKind::map) result["shuffle"] = set.shuffle.value;
    if (has_any) result["preferred"] = std::move(preferred);
    return result;
  }

  json::array outputs() const {
    json::array all;
    const MapOutputTable& table = scheduler_.outputs();
    for (const ShuffleId shuffle : table.shuffles()) {
      json::array places;
      for (std::int32_t map = 0; map < table.maps(shuffle); ++map) {
        const MapStatusLocation place = table.place(shuffle, map);
        if (place.is_none()) {
          places.emplace_back(nullptr);
        } else {
          places.emplace_back(executors_.name(place.executor.value));
        }
      }
      all.emplace_back(json::array{shuffle.value, std::move(places)});
    }
    return all;
  }

  /// Effects by field, in the order of the recording.
  json::object gather() const {
    json::array submitted;
    json::array done;
    json::array removed;
    std::set<StageId> cancelled;
    std::set<StageId> killed;
    std::vector<std::array<std::int64_t, 3>> results;
    std::vector<std::int64_t> failed;
    std::vector<std::int64_t> ended;
    bool has_resubmission = false;
    for (const StageEffect& effect : effects_) {
      if (const auto* set = std::get_if<SubmitTaskSet>(&effect)) submitted.emplace_back(set_of(*set));
      if (const auto* result = std::get_if<JobResult>(&effect))
        results.push_back({result->job.value, result->output, 0});
      if (const auto* job = std::get_if<JobFailed>(&effect)) failed.push_back(job->job.value);
      if (const auto* job = std::get_if<JobEnded>(&effect)) ended.push_back(job->job.value);
      if (const auto* stage_gone = std::get_if<CancelStage>(&effect)) cancelled.insert(stage_gone->stage);
      if (const auto* stage_done = std::get_if<KillStageAttempts>(&effect)) killed.insert(stage_done->stage);
      if (const auto* told = std::get_if<PartitionDone>(&effect))
        done.emplace_back(json::array{told->stage.value, told->partition});
      if (const auto* gone = std::get_if<BlocksRemoved>(&effect))
        removed.emplace_back(executors_.name(gone->executor.value));
      has_resubmission = has_resubmission || std::holds_alternative<ResubmitScheduled>(effect);
    }
    json::array jobs;
    std::sort(results.begin(), results.end());
    std::sort(failed.begin(), failed.end());
    std::sort(ended.begin(), ended.end());
    for (const auto& result : results) jobs.emplace_back(json::array{"result", result[0], result[1]});
    for (const std::int64_t job : failed) jobs.emplace_back(json::array{"failed", job});
    for (const std::int64_t job : ended) jobs.emplace_back(json::array{"ended", job});
    json::object got;
    const auto put = [&got](std::string_view field, json::array values) {
      if (!values.empty()) got[field] = std::move(values);
    };
    put("submitted", std::move(submitted));
    put("jobs", std::move(jobs));
    put("cancelled", sorted_ids(cancelled));
    put("killed", sorted_ids(killed));
    put("partition_done", std::move(done));
    put("blocks_removed", std::move(removed));
    if (has_resubmission) got["resubmit_scheduled"] = true;
    return got;
  }

  /// The recording has fields of state only when they changed. These three fields and the outputs are empty at first.
  void compare(const json::object& expect) {
    json::object got = gather();
    const auto put_changed = [this, &got](std::string_view field, json::array values) {
      json::array& before = state_[field].is_array() ? state_[field].as_array() : state_[field].emplace_array();
      if (before == values) return;
      got[field] = values;
      before = std::move(values);
    };
    put_changed("waiting", sorted_ids(scheduler_.waiting()));
    put_changed("running", sorted_ids(scheduler_.running()));
    put_changed("failed", sorted_ids(scheduler_.failed()));
    put_changed("outputs", outputs());
    for (const std::string& field : field_names(expect, got))
      report_.check(step_, field, value_or_null(expect, field), value_or_null(got, field));
  }

  Report& report_;
  Names hosts_;
  Names executors_;
  std::vector<std::int32_t> partitions_;  // of the datasets
  std::vector<std::int32_t> maps_;        // of the shuffles
  std::set<std::int32_t> submitted_;
  StageScheduler scheduler_;
  StageEffects effects_;
  Instant now_{};
  int step_ = 0;
  json::object state_;
};

void run(const json::object& test_case, Report& report) {
  StageScript script{test_case.at("settings").as_object(), report};
  script.run(test_case.at("steps").as_array());
}

const Kind kind{"stage_graph", run};

}  // namespace

}  // namespace stage_graph_kind
}  // namespace heddle::conformance
