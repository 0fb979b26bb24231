// Messages to a job service: any role that runs jobs for clients. A client knows this interface only, whichever role
// runs its jobs.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from the client -----------------------------------------------------------

/// Run this job. The job service answers with JobAccepted, and with JobFinished once. The package is in the message, or
/// in the file `package_file` (job_package_file.hpp), which the receiver reads; then `package` is empty.
/// Cluster mode: if the Driver is lost, the client submits the job again to the next Driver. That one completes a
/// commit that was decided; otherwise it removes what was written and runs the job again. A JobTracker that recovers
/// jobs continues the job that it knows already.
struct SubmitJob {
  std::int64_t request = 0;
  JobPackage package;
  std::string package_file = {};     // absolute path; empty: the package is in this message
  std::int32_t earlier_drivers = 0;  // lost Drivers to which this job was submitted before
  JobRules rules = {};               // for a JobTracker
  std::string user = {};             // who submits it; for a JobTracker
  JobId earlier_job = {};            // id that a lost JobTracker gave this job; none: it had none, see earlier_drivers
};
HEDDLE_MESSAGE(SubmitJob, request, package, package_file, earlier_drivers, rules, user, earlier_job)

/// Cancel this job: kill its tasks, remove its output, answer with JobFinished.
struct CancelJob {
  JobId job;
  std::string reason;
};
HEDDLE_MESSAGE(CancelJob, job, reason)

// -- from its background work; not part of the interface that clients know ---------------------------

/// The package of a job, read from its file on the background thread. `text`: why it cannot be used; empty if it can.
struct PackageRead {
  JobId job;
  JobPackage package;
  std::string text;
};
HEDDLE_MESSAGE(PackageRead, job, package, text)

enum class OutputFound : std::uint8_t { refused, ready, committed };

/// Output folders of a job, prepared on the background thread. `ready`: created; `refused`: not available, see `text`;
/// `committed`: an earlier application attempt had decided the commit, and it is complete now. `kept`: folders of task
/// attempts of earlier application attempts whose files stay.
struct OutputPrepared {
  JobId job;
  OutputFound found = OutputFound::refused;
  std::string text;
  std::vector<std::string> kept = {};
  FailureKind failure = FailureKind::none;  // of `refused`
};
HEDDLE_MESSAGE(OutputPrepared, job, found, text, kept, failure)

inline OutputPrepared refused_output(JobId job, const Error& why) {
  return {job, OutputFound::refused, why.text, {}, failure_of(why, FailureKind::output)};
}

/// The commit of a job, or its abort, has ended on the background thread. `failure`: none if it succeeded; then `text`
/// is a notice, or empty.
struct JobCommitted {
  JobId job;
  FailureKind failure = FailureKind::none;
  std::string text;
};
HEDDLE_MESSAGE(JobCommitted, job, failure, text)

inline JobCommitted failed_commit(JobId job, const Error& why) {
  return {job, failure_of(why, FailureKind::output), why.text};
}

/// Interface of a job service: one line per message from the client, in the same order.
using JobServiceActor = caf_compat::Interface<void(SubmitJob), void(CancelJob)>;

}  // namespace heddle
