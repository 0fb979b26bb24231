// An output belongs to the process that `_temporary/OWNER` names, from its first moment to its last: it is prepared in
// a folder beside it, `.NAME.heddle-claim`, and renamed into place, which claims it; removed, it is renamed back first.
// What a crash at any point leaves, a loss of power included, and what is done about it:
//   .NAME.heddle-claim       nothing was decided: the next run that claims the same output uses or empties it, unless
//                            the owner in it lives
//   no COMMIT, no _SUCCESS   nothing was decided: a later application attempt discards older attempts and runs anew; a
//                            later run of the same user removes it once the owner is dead
//   COMMIT                   decided: whoever finds it moves what is not moved yet, writes _SUCCESS, removes _temporary
//   N.discarded, COMMIT      decided while a later attempt put the older ones aside: put back, then as above
//   _SUCCESS, no COMMIT      committed; what is left of _temporary is rubbish
// The record stands in the job's first output and names every file of every output, so that several outputs are
// decided by one rename. `_temporary` of the first output is the last to go, and OWNER the last in it. Before COMMIT is
// written, every file that it names is on the disk with the folders on the way to it; before COMMIT goes, so are the
// moves.
// A later application attempt that finds no OWNER in a finished output knows by the journal that it is its own.
#include "work/output/output_commit.hpp"

#include <algorithm>
#include <set>

#include "work/output/output_writer.hpp"

namespace heddle::work {
namespace {

constexpr std::string_view record_head = "heddle commit 1";
constexpr std::string_view record_tail = "end";
constexpr std::string_view discarded = ".discarded";  // behind the number of an attempt that was put aside

struct CommitFile {
  std::string from;
  std::string to;
};

struct CommitRecord {
  std::int32_t application_attempt = 0;
  std::vector<std::string> outputs;
  std::vector<CommitFile> files;
};

std::string last_component(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string temporary_of(const std::string& output) { return output + "/_temporary"; }
std::string record_path(const std::string& output) { return temporary_of(output) + "/COMMIT"; }
std::string owner_path(const std::string& output) { return temporary_of(output) + '/' + std::string{owner_file_name}; }
std::string success_path(const std::string& output) { return output + "/_SUCCESS"; }

std::string written(const CommitRecord& record) {
  std::string text{record_head};
  text += "\napplication_attempt " + std::to_string(record.application_attempt) + '\n';
  for (const auto& output : record.outputs) text += "output " + escaped_line(output) + '\n';
  for (const auto& file : record.files)
    text += "move " + escaped_line(file.from) + "\nto " + escaped_line(file.to) + '\n';
  return text.append(record_tail) + '\n';
}

bool is_inside(std::string_view path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) && (path.find("/../") == path.npos) &&
         !path.ends_with("/..");
}

/// A record may move what attempts wrote to one of its outputs into that output, and nothing else: whoever can write
/// into the output's folder must not move other files of the user.
bool is_allowed(const CommitFile& file, const std::vector<std::string>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
    return is_inside(file.from, temporary_of(output) + '/') && is_inside(file.to, output + '/') &&
           file.to.find('/', output.size() + 1) == file.to.npos;
  });
}

/// `outputs`: those of the job, in its order.
Result<CommitRecord> read_record(const std::string& path, std::string_view text,
                                 const std::vector<std::string>& outputs) {
  const Error broken{Errc::corrupt, "'" + path + "' is no commit record of this job"};
  CommitRecord record;
  std::string_view line;
  bool is_whole = false;
  for (std::size_t number = 0; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto rest = line.substr(std::min(line.find(' ') + 1, line.size()));
    if (number == 0 && line != record_head) return broken;
    if (line.starts_with("application_attempt ")) record.application_attempt = std::atoi(std::string{rest}.c_str());
    else if (line.starts_with("output ")) record.outputs.push_back(unescaped_line(rest));
    else if (line.starts_with("move ")) record.files.push_back(CommitFile{unescaped_line(rest), {}});
    else if (line.starts_with("to ") && !record.files.empty()) record.files.back().to = unescaped_line(rest);
    else if (line == record_tail) is_whole = true;
    else if (number != 0) return broken;
  }
  const bool is_fine = std::all_of(record.files.begin(), record.files.end(),
                                   [&](const auto& file) { return is_allowed(file, outputs); });
  if (!is_whole || record.outputs != outputs || !is_fine) return broken;
  return record;
}

