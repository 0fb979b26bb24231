#include "work/tasks/task_execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "model/java_number.hpp"
#include "ports/output_commit.hpp"
#include "work/commands/process_tree.hpp"
#include "work/output/attempt_folder.hpp"
#include "work/tasks/attempt_environment.hpp"
#include "work/tasks/body_runner.hpp"
#include "work/tasks/byte_queue.hpp"
#include "work/tasks/map_output_copier.hpp"
#include "work/tasks/task_counting.hpp"

namespace heddle::work {
namespace {

constexpr std::size_t combiner_runner = 63;  // larger than every position in a chain
constexpr std::size_t queue_bytes = 1 << 20;

void fail(TaskOutcome& outcome, FailureKind kind, std::string text) {
  if (outcome.failure != FailureKind::none) return;
  outcome.state = TaskState::failed;
  outcome.failure = kind;
  outcome.text = std::move(text);
}

void merge_result(BodyResult end, TaskOutcome& outcome) {
  for (auto& counter : end.counters) {
    const auto known = std::find_if(outcome.counters.begin(), outcome.counters.end(),
                                    [&](const auto& one) { return one.first == counter.first; });
    if (known == outcome.counters.end()) outcome.counters.push_back(std::move(counter));
    else known->second = java::wrap_add(known->second, counter.second);
  }
  outcome.standard_error += end.standard_error;
  if (end.exit_code != 0) outcome.exit_code = end.exit_code;
  if (end.failure != FailureKind::none) fail(outcome, end.failure, std::move(end.text));
}

}  // namespace

/// Opens and closes input and output of one attempt.
class TaskExecution::TaskIo {
public:
  TaskIo(TaskExecution& execution, const TaskAttempt& attempt, TaskOutcome& outcome)
      : execution_{execution}, attempt_{attempt}, work_{*attempt.work}, outcome_{outcome} {}
  ~TaskIo() { execution_.counts_.clear(); }
  TaskIo(const TaskIo&) = delete;
  TaskIo& operator=(const TaskIo&) = delete;

  bool open_input() {
    const auto& settings = execution_.settings_;
    if (attempt_.split != nullptr) {
      const auto number = static_cast<std::size_t>(attempt_.split->input);
      if (number >= work_.inputs.size())
        return refuse(FailureKind::internal,
                      Error{Errc::corrupt, "the split refers to an input that the stage does not have"});
      const auto& input = work_.inputs[number];
      auto reader = open_records(*settings.files, input, attempt_.split->split, settings.reader);
      if (!reader) return refuse(failure_of(reader.error(), FailureKind::input), reader.error());
      reader_ = std::move(*reader);
      show_counts();
      execution_.progress_.enter(ports::TaskPhase::map, 0);
      const auto length = static_cast<float>(std::max<std::int64_t>(attempt_.split->split.length, 1));
      input_ = std::make_unique<MeasuredInput>(make_split_input(*reader_, input), execution_.progress_, [this, length] {
        const auto bytes = reader_->hadoop_bytes_read();
        execution_.counts_.set_bytes_read(bytes);
        return std::min(static_cast<float>(bytes) / length, 1.0F);
      });
    } else if (!work_.shuffle_inputs.empty()) {
      return open_shuffle();
    } else {
      input_ = std::make_unique<EmptyInput>();
    }
    return true;
  }

