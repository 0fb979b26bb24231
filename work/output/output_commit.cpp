// The file `_temporary/OWNER` names the process that owns an output. The folder is prepared beside the output as
// `.NAME.heddle-claim`; the rename to its name claims the output, and a removal begins with the rename back.
// States after a crash or a loss of power, and how a later run or application attempt recovers:
//   .NAME.heddle-claim       not decided: the next run that claims this output uses or empties it if its owner is dead
//   no COMMIT, no _SUCCESS   not decided: a later application attempt discards earlier attempts, except for folders of
//                            finished task attempts that it names, and runs the rest of the job again; a later run of
//                            the same user removes it if its owner is dead
//   COMMIT                   decided: moves the remaining files, writes _SUCCESS, removes _temporary
//   N.discarded, COMMIT      decided while a later attempt discarded the earlier ones: restores them, then as above
//   _SUCCESS, no COMMIT      committed: removes the rest of _temporary
// COMMIT is in the first output of the job and names every file of every output, so one rename decides all outputs.
// `_temporary` of the first output is removed last, and OWNER is the last file in it. All files that COMMIT names, and
// their folders, are synced before COMMIT is written; the moves are synced before COMMIT is removed.
// A finished output has no OWNER: a later application attempt finds its own outputs in the journal.
#include "work/output/output_commit.hpp"

#include <algorithm>
#include <map>

#include "work/output/commit_journal.hpp"
#include "work/output/commit_steps.hpp"
#include "work/output/output_folder.hpp"
#include "work/output/output_writer.hpp"

namespace heddle::work {
namespace {

Error exists_already(const std::string& path, const std::string& why = {}) {
  return Error{Errc::refused, "output '" + path + "' already exists" + (why.empty() ? "" : ": " + why) +
                                  "; to write it anew, remove it first: " + remove_command(path)};
}

Error is_in_use(const std::string& path, const ProcessOwner& owner) {
  return Error{Errc::refused, "output '" + path + "' already exists: " + describe(owner) +
                                  " writes it; if that run is over, remove it: " + remove_command(path)};
}

/// The executors of an application write on when its client on this host has died.
Error still_ends(const std::string& path, const ProcessOwner& owner) {
  return Error{Errc::refused, "output '" + path + "' already exists: " + describe(owner) +
                                  " wrote it; that process has ended, but its application may still run: it ends "
                                  "soon without its client; try again then"};
}

Error is_being_made(const std::string& path, const std::string& folder) {
  return Error{Errc::refused,
               "output '" + path + "' is just being made or removed by another run in '" + folder +
                   "'; if no other run names this output, remove that folder: " + remove_command(folder)};
}

Error cannot_be_claimed(const std::string& path, const std::string& folder, const std::string& why) {
  return Error{Errc::refused, "output '" + path + "' cannot be made: its folder '" + folder +
                                  "' cannot be used: " + why + "; remove it: " + remove_command(folder)};
}

}  // namespace

/// An output whose owner cannot be read may be ours: that is an error, not another owner.
Result<bool> FileOutputCommit::is_ours(const std::string& path, std::int32_t application_attempt) const {
  const auto found = files_.open_own_file(owner_path(path), path, ports::Locking::none);
  if (!found && (found.error().code == Errc::not_found || found.error().code == Errc::refused)) return false;
  if (!found) return found.error();
  const auto owner = read_owner(found->content);
  return owner && is_same_application(*owner, settings_.owner) && owner->attempt == application_attempt;
}

/// The end of an application does not prove that a client on this host no longer writes, nor the end of a client that
/// its executors do not. A cluster does not know applications that ran without it, and forgets ended ones.
bool FileOutputCommit::has_ended(const ProcessOwner& owner) const {
  const bool is_dead_here = is_dead(owner, settings_.owner);
  if (!settings_.has_ended || is_alive_here(owner, settings_.owner)) return is_dead_here;
  return settings_.has_ended(owner.application).value_or(is_dead_here);
}

Result<Done> FileOutputCommit::clear(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (auto done = clear_one(path, paths); !done) return done;
    // The run that claims the output cannot ask whether an application has ended.
    if (!settings_.has_ended) continue;
    if (auto done = clear_claim(path); !done) return done;
  }
  return Done{};
}

