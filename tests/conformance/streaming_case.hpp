// What kinds of recorded Hadoop Streaming jobs share: a folder for one case, and a run of the program heddle in it.
#pragma once

#include <boost/json.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::conformance {

/// A folder that the destructor removes. The job runs in `job`; the rest belongs to the test.
class CaseFolder {
public:
  CaseFolder();
  ~CaseFolder();
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;
  [[nodiscard]] std::filesystem::path job() const { return path_ / "job"; }
  [[nodiscard]] std::filesystem::path state() const { return path_ / "state"; }
  [[nodiscard]] std::filesystem::path answer() const { return path_ / "answer"; }
  /// Empty; for the commands of the job.
  [[nodiscard]] std::filesystem::path scratch() const { return path_ / "scratch"; }

private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Writes the `files` of a case, and its `existing_folders`.
void lay_out(const boost::json::object& input, const std::filesystem::path& folder);

/// Where the jobs of all cases run.
struct StreamingTarget {
  std::string framework = "driver";  // driver, classic or yarn
  std::string master;                // empty: local[2] with framework driver, else one node with two cores
};
[[nodiscard]] StreamingTarget& streaming_target();

/// Arguments of `heddle mapreduce` before those of the case. `attempts`: of each task, if the case does not say; 0: the
/// default of the framework.
[[nodiscard]] std::vector<std::string> streaming_words(int attempts);
/// Attempts of cases that Hadoop ran on LocalJobRunner, which has one for each task.
[[nodiscard]] int attempts_of_local_runner();

/// Runs the heddle program beside this one. Returns its exit code, or 128 + n if signal n killed it. Its stdout is in
/// the file folder.answer().
int run_program(std::vector<std::string> words, const CaseFolder& folder);

/// The object `counters` of the summary; empty if there is none.
[[nodiscard]] boost::json::object counters_of(const CaseFolder& folder);

}  // namespace heddle::conformance