  bool open_output(const BodyContext& body_context) {
    const auto& settings = execution_.settings_;
    if (work_.shuffle_output) {
      const auto& output = *work_.shuffle_output;
      Combine combine;
      if (output.description.combiner) combine = make_combine(body_context);
      auto writer_settings = settings.shuffle_writer;
      writer_settings.map_reduce = work_.map_reduce;
      auto writer = ShuffleWriter::open(output, attempt_.index,
                                        std::to_string(work_.key.attempt) + "." + std::to_string(attempt_.attempt),
                                        writer_settings, std::move(combine));
      if (!writer) return refuse(FailureKind::shuffle_write, writer.error());
      shuffle_writer_ = std::move(*writer);
      output_ = make_shuffle_output(
          [this](std::string_view key, std::string_view value) { return shuffle_writer_->add(key, value); },
          output.description, settings.reader.line_bytes_max);
    } else if (work_.output) {
      OutputAttempt who{work_.application_attempt,
                        ports::task_attempt_name(work_.key, attempt_.index, attempt_.attempt), attempt_.index,
                        settings.syncs_output};
      auto writer = OutputWriter::open(*settings.files, *work_.output, who);
      if (!writer) return refuse(failure_of(writer.error(), FailureKind::output), writer.error());
      output_writer_ = std::move(*writer);
      output_ = make_text_output(*output_writer_, *work_.output, settings.reader.line_bytes_max);
    } else if (work_.keep_standard_output && !settings.log_directory.empty()) {
      output_ = std::make_unique<LogOutput>(log_path("stdout"), settings.log_bytes_max, settings.log_place);
    } else {
      output_ = std::make_unique<NoOutput>();
    }
    show_counts();
    return true;
  }

  /// After the bodies: completes the output and fills the counters.
  void close() {
    if (reader_) {
      outcome_.bytes_read = reader_->bytes_read();
      outcome_.records_read = reader_->records_read();
    }
    if (shuffle_reader_) {
      outcome_.bytes_shuffled_in = shuffle_reader_->bytes_in();
      outcome_.records_read = shuffle_reader_->records_read();
      outcome_.bytes_spilled = shuffle_reader_->bytes_spilled();
    }
    const auto& settings = execution_.settings_;
    if (!settings.log_directory.empty() && !outcome_.standard_error.empty()) {
      LogOutput errors{log_path("stderr"), settings.log_bytes_max, settings.log_place};
      [[maybe_unused]] const auto kept = errors.add_text(outcome_.standard_error);
    }
    if (output_writer_ && output_writer_->is_interrupted() && outcome_.failure != FailureKind::none)
      outcome_.failure = FailureKind::output_interrupted;
    if (outcome_.failure != FailureKind::none || execution_.is_killed_.load()) return;
    if (shuffle_writer_) {
      auto written = shuffle_writer_->finish();
      if (!written) return fail(outcome_, FailureKind::shuffle_write, written.error().text);
      outcome_.partition_bytes = std::move(written->partition_bytes);
      outcome_.bytes_shuffled_out = written->bytes;
      outcome_.records_written = written->counts.records_in;
      outcome_.bytes_spilled += written->bytes_spilled;
      if (work_.map_reduce) count_output(written->counts, outcome_.task_counters);
    }
    if (output_writer_) {
      auto finished = output_writer_->finish();
      if (!finished) return fail(outcome_, failure_of(finished.error(), FailureKind::output), finished.error().text);
      outcome_.bytes_written = output_writer_->bytes_written();
      outcome_.records_written = output_writer_->records_written();
    }
    if (work_.map_reduce) count(*work_.map_reduce);
  }

  /// After a failure or a kill: keeps what the attempt has counted.
  void keep_counters() {
    execution_.counts_.set_task_counters(outcome_.task_counters);
    if (outcome_.counters.empty()) outcome_.counters = std::move(execution_.progress_.snapshot().counters.user);
  }

  /// Determines the kind of a failure of input or output.
  void explain(BodyResult& end) {
    if (end.is_output_side && shuffle_writer_) end.failure = FailureKind::shuffle_write;
    if (!end.is_input_side || !shuffle_reader_) return;
    const std::int32_t map = shuffle_reader_->failed_map();
    if (map >= 0) set_fetch_failure(map, {}, end.text);
    if (map >= 0) end.failure = FailureKind::fetch_failed;
  }