Result<Done> FileOutputCommit::clear_claim(const std::string& path) {
  const auto folder = claim_folder(path);
  const auto is_there = files_.is_present(folder);
  if (!is_there) return is_there.error();
  if (!*is_there) return Done{};
  if (auto done = empty_claim(path, folder, settings_.owner); !done) return done;
  remove_empty_claim(folder);
  return Done{};
}

Result<Done> FileOutputCommit::clear_one(const std::string& path, const std::vector<std::string>& paths) {
  const auto is_there = files_.is_present(path);
  if (!is_there) return is_there.error();
  if (!*is_there) return Done{};
  const auto seen = files_.open_own_file(owner_path(path), path, ports::Locking::none);
  if (!seen) return exists_already(path, seen.error().code == Errc::not_found ? std::string{} : seen.error().text);
  const auto owner = read_owner(seen->content);
  if (!owner) return exists_already(path, "'" + owner_path(path) + "' does not name its owner");
  // Outputs in use are never locked from outside. Of several runs that find a dead one, one clears it.
  if (!has_ended(*owner)) return is_dead(*owner, settings_.owner) ? still_ends(path, *owner) : is_in_use(path, *owner);
  const auto locked = files_.open_own_file(owner_path(path), path, ports::Locking::exclusive);
  if (!locked || locked->content != seen->content) return exists_already(path, "another run has just taken it over");
  return clear_dead(path, paths, *owner);
}

Result<Done> FileOutputCommit::clear_dead(const std::string& path, const std::vector<std::string>& paths,
                                          const ProcessOwner& owner) {
  const auto was_left = "left unfinished by " + describe(owner) + ", which has ended";
  if (std::find(owner.outputs.begin(), owner.outputs.end(), path) == owner.outputs.end())
    return exists_already(path, "it was moved here, " + was_left);
  const auto& first = owner.outputs.front();
  const auto holder = files_.open_own_file(owner_path(first), first, ports::Locking::none);
  const auto of_first = holder ? read_owner(holder->content) : std::nullopt;
  const auto has_record = files_.is_present(record_path(first));
  if (!has_record) return has_record.error();
  if (*has_record && of_first && is_same_application(*of_first, owner)) {
    for (const auto& output : owner.outputs)
      if (std::find(paths.begin(), paths.end(), output) == paths.end())
        return exists_already(path, was_left + " together with '" + output + "', which this run does not name");
    if (const auto done = finish_commit(files_, owner.outputs, settings_); !done)
      return exists_already(path, was_left + ", and its commit cannot be finished: " + done.error().text);
    return exists_already(path, describe(owner) + " had decided its commit when it ended; the commit is finished now");
  }
  const auto has_success = files_.is_present(success_path(path));
  if (!has_success) return has_success.error();
  if (*has_success) {
    if (auto done = remove_temporary(files_, path); !done)
      return exists_already(path, was_left + ", and it cannot be removed: " + done.error().text);
    return exists_already(path);
  }
  const auto removed = remove_output(files_, path);
  if (!removed) return exists_already(path, was_left + ", and it cannot be removed: " + removed.error().text);
  if (!*removed) return exists_already(path, was_left + ", and it holds other files");
  return Done{};
}

Result<Done> FileOutputCommit::set_up(const std::string& path, const std::vector<std::string>& outputs,
                                      std::int32_t application_attempt) {
  if (const auto parent = ports::parent_of(path); parent != ".")
    if (auto done = files_.make_directories(parent); !done) return done;
  // An older job may have left an entry; its output is gone.
  if (auto done = remove_from_journal(files_, settings_, path); !done) return done;
  auto owner = settings_.owner;
  owner.attempt = application_attempt;
  owner.outputs = outputs;
  constexpr int tries_max = 5;
  for (int tries = 1;; ++tries) {
    const auto is_there = files_.is_present(path);
    if (!is_there) return is_there.error();
    if (*is_there) return exists_already(path);
    auto claimed = claim(path, owner);
    // Another run has taken the claim folder away, for its output or since it was done with it.
    if (!claimed && claimed.error().code == Errc::not_found && tries < tries_max) continue;
    return claimed;
  }
}

