#include "work/output/commit_record.hpp"

#include <algorithm>

#include "work/files/process_owner.hpp"
#include "work/output/output_folder.hpp"

namespace heddle::work {
namespace {

constexpr std::string_view record_head = "heddle commit 1";
constexpr std::string_view record_tail = "end";

bool is_inside(std::string_view path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) && (path.find("/../") == path.npos) &&
         !path.ends_with("/..");
}

/// A record moves only files of attempts of an output into that output. Otherwise, a user who can write into the folder
/// of the output could make the owner of the run move other files.
bool is_allowed(const CommitFile& file, const std::vector<std::string>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
    return is_inside(file.from, temporary_of(output) + '/') && is_child_of_output(file.to, output);
  });
}

}  // namespace

bool is_child_of_output(const std::string& file, const std::string& output) {
  return is_inside(file, output + '/') && file.find('/', output.size() + 1) == file.npos;
}

std::string commit_record_text(const CommitRecord& record) {
  std::string text{record_head};
  text += "\napplication_attempt " + std::to_string(record.application_attempt) + '\n';
  for (const auto& output : record.outputs) text += "output " + escaped_line(output) + '\n';
  for (const auto& file : record.files)
    text += "move " + escaped_line(file.from) + "\nto " + escaped_line(file.to) + '\n';
  return text.append(record_tail) + '\n';
}

Result<CommitRecord> read_commit_record(const std::string& path, std::string_view text,
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

}  // namespace heddle::work
