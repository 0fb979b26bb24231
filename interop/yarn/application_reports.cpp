#include "interop/yarn/application_reports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/yarn/yarn_ids.hpp"
#include "interop/yarn/yarn_records.hpp"

namespace heddle::interop {
namespace {

const char* name_of(proto::ApplicationState state) {
  switch (state) {
    case proto::APPLICATION_NEW: return "NEW";
    case proto::APPLICATION_NEW_SAVING: return "NEW_SAVING";
    case proto::APPLICATION_SUBMITTED: return "SUBMITTED";
    case proto::APPLICATION_ACCEPTED: return "ACCEPTED";
    case proto::APPLICATION_RUNNING: return "RUNNING";
    case proto::APPLICATION_FINISHED: return "FINISHED";
    case proto::APPLICATION_FAILED: return "FAILED";
    case proto::APPLICATION_KILLED: return "KILLED";
  }
  return "UNKNOWN";
}

const char* name_of(proto::FinalStatus status) {
  switch (status) {
    case proto::FINAL_UNDEFINED: return "UNDEFINED";
    case proto::FINAL_SUCCEEDED: return "SUCCEEDED";
    case proto::FINAL_FAILED: return "FAILED";
    case proto::FINAL_KILLED: return "KILLED";
    case proto::FINAL_ENDED: return "ENDED";
  }
  return "UNKNOWN";
}

const char* name_of(proto::ApplicationAttemptState state) {
  switch (state) {
    case proto::ATTEMPT_NEW: return "NEW";
    case proto::ATTEMPT_SUBMITTED: return "SUBMITTED";
    case proto::ATTEMPT_SCHEDULED: return "SCHEDULED";
    case proto::ATTEMPT_ALLOCATED_SAVING: return "ALLOCATED_SAVING";
    case proto::ATTEMPT_ALLOCATED: return "ALLOCATED";
    case proto::ATTEMPT_LAUNCHED: return "LAUNCHED";
    case proto::ATTEMPT_FAILED: return "FAILED";
    case proto::ATTEMPT_RUNNING: return "RUNNING";
    case proto::ATTEMPT_FINISHING: return "FINISHING";
    case proto::ATTEMPT_FINISHED: return "FINISHED";
    case proto::ATTEMPT_KILLED: return "KILLED";
  }
  return "UNKNOWN";
}

const char* name_of(proto::ContainerState state) {
  switch (state) {
    case proto::C_NEW: return "NEW";
    case proto::C_RUNNING: return "RUNNING";
    case proto::C_COMPLETE: return "COMPLETE";
  }
  return "UNKNOWN";
}

bool is_collecting(proto::LogCollection status) {
  return status == proto::LOGS_NOT_BEGUN || status == proto::LOGS_RUNNING || status == proto::LOGS_RUNNING_WITH_FAILURE;
}

/// Texts that a ResourceManager does not know yet are "N/A".
std::string known(const std::string& text) { return text == "N/A" ? std::string{} : text; }

std::int64_t positive(std::int64_t time_ms) { return std::max<std::int64_t>(time_ms, 0); }

}  // namespace

ApplicationReport application_report(const proto::ApplicationReport& report) {
  ApplicationReport made;
  made.id = application_of(report.application_id());
  made.name = report.name();
  made.type = report.application_type();
  made.user = report.user();
  made.queue = report.queue();
  made.state = name_of(report.state());
  made.final_status = name_of(report.final_status());
  made.is_over = is_final(report.state());
  made.progress = std::clamp(static_cast<double>(report.progress()), 0.0, 1.0);
  made.priority = report.priority().priority();
  made.tags.assign(report.tags().begin(), report.tags().end());
  made.submitted_ms = positive(report.start_time());
  made.started_ms = positive(report.launch_time());
  made.ended_ms = positive(report.finish_time());
  made.page = known(report.tracking_url());
  if (!known(report.host()).empty() && report.rpc_port() > 0)
    made.driver = fmt::format("{}:{}", report.host(), report.rpc_port());
  made.diagnostics = explained_diagnostics(report.diagnostics());
  made.is_collecting_logs = is_collecting(report.log_collection());
  return made;
}

std::vector<ApplicationAttemptReport> attempt_reports(const proto::GetApplicationAttemptsResponse& response) {
  std::vector<ApplicationAttemptReport> made;
  for (const auto& report : response.attempts()) {
    auto& attempt = made.emplace_back();
    attempt.attempt = report.attempt_id().attempt_id();
    attempt.state = name_of(report.state());
    if (report.has_master_container()) attempt.container = container_name(report.master_container());
    attempt.started_ms = positive(report.start_time());
    attempt.ended_ms = positive(report.finish_time());
    attempt.diagnostics = explained_diagnostics(report.diagnostics());
  }
  std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.attempt < b.attempt; });
  return made;
}

std::vector<ContainerReport> container_reports(const proto::GetContainersResponse& response) {
  std::vector<ContainerReport> made;
  for (const auto& report : response.containers()) {
    auto& container = made.emplace_back();
    container.name = container_name(report.container_id());
    container.host = report.node_id().host();
    container.node_page = known(report.node_http_address());
    container.state = name_of(report.state());
    container.log = known(report.log_url());
    container.exit_status = report.exit_status();
    container.started_ms = positive(report.creation_time());
    container.ended_ms = positive(report.finish_time());
  }
  std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return made;
}

}  // namespace heddle::interop