Result<Done> FileOutputCommit::claim(const std::string& path, const ProcessOwner& owner) {
  const auto folder = claim_folder(path);
  if (auto done = empty_claim(path, folder, owner); !done) return done;
  // Several runs may make these folders together. Who creates the owner file has them.
  for (const auto& each : {folder, temporary_of(folder)}) {
    const auto made = files_.make_directory(each);
    if (made) continue;
    if (each != folder) remove_empty_claim(folder);  // it would use up the user's quota of names
    return made.error();
  }
  const auto text = write_owner(owner);
  auto created = files_.create_once(owner_path(folder), text, temporary_of(folder));
  if (!created) {  // the answer may be lost
    const auto seen = files_.open_own_file(owner_path(folder), folder, ports::Locking::none);
    if (seen && seen->content == text) created = true;
  }
  if (created && !*created) return is_being_made(path, folder);
  auto claimed = created ? publish(path, folder, owner) : Result<Done>{created.error()};
  if (claimed) return claimed;
  if (created) static_cast<void>(remove_temporary(files_, folder));
  remove_empty_claim(folder);
  return claimed;
}

/// Leaves a claim folder that is used.
void FileOutputCommit::remove_empty_claim(const std::string& folder) {
  static_cast<void>(files_.remove_directory(temporary_of(folder)));
  static_cast<void>(files_.remove_directory(folder));
}

/// A claim folder of somebody else goes only if its owner has ended, or nobody has claimed anything with it.
Result<Done> FileOutputCommit::empty_claim(const std::string& path, const std::string& folder,
                                           const ProcessOwner& owner) {
  const auto is_over = [&](const std::optional<ProcessOwner>& found) {
    return found &&
           (has_ended(*found) || (is_same_application(*found, settings_.owner) && found->attempt < owner.attempt));
  };
  const auto seen = files_.open_own_file(owner_path(folder), folder, ports::Locking::none);
  if (!seen && seen.error().code == Errc::not_found) return Done{};
  if (!seen) return cannot_be_claimed(path, folder, seen.error().text);
  if (!is_over(read_owner(seen->content))) return is_being_made(path, folder);
  const auto locked = files_.open_own_file(owner_path(folder), folder, ports::Locking::exclusive);
  if (!locked || locked->content != seen->content) return is_being_made(path, folder);
  if (auto done = empty_temporary(files_, folder); !done) return cannot_be_claimed(path, folder, done.error().text);
  return files_.remove_all(owner_path(folder), folder);
}

/// Makes a claim folder that has our owner file the output.
Result<Done> FileOutputCommit::publish(const std::string& path, const std::string& folder, const ProcessOwner& owner) {
  if (const auto made = files_.make_directory(temporary_of(folder) + '/' + std::to_string(owner.attempt)); !made)
    return made.error();
  const auto is_clean = holds_only_temporary(files_, folder);
  if (!is_clean) return is_clean.error();
  if (!*is_clean) return cannot_be_claimed(path, folder, "it holds other files");
  const auto is_first = files_.rename_exclusive(folder, path);
  if (!is_first) {  // the answer may be lost
    const auto ours = is_ours(path, owner.attempt);
    return ours && *ours ? Result<Done>{Done{}} : Result<Done>{is_first.error()};
  }
  return *is_first ? Result<Done>{Done{}} : Result<Done>{exists_already(path)};
}

