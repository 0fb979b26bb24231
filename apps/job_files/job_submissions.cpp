#include "apps/job_files/job_submissions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "messages/job_submission_file.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::apps {
namespace {

constexpr std::string_view submission_prefix = "job-";
constexpr std::string_view submission_suffix = ".submission";

std::optional<JobId> job_of_file(std::string_view name) {
  if (!name.starts_with(submission_prefix) || !name.ends_with(submission_suffix)) return std::nullopt;
  name.remove_prefix(submission_prefix.size());
  name.remove_suffix(submission_suffix.size());
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (fault != std::errc{} || end != name.data() + name.size() || number < 1) return std::nullopt;
  return JobId{number};
}

}  // namespace

std::string JobSubmissions::path_of(JobId job) const {
  return fmt::format("{}/{}{}{}", folder_, submission_prefix, job.value, submission_suffix);
}

Result<Done> JobSubmissions::open() const { return work::LocalFileSystem{}.make_directories(folder_); }

Result<std::vector<JobId>> JobSubmissions::list() const {
  const auto files = work::LocalFileSystem{}.list(folder_);
  if (!files) return files.error();
  std::vector<JobId> jobs;
  for (const auto& file : *files)
    if (const auto job = job_of_file(std::filesystem::path{file.path}.filename().string())) jobs.push_back(*job);
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

Result<Done> JobSubmissions::save(const JobSubmission& submission) {
  const auto path = path_of(submission.job);
  const auto bytes = write_job_submission(submission);
  if (!bytes) return Error{bytes.error().code, fmt::format("cannot write '{}': {}", path, bytes.error().text)};
  return work::LocalFileSystem{}.write_atomically(path, *bytes, folder_);
}

Result<JobSubmission> JobSubmissions::load(JobId job) const {
  const auto path = path_of(job);
  const auto bytes = work::LocalFileSystem{}.read_all(path);
  if (!bytes) return bytes.error();
  auto submission = read_job_submission(*bytes);
  if (!submission)
    return Error{submission.error().code, fmt::format("cannot use '{}': {}", path, submission.error().text)};
  if (submission->job != job)
    return Error{Errc::corrupt,
                 fmt::format("cannot use '{}': it is the submission of job {}", path, submission->job.value)};
  return submission;
}

Result<Done> JobSubmissions::remove(JobId job) { return work::LocalFileSystem{}.remove_all(path_of(job), folder_); }

}  // namespace heddle::apps