Result<Done> add_winners(const ports::FileStore& files, const ports::OutputWinners& output,
                         std::int32_t application_attempt, CommitRecord& record) {
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

/// Takes away what `_temporary` holds, except OWNER: whatever interrupts this leaves a folder whose owner is known.
Result<Done> empty_temporary(ports::FileStore& files, const std::string& output) {
  const auto children = files.list(temporary_of(output));
  if (!children && children.error().code == Errc::not_found) return Done{};
  if (!children) return children.error();
  for (const auto& child : *children)
    if (child.path != record_path(output) && child.path != owner_path(output))
      if (auto done = files.remove_all(child.path, output); !done) return done;
  return files.remove_all(record_path(output), output);
}

/// Takes `_temporary` away, OWNER last.
Result<Done> remove_temporary(ports::FileStore& files, const std::string& output) {
  if (auto done = empty_temporary(files, output); !done) return done;
  for (const auto& path : {owner_path(output), temporary_of(output)})
    if (auto done = files.remove_all(path, output); !done) return done;
  return Done{};
}

/// Where an output is before it is claimed and while it is removed. One place per output, and no listing of the folder
/// around it, which may be large.
std::string claim_folder(const std::string& output) {
  constexpr std::size_t name_bytes_max = 200;  // the whole name has at most 255
  return output.substr(0, output.rfind('/') + 1) + '.' + last_component(output).substr(0, name_bytes_max) +
         ".heddle-claim";
}

Result<bool> holds_only_temporary(const ports::FileStore& files, const std::string& folder) {
  const auto children = files.list(folder);
  if (!children) return children.error();
  return children->size() == 1 && children->front().path == temporary_of(folder);
}

/// Removes an output that is not committed: false if it holds files of others, which stay. What interrupts this leaves
/// an output with its owner, or a claim folder.
Result<bool> remove_output(ports::FileStore& files, const std::string& output) {
  if (auto done = empty_temporary(files, output); !done) return done.error();
  const auto aside = claim_folder(output);
  const auto is_alone = holds_only_temporary(files, output);
  const auto is_aside = is_alone && *is_alone ? files.move_once(output, aside) : Result<bool>{false};
  const auto& folder = is_aside && *is_aside ? aside : output;
  if (auto done = remove_temporary(files, folder); !done) return done.error();
  const auto removed = files.remove_directory(folder);
  if (removed && !*removed && &folder == &aside)  // a file of others has come meanwhile
    if (const auto back = files.move_once(aside, output); !back) return back;
  return removed;
}

/// Numbers of equal paths are equal, in every process.
std::string journal_path(const std::string& journal, const std::string& first_output) {
  std::uint64_t sum = 0xCBF2'9CE4'8422'2325U;
  for (const char c : first_output) sum = (sum ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01B3U;
  return journal + "/committed-" + std::to_string(sum);
}

std::string journal_text(const std::vector<std::string>& outputs) {
  std::string text;
  for (const auto& output : outputs) text += "output " + escaped_line(output) + '\n';
  return text;
}

/// The journal names these outputs, and none of them was made anew by somebody else since.
bool is_in_journal(const ports::FileStore& files, const OutputCommitSettings& settings,
                   const std::vector<std::string>& outputs) {
  if (settings.journal.empty()) return false;
  const auto text = files.read_all(journal_path(settings.journal, outputs.front()));
  if (!text || *text != journal_text(outputs)) return false;
  return std::all_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
    // The entry outlives an output that was removed since; a later job may write to the same path.
    if (const auto is_there = files.is_present(output); !is_there || !*is_there) return false;
    const auto found = files.open_own_file(owner_path(output), output, ports::Locking::none);
    const auto owner = found ? read_owner(found->content) : std::nullopt;
    return found ? owner && is_same_application(*owner, settings.owner) : found.error().code == Errc::not_found;
  });
}

/// Everything is visible: takes the rest away. What cannot be taken away changes nothing for readers of the output.
ports::OutputCommitted clean_up(ports::FileStore& files, const std::vector<std::string>& outputs,
                                const OutputCommitSettings& settings) {
  // Without the entry, only a crash within this function costs something: the next attempt refuses its own output.
  if (!settings.journal.empty())
    static_cast<void>(files.write_atomically(journal_path(settings.journal, outputs.front()), journal_text(outputs),
                                             settings.journal));
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

Result<ports::OutputCommitted> apply_effects(ports::FileStore& files, const CommitRecord& record,
                                             const OutputCommitSettings& settings) {
  const auto not_done = [&](const Error& error) {
    return Error{error.code, error.text + "; its commit is decided: the next run with the output '" +
                                 record.outputs.front() + "' finishes it"};
  };
  for (const auto& file : record.files) {
    const auto output = std::find_if(record.outputs.begin(), record.outputs.end(), [&](const std::string& each) {
      return is_inside(file.to, each + '/') && file.to.find('/', each.size() + 1) == file.to.npos;
    });
    if (output == record.outputs.end()) return Error{Errc::corrupt, "'" + file.to + "' is in no output of this job"};
    if (auto done = files.move(file.from, file.to, *output); !done) return not_done(done.error());
  }
  for (const auto& output : record.outputs)
    if (auto done = files.write_atomically(success_path(output), {}, temporary_of(output)); !done)
      if (const auto there = files.is_present(success_path(output)); !there || !*there) return not_done(done.error());
  return clean_up(files, record.outputs, settings);
}

Result<bool> is_committed(const ports::FileStore& files, const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    const auto found = files.is_present(success_path(path));
    if (!found || !*found) return found;
  }
  return true;
}