  [[nodiscard]] TaskInput& input() { return *input_; }
  [[nodiscard]] TaskOutput& output() { return *output_; }
  [[nodiscard]] bool has_input() const { return reader_ || shuffle_reader_; }

private:
  /// Counts as Hadoop does what the input and a part file do not count themselves.
  void count(const MapReduceRules& rules) {
    if (auto excess = excess_of_counters(outcome_, rules); !excess.empty())
      return fail(outcome_, FailureKind::exception, std::move(excess));
    auto& counters = outcome_.task_counters;
    if (reader_) count_input(*reader_, counters);
    if (shuffle_reader_) count_input(*shuffle_reader_, groups_->groups(), copied_, maps(), rules, counters);
    if (output_writer_) count_output(*output_writer_, *work_.output, shuffle_reader_ != nullptr, counters);
  }

  /// Maps whose outputs the attempt reads.
  [[nodiscard]] std::int32_t maps() const {
    std::int32_t sum = 0;
    for (const auto& shuffle : work_.shuffle_inputs) sum += shuffle.maps;
    return sum;
  }

  bool refuse(FailureKind kind, const Error& error) {
    fail(outcome_, kind, error.text);
    return false;
  }

  [[nodiscard]] std::string log_path(const char* kind) const {
    const auto& settings = execution_.settings_;
    const bool is_flat = settings.log_place == LogPlace::container_folder;
    return fmt::format("{}/{}{}.{}{}{}.{}.{}", settings.log_directory, is_flat ? "task-" : "", work_.key.stage.value,
                       work_.key.attempt, is_flat ? '-' : '/', attempt_.index, attempt_.attempt, kind);
  }

  /// Fetches the partition of all inputs; map numbers of the second input follow those of the first.
  bool open_shuffle() {
    auto settings = execution_.settings_.shuffle_reader;
    if (settings.spill_directory.empty()) settings.spill_directory = execution_.settings_.work_directory;
    const auto& description = work_.shuffle_inputs.front().description;
    std::unique_ptr<ports::MergeRules> rules;
    if (work_.map_reduce && execution_.settings_.merge_rules) {
      auto made = execution_.settings_.merge_rules(*work_.map_reduce);
      if (!made) return refuse(FailureKind::input, made.error());
      rules = std::move(*made);
    }
    auto reader = ShuffleReader::open(description, settings, std::move(rules));
    if (!reader) return refuse(FailureKind::input, reader.error());
    shuffle_reader_ = std::move(*reader);
    constexpr float merged = 2.0F / 3;
    if (work_.map_reduce) groups_.emplace(*shuffle_reader_);
    show_counts();
    RecordStream& records = groups_ ? static_cast<RecordStream&>(*groups_) : *shuffle_reader_;
    input_ = std::make_unique<MeasuredInput>(make_shuffle_input(records, description), execution_.progress_,
                                             [] { return merged; });
    execution_.progress_.enter(ports::TaskPhase::shuffle, 0);
    std::int32_t base = 0;
    for (const auto& shuffle : work_.shuffle_inputs) {
      if (!fetch(shuffle, base)) return false;
      base += shuffle.maps;
    }
    execution_.progress_.enter(ports::TaskPhase::reduce, merged);
    return true;
  }

  /// Lets other threads read the counts of what is open.
  void show_counts() {
    execution_.counts_.use({work_.map_reduce.has_value(), reader_.get(), shuffle_reader_.get(),
                            groups_ ? &*groups_ : nullptr, shuffle_writer_.get(), output_writer_.get(),
                            work_.output ? &*work_.output : nullptr});
  }

  void count_copied() {
    execution_.counts_.set_maps_copied(++copied_);
    const auto most = std::max<std::int64_t>(maps(), copied_);
    execution_.progress_.set_fraction(static_cast<float>(copied_) / static_cast<float>(most) / 3);
    execution_.progress_.add_sign();
  }