Result<ports::OutputCommitted> FileOutputCommit::commit(const std::vector<OutputWinners>& outputs,
                                                        std::int32_t application_attempt) {
  if (outputs.empty()) return ports::OutputCommitted{};
  std::vector<std::string> paths;
  for (const auto& output : outputs) paths.push_back(output.path);
  if (is_in_journal(files_, settings_, paths)) return clean_up_commit(files_, paths, settings_);
  const auto has_record = files_.is_present(record_path(paths.front()));
  if (!has_record) return has_record.error();
  for (const auto& path : paths) {
    if (*has_record && path != paths.front()) continue;
    const auto ours = is_ours(path, application_attempt);
    if (!ours) return ours.error();
    if (*ours) continue;
    return Error{Errc::refused, "output '" + path + "' does not belong to this application attempt any more"};
  }
  if (!*has_record) {
    const auto committed = is_committed(files_, paths);
    if (!committed) return committed.error();
    if (*committed) return clean_up_commit(files_, paths, settings_);
  }
  const auto record = decide_commit(files_, outputs, application_attempt, settings_.syncs);
  if (record) return complete_commit(files_, *record, settings_);
  auto error = record.error();
  const auto is_decided = files_.is_present(record_path(paths.front()));
  if (!is_decided || *is_decided) return error;
  if (const auto removed = abort(paths, application_attempt); !removed)
    error.text += "; what was written of the output stays: " + removed.error().text;
  return error;
}

/// True if the output belonged to an attempt of this application; it belongs to this attempt then. False if there is
/// none.
Result<bool> FileOutputCommit::adopt(const std::string& path, const std::vector<std::string>& outputs,
                                     std::int32_t application_attempt) {
  const auto is_there = files_.is_present(path);
  if (!is_there || !*is_there) return is_there;
  const auto found = files_.open_own_file(owner_path(path), path, ports::Locking::exclusive);
  if (!found) return exists_already(path, found.error().code == Errc::not_found ? std::string{} : found.error().text);
  const auto owner = read_owner(found->content);
  if (!owner) return exists_already(path, "'" + owner_path(path) + "' does not name its owner");
  if (!is_same_application(*owner, settings_.owner)) return is_in_use(path, *owner);
  if (owner->attempt > application_attempt)
    return Error{Errc::refused, "output '" + path + "' belongs to a later application attempt"};
  auto ours = settings_.owner;
  ours.attempt = application_attempt;
  ours.outputs = outputs;
  if (auto done = files_.write_atomically(owner_path(path), write_owner(ours), temporary_of(path)); !done)
    return done.error();
  return true;
}

Result<Done> FileOutputCommit::start_anew(const std::string& path, const std::vector<std::string>& outputs,
                                          std::int32_t application_attempt, bool is_ours, bool keeps_tasks) {
  if (!is_ours) return set_up(path, outputs, application_attempt);
  const auto children = files_.list(temporary_of(path));
  if (!children) return children.error();
  const auto own_folder = temporary_of(path) + '/' + std::to_string(application_attempt);
  for (const auto& child : *children)
    if (child.path != owner_path(path) && !(keeps_tasks && child.path == own_folder))
      if (auto done = files_.remove_all(child.path, path); !done) return done;
  const auto made = files_.make_directory(own_folder);
  return made ? Result<Done>{Done{}} : Result<Done>{made.error()};
}

/// Moves the folders of task attempts from the folders of older application attempts, which are put aside, to that of
/// this one. Returns those that were there.
Result<std::vector<std::string>> FileOutputCommit::keep_tasks(const std::string& path, std::int32_t application_attempt,
                                                              const std::vector<std::string>& task_attempts) {
  std::vector<std::string> kept;
  if (task_attempts.empty()) return kept;
  const auto children = files_.list(temporary_of(path));
  if (!children) return children.error();
  std::map<std::string, std::string> found;  // name to folder
  for (const auto& child : *children) {
    if (!child.is_directory) continue;
    const auto folders = files_.list(temporary_of(child.path));
    if (!folders && folders.error().code == Errc::not_found) continue;
    if (!folders) return folders.error();
    for (const auto& folder : *folders) found.insert_or_assign(last_component(folder.path), folder.path);
  }
  const auto own_folder = temporary_of(path) + '/' + std::to_string(application_attempt);
  if (auto done = files_.make_directories(temporary_of(own_folder)); !done) return done.error();
  for (const auto& name : task_attempts) {
    const auto folder = found.find(name);
    if (folder == found.end()) continue;
    const auto to = attempt_folder(path, application_attempt, name);
    if (folder->second != to)
      if (auto done = files_.rename_replacing(folder->second, to, path); !done) return done.error();
    kept.push_back(name);
  }
  return kept;
}