/// Takes older attempts' folders out of their place: none of them can decide a commit from then on, and no task of
/// theirs can write.
Result<Done> put_aside(ports::FileStore& files, const std::vector<std::string>& outputs,
                       std::int32_t application_attempt) {
  for (const auto& output : outputs) {
    const auto children = files.list(temporary_of(output));
    if (!children && children.error().code == Errc::not_found) continue;  // nothing was set up there yet
    if (!children) return children.error();
    for (const auto& child : *children) {
      if (!child.is_directory || last_component(child.path) == std::to_string(application_attempt) ||
          child.path.ends_with(discarded))
        continue;
      const auto aside = child.path + std::string{discarded};
      if (auto done = files.remove_all(aside, output); !done) return done;
      if (auto done = files.move(child.path, aside, output); !done) return done;
    }
  }
  return Done{};
}

Result<Done> put_back(ports::FileStore& files, const std::vector<std::string>& outputs) {
  for (const auto& output : outputs) {
    const auto children = files.list(temporary_of(output));
    if (!children) continue;
    for (const auto& child : *children)
      if (child.path.ends_with(discarded))
        if (auto done = files.move(child.path, child.path.substr(0, child.path.size() - discarded.size()), output);
            !done)
          return done;
  }
  return Done{};
}

/// Finishes the commit that the record in the first output decides.
Result<ports::OutputCommitted> finish(ports::FileStore& files, const std::vector<std::string>& outputs,
                                      const OutputCommitSettings& settings) {
  const auto path = record_path(outputs.front());
  if (auto done = put_back(files, outputs); !done) return done.error();
  const auto text = files.read_all(path);
  if (!text) return text.error();
  const auto record = read_record(path, *text, outputs);
  if (!record) return record.error();
  return apply_effects(files, *record, settings);
}

/// The files of a record and the folders from theirs up to their outputs', each once, the files first.
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

Result<Done> sync(ports::FileStore& files, const CommitRecord& record) {
  if (auto done = files.sync(paths_to_sync(record)); !done) return done;
  // Folders above the outputs may be unreadable; only they know of an output that is new.
  for (const auto& output : record.outputs)
    static_cast<void>(files.sync({output.substr(0, output.rfind('/') + 1) + "."}));
  return Done{};
}

Result<CommitRecord> decide(ports::FileStore& files, const std::vector<ports::OutputWinners>& outputs,
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
    auto created = files.create_once(path, written(record), own_folder);
    if (!created) return created.error();
    if (*created) return record;
  }
  auto text = files.read_all(path);
  if (!text) return text.error();
  std::vector<std::string> paths;
  for (const auto& output : outputs) paths.push_back(output.path);
  return read_record(path, *text, paths);
}

Error exists_already(const std::string& path, const std::string& why = {}) {
  return Error{Errc::refused, "output '" + path + "' already exists" + (why.empty() ? "" : ": " + why) +
                                  "; to write it anew, remove it first: " + remove_command(path)};
}