  bool fetch(const ShuffleInput& shuffle, std::int32_t base) {
    const auto stop = execution_.fetch_stop();
    if (!stop) return refuse(FailureKind::input, stop.error());
    const auto& make_rules = execution_.settings_.copy_rules;
    const auto rules = make_rules ? make_rules(work_.key, attempt_.index, attempt_.attempt, shuffle.maps) : nullptr;
    MapOutputCopier copier{{shuffle.shuffle, attempt_.index, *stop, rules.get()},
                           execution_.fetch_,
                           execution_.locations_,
                           execution_.is_killed_,
                           [&](ports::FetchedSegment segment) -> std::optional<SegmentFault> {
                             segment.map += base;
                             auto added = shuffle_reader_->add(std::move(segment));
                             if (added) count_copied();
                             if (added) return std::nullopt;
                             return SegmentFault{added.error(), shuffle_reader_->failed_map() >= 0};
                           }};
    const auto end = copier.copy();
    switch (end.kind) {
      case CopyEnd::Kind::copied:
      case CopyEnd::Kind::killed: return true;
      case CopyEnd::Kind::failed: return refuse(FailureKind::input, end.error);
      case CopyEnd::Kind::lost: break;
    }
    if (end.failure.map >= 0) {
      set_fetch_failure(end.failure.map + base, end.failure.at, end.failure.text);
      return false;
    }
    outcome_.failed_shuffle = shuffle.shuffle;
    fail(outcome_, FailureKind::fetch_failed, end.failure.text);
    return false;
  }

  void set_fetch_failure(std::int32_t map, const MapOutputLocation& at, const std::string& text) {
    if (outcome_.failure != FailureKind::none) return;
    for (const auto& shuffle : work_.shuffle_inputs) {
      if (map >= shuffle.maps) {
        map -= shuffle.maps;
        continue;
      }
      outcome_.failed_shuffle = shuffle.shuffle;
      outcome_.failed_map = map;
      outcome_.failed_at = at;
      const auto locations = execution_.locations_.latest(shuffle.shuffle);
      const auto index = static_cast<std::size_t>(map);
      if (at == MapOutputLocation{} && locations && map >= 0 && index < locations->place_of_map.size() &&
          locations->place_of_map[index] >= 0) {
        outcome_.failed_at = locations->places[static_cast<std::size_t>(locations->place_of_map[index])];
      }
      break;
    }
    fail(outcome_, FailureKind::fetch_failed, text);
  }

  Combine make_combine(const BodyContext& body_context) {
    return [this, &body_context](RecordStream& records, const RecordSink& sink) -> Result<Done> {
      const auto& description = work_.shuffle_output->description;
      ShuffleDescription written = description;
      if (description.streaming) written.key = description.combined_key;
      const auto input = make_shuffle_input(records, description);
      const auto output = make_shuffle_output(sink, written, execution_.settings_.reader.line_bytes_max);
      BodyContext inner = body_context;
      inner.has_input = true;
      inner.drops_output_without_input = false;
      BodyResult end = run_body(*description.combiner, attempt_.functions->combiner, inner,
                                &execution_.runner_of(combiner_runner), *input, *output);
      const bool is_done = end.failure == FailureKind::none;
      std::string text = "combiner: " + end.text;
      end.failure = FailureKind::none;
      merge_result(std::move(end), outcome_);
      if (is_done) return Done{};
      return Error{Errc::failed, text};
    };
  }

  TaskExecution& execution_;
  const TaskAttempt& attempt_;
  const StageProgram& work_;
  TaskOutcome& outcome_;
  std::unique_ptr<RecordReader> reader_;
  std::unique_ptr<ShuffleReader> shuffle_reader_;
  std::optional<GroupCounter> groups_;  // of a reduce of a MapReduce job
  std::unique_ptr<ShuffleWriter> shuffle_writer_;
  std::unique_ptr<OutputWriter> output_writer_;
  std::unique_ptr<TaskInput> input_;
  std::unique_ptr<TaskOutput> output_;
  std::int64_t copied_ = 0;  // map outputs
};

/// Runs all bodies of an attempt as a pipeline.
class TaskExecution::Chain {
public:
  Chain(TaskExecution& execution, const TaskAttempt& attempt, const BodyContext& body_context)
      : execution_{execution}, attempt_{attempt}, surroundings_{body_context} {}

