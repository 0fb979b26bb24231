// What a crash at any point leaves, a loss of power included, and what is done about it:
//   no COMMIT, no _SUCCESS      nothing was decided: a later application attempt discards older attempts and runs anew
//   COMMIT                      decided: whoever finds it moves what is not moved yet, writes _SUCCESS, takes
//   _temporary away N.discarded, COMMIT         decided while a later attempt put the older ones aside: put back, then
//   as above _SUCCESS, no COMMIT         committed; what is left of _temporary is rubbish
// The record stands in the job's first output and names every file of every output, so that several outputs are decided
// by one rename. `_temporary` of the first output is the last to go. Before COMMIT is written, every file that it names
// is on the disk with the folders on the way to it; before COMMIT goes, so are the moves.
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

std::string temporary_of(const std::string& output) { return output + "/_temporary"; }
std::string record_path(const std::string& output) { return temporary_of(output) + "/COMMIT"; }
std::string success_path(const std::string& output) { return output + "/_SUCCESS"; }

// One value per line: a line feed or backslash in a path is written as \n or \\.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') result += "\\\\";
    else if (c == '\n') result += "\\n";
    else result += c;
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) result += text[++i] == 'n' ? '\n' : text[i];
    else result += text[i];
  }
  return result;
}

std::string written(const CommitRecord& record) {
  std::string text{record_head};
  text += "\napplication_attempt " + std::to_string(record.application_attempt) + '\n';
  for (const auto& output : record.outputs) text += "output " + escaped(output) + '\n';
  for (const auto& file : record.files) text += "move " + escaped(file.from) + "\nto " + escaped(file.to) + '\n';
  return text.append(record_tail) + '\n';
}

bool is_inside(std::string_view path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) && (path.find("/../") == path.npos) &&
         !path.ends_with("/..");
}

/// A record may move what attempts wrote to one of its outputs into that output, and nothing else: whoever can write
/// into the output's folder must not move other files of the user.
bool is_allowed(const CommitFile& file, const std::vector<std::string>& outputs) {
  const auto is_source = [&](const std::string& output) { return is_inside(file.from, temporary_of(output) + '/'); };
  const auto is_target = [&](const std::string& output) {
    return is_inside(file.to, output + '/') && file.to.find('/', output.size() + 1) == file.to.npos;
  };
  return std::any_of(outputs.begin(), outputs.end(), is_source) &&
         std::any_of(outputs.begin(), outputs.end(), is_target);
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
    else if (line.starts_with("output ")) record.outputs.push_back(unescaped(rest));
    else if (line.starts_with("move ")) record.files.push_back(CommitFile{unescaped(rest), {}});
    else if (line.starts_with("to ") && !record.files.empty()) record.files.back().to = unescaped(rest);
    else if (line == record_tail) is_whole = true;
    else if (number != 0) return broken;
  }
  const bool is_fine = std::all_of(record.files.begin(), record.files.end(),
                                   [&](const auto& file) { return is_allowed(file, outputs); });
  if (!is_whole || record.outputs != outputs || !is_fine) return broken;
  return record;
}

std::string last_component(const std::string& path) { return path.substr(path.rfind('/') + 1); }

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

Result<Done> carry_out(ports::FileStore& files, const CommitRecord& record, bool keeps_success) {
  for (const auto& file : record.files)
    if (auto done = files.move(file.from, file.to); !done) return done;
  for (const auto& output : record.outputs)
    if (auto done = files.write_atomically(success_path(output), {}); !done) return done;
  for (auto output = record.outputs.rbegin(); output != record.outputs.rend(); ++output)
    if (auto done = files.remove_all(temporary_of(*output)); !done) return done;
  if (keeps_success) return Done{};
  for (const auto& output : record.outputs)
    if (auto done = files.remove_all(success_path(output)); !done) return done;
  return Done{};
}

bool is_committed(const ports::FileStore& files, const std::vector<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return files.exists(success_path(path)); });
}

/// Takes older attempts' folders out of their place: none of them can decide a commit from then on, and no task of
/// theirs can write.
Result<Done> put_aside(ports::FileStore& files, const std::vector<std::string>& outputs,
                       std::int32_t application_attempt) {
  for (const auto& output : outputs) {
    const auto children = files.list(temporary_of(output));
    if (!children) continue;  // nothing was set up there yet
    for (const auto& child : *children) {
      if (!child.is_directory || last_component(child.path) == std::to_string(application_attempt) ||
          child.path.ends_with(discarded))
        continue;
      if (auto done = files.remove_all(child.path + std::string{discarded}); !done) return done;
      if (auto done = files.move(child.path, child.path + std::string{discarded}); !done) return done;
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
        if (auto done = files.move(child.path, child.path.substr(0, child.path.size() - discarded.size())); !done)
          return done;
  }
  return Done{};
}

/// Finishes the commit that the record in the first output decides.
Result<Done> finish(ports::FileStore& files, const std::vector<std::string>& outputs, bool keeps_success) {
  const auto path = record_path(outputs.front());
  if (auto done = put_back(files, outputs); !done) return done;
  const auto text = files.read_all(path);
  if (!text) return text.error();
  const auto record = read_record(path, *text, outputs);
  return record ? carry_out(files, *record, keeps_success) : Result<Done>{record.error()};
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
  if (!files.exists(path)) {
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

}  // namespace

Result<Done> FileOutputCommit::set_up(const std::string& path, std::int32_t application_attempt) {
  if (files_.exists(path)) return Error{Errc::refused, "output '" + path + "' exists already"};
  return files_.make_directories(temporary_of(path) + '/' + std::to_string(application_attempt));
}

Result<Done> FileOutputCommit::commit(const std::vector<ports::OutputWinners>& outputs,
                                      std::int32_t application_attempt) {
  if (outputs.empty()) return Done{};
  std::vector<std::string> paths;
  for (const auto& output : outputs) paths.push_back(output.path);
  if (!files_.exists(record_path(paths.front())) && is_committed(files_, paths)) {
    for (auto path = paths.rbegin(); path != paths.rend(); ++path)
      if (auto done = files_.remove_all(temporary_of(*path)); !done) return done;
    return Done{};
  }
  const auto record = decide(files_, outputs, application_attempt, settings_.syncs);
  return record ? carry_out(files_, *record, settings_.keeps_success) : Result<Done>{record.error()};
}

Result<ports::CommitState> FileOutputCommit::recover(const std::vector<std::string>& paths,
                                                     std::int32_t application_attempt) {
  if (paths.empty()) return ports::CommitState::not_committed;
  const auto path = record_path(paths.front());
  if (!files_.exists(path))
    if (auto done = put_aside(files_, paths, application_attempt); !done) return done.error();
  // Looked at again: an older attempt may have decided until it was put aside.
  if (files_.exists(path)) {
    if (auto done = finish(files_, paths, settings_.keeps_success); !done) return done.error();
    return ports::CommitState::committed;
  }
  const bool committed = is_committed(files_, paths);
  for (const auto& output : paths) {
    if (auto done = files_.remove_all(temporary_of(output)); !done) return done.error();
    if (committed) continue;
    if (auto done = files_.make_directories(temporary_of(output) + '/' + std::to_string(application_attempt)); !done)
      return done.error();
  }
  return committed ? ports::CommitState::committed : ports::CommitState::not_committed;
}

Result<Done> FileOutputCommit::abort(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (auto done = files_.remove_all(temporary_of(path)); !done) return done;
    const auto children = files_.list(path);
    if (!children || !children->empty()) continue;
    if (auto done = files_.remove_all(path); !done) return done;
  }
  return Done{};
}

}  // namespace heddle::work