Error is_in_use(const std::string& path, const ProcessOwner& owner) {
  return Error{Errc::refused, "output '" + path + "' already exists: " + describe(owner) +
                                  " writes it; if that run is over, remove it: " + remove_command(path)};
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

bool FileOutputCommit::is_ours(const std::string& path, std::int32_t application_attempt) const {
  const auto found = files_.open_own_file(owner_path(path), path, ports::Locking::none);
  if (!found) return false;
  const auto owner = read_owner(found->content);
  return owner && is_same_application(*owner, settings_.owner) && owner->attempt == application_attempt;
}

Result<Done> FileOutputCommit::clear(const std::vector<std::string>& paths) {
  for (const auto& path : paths)
    if (auto done = clear_one(path, paths); !done) return done;
  return Done{};
}

Result<Done> FileOutputCommit::clear_one(const std::string& path, const std::vector<std::string>& paths) {
  const auto is_there = files_.is_present(path);
  if (!is_there) return is_there.error();
  if (!*is_there) return Done{};
  const auto seen = files_.open_own_file(owner_path(path), path, ports::Locking::none);
  if (!seen) return exists_already(path, seen.error().code == Errc::not_found ? std::string{} : seen.error().text);
  const auto owner = read_owner(seen->content);
  if (!owner) return exists_already(path, "'" + owner_path(path) + "' does not tell whose it is");
  // Outputs in use are never locked from outside. Of several runs that find a dead one, one clears it.
  if (!is_dead(*owner, settings_.owner)) return is_in_use(path, *owner);
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
    if (const auto done = finish(files_, owner.outputs, settings_); !done)
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
  if (const auto parent = path.substr(0, path.rfind('/')); path.find('/') != path.npos && !parent.empty())
    if (auto done = files_.make_directories(parent); !done) return done;
  if (!settings_.journal.empty())  // an entry of an older job, whose output is gone
    if (auto done = files_.remove_all(journal_path(settings_.journal, path), settings_.journal); !done) return done;
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
  for (const auto& each : {folder, temporary_of(folder)})
    if (const auto made = files_.make_directory(each); !made) return made.error();
  const auto created = files_.create_once(owner_path(folder), write_owner(owner), temporary_of(folder));
  if (created && !*created) return is_being_made(path, folder);
  auto claimed = created ? publish(path, folder, owner) : Result<Done>{created.error()};
  if (claimed) return claimed;
  if (created) static_cast<void>(remove_temporary(files_, folder));
  else static_cast<void>(files_.remove_directory(temporary_of(folder)));
  static_cast<void>(files_.remove_directory(folder));
  return claimed;
}

/// A claim folder of somebody else may stay only if nobody has claimed anything with it.
Result<Done> FileOutputCommit::empty_claim(const std::string& path, const std::string& folder,
                                           const ProcessOwner& owner) {
  const auto is_over = [&](const std::optional<ProcessOwner>& found) {
    return found && (is_dead(*found, settings_.owner) ||
                     (is_same_application(*found, settings_.owner) && found->attempt < owner.attempt));
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
  const auto is_first = files_.move_once(folder, path);
  if (!is_first) return is_first.error();
  return *is_first ? Result<Done>{Done{}} : Result<Done>{exists_already(path)};
}

Result<ports::OutputCommitted> FileOutputCommit::commit(const std::vector<ports::OutputWinners>& outputs,
                                                        std::int32_t application_attempt) {
  if (outputs.empty()) return ports::OutputCommitted{};
  std::vector<std::string> paths;
  for (const auto& output : outputs) paths.push_back(output.path);
  if (is_in_journal(files_, settings_, paths)) return clean_up(files_, paths, settings_);
  const auto has_record = files_.is_present(record_path(paths.front()));
  if (!has_record) return has_record.error();
  for (const auto& path : paths) {
    if (is_ours(path, application_attempt) || (*has_record && path != paths.front())) continue;
    return Error{Errc::refused, "output '" + path + "' does not belong to this application attempt any more"};
  }
  if (!*has_record) {
    const auto committed = is_committed(files_, paths);
    if (!committed) return committed.error();
    if (*committed) return clean_up(files_, paths, settings_);
  }
  const auto record = decide(files_, outputs, application_attempt, settings_.syncs);
  if (record) return apply_effects(files_, *record, settings_);
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
  if (!owner) return exists_already(path, "'" + owner_path(path) + "' does not tell whose it is");
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
                                          std::int32_t application_attempt, bool is_ours) {
  if (!is_ours) return set_up(path, outputs, application_attempt);
  const auto children = files_.list(temporary_of(path));
  if (!children) return children.error();
  for (const auto& child : *children)
    if (child.path != owner_path(path))
      if (auto done = files_.remove_all(child.path, path); !done) return done;
  const auto made = files_.make_directory(temporary_of(path) + '/' + std::to_string(application_attempt));
  return made ? Result<Done>{Done{}} : Result<Done>{made.error()};
}

Result<ports::CommitState> FileOutputCommit::recover(const std::vector<std::string>& paths,
                                                     std::int32_t application_attempt) {
  if (paths.empty()) return ports::CommitState::not_committed;
  if (is_in_journal(files_, settings_, paths)) {
    clean_up(files_, paths, settings_);
    return ports::CommitState::committed;
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
    if (auto done = finish(files_, paths, settings_); !done) return done.error();
    return ports::CommitState::committed;
  }
  const auto committed = is_committed(files_, paths);
  if (!committed) return committed.error();
  if (*committed) {
    clean_up(files_, paths, settings_);
    return ports::CommitState::committed;
  }
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (auto done = start_anew(paths[i], paths, application_attempt, are_ours[i]); !done) return done.error();
  return ports::CommitState::not_committed;
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

}  // namespace heddle::work