  void run(TaskIo& io, TaskOutcome& outcome) {
    const auto& bodies = attempt_.work->bodies;
    const std::size_t count = std::max<std::size_t>(bodies.size(), 1);
    std::vector<std::unique_ptr<ByteQueue>> queues;
    std::vector<BodyResult> ended(count);
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < count; ++i) {
      queues.push_back(std::make_unique<ByteQueue>(queue_bytes));
      if (!std::holds_alternative<CommandBody>(bodies[i])) continue;
      if (auto opened = queues.back()->make_pollable(); !opened)
        return fail(outcome, FailureKind::internal, opened.error().text);
    }
    const auto abort_body = [&](std::size_t i, const char* why) {
      ended[i].failure = FailureKind::internal;
      ended[i].text = "body " + std::to_string(i + 1) + " of the task failed to run: " + why;
      if (i > 0) queues[i - 1]->close_reader();
      if (i + 1 < count) queues[i]->close();
    };
    const auto run_one = [&](std::size_t i) {
      std::unique_ptr<TaskInput> between;
      if (i > 0) between = make_line_input(*queues[i - 1], execution_.settings_.reader.line_bytes_max);
      std::optional<QueueOutput> next;
      if (i + 1 < count) next.emplace(*queues[i]);
      BodyContext body_context = surroundings_;
      body_context.has_input = i > 0 || io.has_input();
      const TaskBody& body = bodies.empty() ? identity_ : bodies[i];
      const TaskFunction function = bodies.empty() ? nullptr : attempt_.functions->bodies[i];
      CommandRunner* runner = std::holds_alternative<CommandBody>(body) ? &execution_.runner_of(i) : nullptr;
      TaskInput& input = between ? *between : io.input();
      ended[i] =
          run_body(body, function, body_context, runner, input, next ? static_cast<TaskOutput&>(*next) : io.output());
      if (i > 0) queues[i - 1]->close_reader();
      if (!next) return;
      queues[i]->close();
      // If a reader closes early, its writer ends without failure, as in a shell.
      if (next->is_reader_closed() && ended[i].is_output_side) ended[i].failure = FailureKind::none;
    };
    const auto run_or_break_off = [&](std::size_t i) {
      try {
        run_one(i);
      } catch (const std::exception& fault) { abort_body(i, fault.what()); } catch (...) {
        abort_body(i, "an exception that is not a std::exception");
      }
    };
    bool has_threads = true;
    for (std::size_t i = 0; i + 1 < count && has_threads; ++i) {
      try {
        threads.emplace_back(run_or_break_off, i);
      } catch (const std::exception& fault) {
        has_threads = false;
        abort_body(i, fault.what());
      }
    }
    if (has_threads) run_or_break_off(count - 1);
    for (auto& thread : threads) thread.join();
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_first = i == 0;
      const bool is_last = i + 1 == count;
      if ((ended[i].is_input_side && is_first) || (ended[i].is_output_side && is_last)) io.explain(ended[i]);
      merge_result(std::move(ended[i]), outcome);
    }
  }

private:
  TaskExecution& execution_;
  const TaskAttempt& attempt_;
  const BodyContext& surroundings_;
  TaskBody identity_ = IdentityBody{};
};

TaskExecution::TaskExecution(const SlotTaskRunnerSettings& settings, ports::ShuffleFetch& fetch,
                             LocationTables& locations, ShippedFiles& shipped)
    : settings_{settings}, fetch_{fetch}, locations_{locations}, shipped_{shipped} {}

