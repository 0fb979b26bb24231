#include "work/output/commit_steps.hpp"

#include <algorithm>
#include <set>

#include "work/output/commit_journal.hpp"
#include "work/output/output_folder.hpp"
#include "work/output/output_writer.hpp"

namespace heddle::work {
namespace {

Result<Done> add_winners(const ports::FileSystem& files, const OutputWinners& output, std::int32_t application_attempt,
                         CommitRecord& record) {
  for (const auto& winner : output.task_attempts) {
    const auto folder = attempt_folder(output.path, application_attempt, winner);
    auto children = files.list(folder);
    if (!children && children.error().code == Errc::not_found && output.lazy) continue;
    if (!children) return children.error();
    if (children->empty() && !output.lazy)
      return Error{Errc::not_found, "'" + folder + "' is empty: the output of a finished task is gone"};
    for (const auto& child : *children)
      record.files.push_back(CommitFile{child.path, output.path + '/' + last_component(child.path)});
  }
  return Done{};
}

/// The files of a record, then all folders between them and their outputs, each once.
std::vector<std::string> paths_to_sync(const CommitRecord& record) {
  std::vector<std::string> paths;
  std::set<std::string> folders(record.outputs.begin(), record.outputs.end());
  for (const auto& file : record.files) {
    paths.push_back(file.from);
    for (auto folder = file.from.substr(0, file.from.rfind('/')); folders.insert(folder).second;)
      folder.resize(folder.rfind('/'));
  }
  paths.insert(paths.end(), folders.begin(), folders.end());
  return paths;
}

Result<Done> sync(ports::FileSystem& files, const CommitRecord& record) {
  if (auto done = files.sync(paths_to_sync(record)); !done) return done;
  // Folders above the outputs may be unreadable; only they know of an output that is new.
  for (const auto& output : record.outputs) static_cast<void>(files.sync({ports::parent_of(output)}));
  return Done{};
}

}  // namespace

Result<CommitRecord> decide_commit(ports::FileSystem& files, const std::vector<OutputWinners>& outputs,
                                   std::int32_t application_attempt, bool syncs) {
  const auto path = record_path(outputs.front().path);
  const auto is_decided = files.is_present(path);
  if (!is_decided) return is_decided.error();
  if (!*is_decided) {
    CommitRecord record;
    record.application_attempt = application_attempt;
    for (const auto& output : outputs) {
      record.outputs.push_back(output.path);
      if (auto done = add_winners(files, output, application_attempt, record); !done) return done.error();
    }
    const auto own_folder = temporary_of(outputs.front().path) + '/' + std::to_string(application_attempt);
    if (syncs)
      if (auto synced = sync(files, record); !synced) return synced.error();
    auto created = files.create_once(path, commit_record_text(record), own_folder);
    if (created && *created) return record;
    if (!created) {
      // The record may exist although the answer was lost: only its absence proves that nothing is decided.
      const auto is_there = files.is_present(path);
      if (!is_there || !*is_there) return created.error();
    }
  }
  auto text = files.read_all(path);
  if (!text) return text.error();
  std::vector<std::string> paths;
  for (const auto& output : outputs) paths.push_back(output.path);
  return read_commit_record(path, *text, paths);
}

Result<ports::OutputCommitted> complete_commit(ports::FileSystem& files, const CommitRecord& record,
                                               const OutputCommitSettings& settings) {
  const auto not_done = [&](const Error& error) {
    return Error{error.code, error.text + "; its commit is decided: the next run with the output '" +
                                 record.outputs.front() + "' finishes it"};
  };
  for (const auto& file : record.files) {
    const auto output = std::find_if(record.outputs.begin(), record.outputs.end(),
                                     [&](const std::string& each) { return is_child_of_output(file.to, each); });
    if (output == record.outputs.end()) return Error{Errc::corrupt, "'" + file.to + "' is in no output of this job"};
    if (auto done = files.rename_replacing(file.from, file.to, *output); !done) return not_done(done.error());
  }
  for (const auto& output : record.outputs)
    if (auto done = files.write_atomically(success_path(output), {}, temporary_of(output)); !done)
      if (const auto there = files.is_present(success_path(output)); !there || !*there) return not_done(done.error());
  return clean_up_commit(files, record.outputs, settings);
}

Result<ports::OutputCommitted> finish_commit(ports::FileSystem& files, const std::vector<std::string>& outputs,
                                             const OutputCommitSettings& settings) {
  const auto path = record_path(outputs.front());
  if (auto done = put_back(files, outputs); !done) return done.error();
  const auto text = files.read_all(path);
  if (!text) return text.error();
  const auto record = read_commit_record(path, *text, outputs);
  if (!record) return record.error();
  return complete_commit(files, *record, settings);
}

ports::OutputCommitted clean_up_commit(ports::FileSystem& files, const std::vector<std::string>& outputs,
                                       const OutputCommitSettings& settings) {
  record_in_journal(files, settings, outputs);
  ports::OutputCommitted end;
  for (auto output = outputs.rbegin(); output != outputs.rend(); ++output)
    if (auto done = remove_temporary(files, *output); !done) {
      end.notice = "the output is committed, but working files of it stay: " + done.error().text +
                   "; remove them: " + remove_command(temporary_of(*output));
      return end;
    }
  if (settings.keeps_success) return end;
  for (const auto& output : outputs)
    if (auto done = files.remove_all(success_path(output), output); !done) end.notice = done.error().text;
  return end;
}

}  // namespace heddle::work