Result<ports::CommitState> FileOutputCommit::recover(const std::vector<std::string>& paths,
                                                     std::int32_t application_attempt) {
  const auto found = recover_tasks(paths, application_attempt, {});
  return found ? Result<ports::CommitState>{found->state} : Result<ports::CommitState>{found.error()};
}

Result<ports::OutputRecovered> FileOutputCommit::recover_tasks(const std::vector<std::string>& paths,
                                                               std::int32_t application_attempt,
                                                               const std::vector<std::string>& task_attempts) {
  const ports::OutputRecovered was_committed{ports::CommitState::committed, {}};
  if (paths.empty()) return ports::OutputRecovered{};
  if (is_in_journal(files_, settings_, paths)) {
    clean_up_commit(files_, paths, settings_);
    return was_committed;
  }
  const auto first = adopt(paths.front(), paths, application_attempt);
  if (!first) return first.error();
  std::vector<bool> are_ours{*first};
  const auto record = record_path(paths.front());
  auto is_decided = files_.is_present(record);
  if (is_decided && !*is_decided) {
    // While nothing is decided, every output that exists has its owner file.
    for (std::size_t i = 1; i < paths.size(); ++i) {
      const auto ours = adopt(paths[i], paths, application_attempt);
      if (!ours) {
        static_cast<void>(abort(paths, application_attempt));
        return ours.error();
      }
      are_ours.push_back(*ours);
    }
    if (auto done = put_aside(files_, paths, application_attempt); !done) return done.error();
    // Looked at again: an older attempt may have decided until it was put aside.
    is_decided = files_.is_present(record);
  }
  if (!is_decided) return is_decided.error();
  if (*is_decided) {
    if (auto done = finish_commit(files_, paths, settings_); !done) return done.error();
    return was_committed;
  }
  const auto committed = is_committed(files_, paths);
  if (!committed) return committed.error();
  if (*committed) {
    clean_up_commit(files_, paths, settings_);
    return was_committed;
  }
  ports::OutputRecovered recovered;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (are_ours[i]) {
      auto kept = keep_tasks(paths[i], application_attempt, task_attempts);
      if (!kept) return kept.error();
      recovered.kept.insert(recovered.kept.end(), kept->begin(), kept->end());
    }
    const bool keeps_tasks = !task_attempts.empty();
    if (auto done = start_anew(paths[i], paths, application_attempt, are_ours[i], keeps_tasks); !done)
      return done.error();
  }
  return recovered;
}

Result<Done> FileOutputCommit::abort(const std::vector<std::string>& paths, std::int32_t application_attempt) {
  for (const auto& path : paths) {
    const auto found = files_.open_own_file(owner_path(path), path, ports::Locking::exclusive);
    if (!found && found.error().code == Errc::not_found) continue;
    if (!found) return found.error();
    const auto owner = read_owner(found->content);
    if (!owner || !is_same_application(*owner, settings_.owner) || owner->attempt != application_attempt) continue;
    if (const auto removed = remove_output(files_, path); !removed) return removed.error();
  }
  return Done{};
}

Result<Done> FileOutputCommit::abort_attempt(const std::string& path, std::int32_t application_attempt,
                                             const std::string& task_attempt) {
  const auto ours = is_ours(path, application_attempt);
  if (!ours) return ours.error();
  if (!*ours) return Done{};
  return files_.remove_all(attempt_folder(path, application_attempt, task_attempt), path);
}

}  // namespace heddle::work