TaskExecution::~TaskExecution() = default;

CommandRunner& TaskExecution::runner_of(std::size_t body) {
  const std::lock_guard lock{mutex_};
  if (runners_.size() <= body) runners_.resize(body + 1);
  if (!runners_[body]) runners_[body] = std::make_unique<CommandRunner>(settings_.command);
  return *runners_[body];
}

Result<int> TaskExecution::fetch_stop() {
  const std::lock_guard lock{mutex_};
  if (auto opened = stop_fetch_.open("cannot watch a fetch"); !opened) return opened.error();
  if (is_killed_.load()) stop_fetch_.set();  // kill() was called before the descriptor existed
  return stop_fetch_.descriptor();
}

void TaskExecution::kill() {
  is_killed_.store(true);
  locations_.wake();
  const std::lock_guard lock{mutex_};
  stop_fetch_.set();
  for (auto& runner : runners_) {
    if (runner) runner->kill(settings_.kill_grace_ms);
  }
}

void TaskExecution::execute(const TaskAttempt& attempt, TaskOutcome& outcome) {
  const StageProgram& work = *attempt.work;
  const bool is_bare = attempt.split == nullptr && work.shuffle_inputs.empty() && !work.shuffle_output &&
                       !work.output && !work.keep_standard_output && work.bodies.size() == 1 &&
                       attempt.functions->bodies.front() != nullptr;
  if (!is_bare) {
    execute_whole(attempt, outcome);
  } else {
    // A single function without input and output.
    EmptyInput input;
    NoOutput output;
    BodyContext body_context;
    body_context.identity = {attempt.index, work.tasks, attempt.attempt, attempt.devices, &work.barrier_hosts};
    body_context.is_killed = &is_killed_;
    BodyResult end =
        run_body(work.bodies.front(), attempt.functions->bodies.front(), body_context, nullptr, input, output);
    if (end.failure != FailureKind::none || !end.counters.empty()) merge_result(std::move(end), outcome);
  }
  if (!is_killed_.load(std::memory_order_relaxed)) return;
  outcome.state = TaskState::killed;
  outcome.failure = FailureKind::killed;
}

void TaskExecution::execute_whole(const TaskAttempt& attempt, TaskOutcome& outcome) {
  const StageProgram& work = *attempt.work;
  if (!attempt.functions->missing.empty()) return fail(outcome, FailureKind::internal, attempt.functions->missing);
  progress_.clear(work.map_reduce ? work.map_reduce->counters_max : 0);
  has_progress_ = true;
  BodyContext body_context;
  body_context.identity = {attempt.index, work.tasks, attempt.attempt, attempt.devices, &work.barrier_hosts};
  body_context.is_killed = &is_killed_;
  body_context.progress = &progress_;
  body_context.pass_through = work.pass_through;
  body_context.terminal = work.terminal;
  body_context.drops_output_without_input =
      !work.shuffle_inputs.empty() && work.shuffle_inputs.front().description.streaming;
  if (work.map_reduce) body_context.reporter = reporter_rules(*work.map_reduce);
  AttemptFolder folder;
  if (ships_files(work)) {
    const std::string path =
        settings_.work_directory + "/" + ports::task_attempt_name(work.key, attempt.index, attempt.attempt);
    if (auto made = folder.make(path, work, shipped_); !made)
      return fail(outcome, FailureKind::internal, made.error().text);
    body_context.working_directory = folder.path();
  }
  body_context.mark = make_process_mark();
  body_context.environment = environment_of(attempt, body_context.mark);
  TaskIo io{*this, attempt, outcome};
  if (io.open_input() && io.open_output(body_context)) {
    Chain{*this, attempt, body_context}.run(io, outcome);
    io.close();
  }
  if (work.map_reduce && (outcome.failure != FailureKind::none || is_killed_.load())) io.keep_counters();
}

}  // namespace heddle::work
