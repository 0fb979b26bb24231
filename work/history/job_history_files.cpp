#include "work/history/job_history_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>
#include <variant>

#include "work/files/local_file_system.hpp"
#include "work/history/classic_history.hpp"
#include "work/history/history_names.hpp"
#include "work/history/jhist_reader.hpp"
#include "work/history/jhist_writer.hpp"
#include "work/history/settings_xml.hpp"

namespace heddle::work {
namespace {

using ports::JobHistoryFormat;

constexpr std::size_t unwritten_max = 1 << 16;
constexpr std::size_t job_name_max = 50;  // of the file name of a classic history

JhistEncoding encoding_of(JobHistoryFormat format) {
  return format == JobHistoryFormat::avro_binary ? JhistEncoding::binary : JhistEncoding::json;
}

std::string history_header(JobHistoryFormat format) {
  return format == JobHistoryFormat::classic ? std::string{classic_header} : jhist_header(encoding_of(format));
}

void append_history(std::string& out, JobHistoryFormat format, const history::Event& event) {
  if (format == JobHistoryFormat::classic) append_classic(out, event);
  else append_jhist(out, encoding_of(format), event);
}

template <class... Ends>
bool is_one_of(const history::Event& event) {
  return (std::holds_alternative<Ends>(event) || ...);
}

/// The end of a task or of the job.
bool is_end(const history::Event& event) {
  return is_one_of<history::TaskFinished, history::TaskFailed, history::JobSucceeded, history::JobUnsuccessful>(event);
}

/// A part of a classic file name, as in a URL; underscores separate the parts.
std::string file_name_part(std::string_view text) {
  std::string part;
  for (const char symbol : text.empty() ? "NA" : text) {
    const bool is_plain = (symbol >= 'a' && symbol <= 'z') || (symbol >= 'A' && symbol <= 'Z') ||
                          (symbol >= '0' && symbol <= '9') || symbol == '.' || symbol == '-' || symbol == '*';
    if (is_plain) part += symbol;
    else if (symbol == ' ') part += '+';
    else part += fmt::format("%{:02X}", static_cast<std::uint8_t>(symbol));
  }
  return part;
}

std::string path_of(const ports::JobHistoryFile& file) { return file.folder + '/' + job_history_name(file); }

/// Settings of a job may have values that are for its user and group only.
Result<Done> write_settings(const std::string& path, const ports::JobHistoryFile& file) {
  auto opened = FileHandle::create(path, 0640);
  if (!opened) return opened.error();
  const auto text = settings_xml(file.settings);
  if (const auto written = opened->write(text.data(), text.size()); !written) return written;
  return opened->close();
}

/// Replaces the file by a copy, so that an earlier master that still runs writes to a file without a name. Without room
/// for a copy the file stays.
void take_over(const std::string& path) {
  const auto copy = path + ".next";
  std::error_code failed;
  std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing, failed);
  if (!failed) std::filesystem::rename(copy, path, failed);
  if (failed) std::filesystem::remove(copy, failed);
}

Result<FileHandle> open_behind(const std::string& path, std::size_t whole_bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return file_error(errno, "open", path);
  FileHandle file{descriptor, path};
  if (::ftruncate(descriptor, static_cast<off_t>(whole_bytes)) != 0) return file_error(errno, "write", path);
  return file;
}

}  // namespace

std::string job_history_name(const ports::JobHistoryFile& file) {
  if (file.format != JobHistoryFormat::classic) return name_of(file.job) + ".jhist";
  return fmt::format("{}_{}_{}_{}", name_of(file.job), file.submit_time, file_name_part(file.user),
                     file_name_part(std::string_view{file.job_name}.substr(0, job_name_max)));
}

Result<std::string> JobHistoryFiles::begin(const ports::JobHistoryFile& file) {
  open_.erase(file.job);
  std::error_code failed;
  std::filesystem::create_directories(file.folder, failed);
  if (failed) return file_error(failed.value(), "create folder", file.folder);
  const auto settings = file.folder + '/' + name_of(file.job) + "_conf.xml";
  if (const auto written = write_settings(settings, file); !written) return written.error();
  auto created = FileHandle::create(path_of(file));
  if (!created) return created.error();
  open_.emplace(file.job, OpenFile{std::move(*created), file.format, history_header(file.format)});
  if (const auto written = write(file.job); !written) return written.error();
  return settings;
}

Result<ports::JobHistoryContent> JobHistoryFiles::resume(const ports::JobHistoryFile& file) {
  const auto path = path_of(file);
  auto content = read(path);
  // Of a file without a whole header nothing can be kept.
  if (!content || content->whole_bytes == 0) {
    if (!content && content.error().code != Errc::not_found) return content.error();
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // an earlier master may still write to it
    if (const auto begun = begin(file); !begun) return begun.error();
    return content ? std::move(content) : ports::JobHistoryContent{};
  }
  take_over(path);
  auto opened = open_behind(path, content->whole_bytes);
  if (!opened) return opened.error();
  open_.insert_or_assign(file.job, OpenFile{std::move(*opened), content->format});
  return content;
}

Result<Done> JobHistoryFiles::append(const ApplicationId& job, const std::vector<history::Event>& events) {
  const auto found = open_.find(job);
  if (found == open_.end()) return Done{};
  auto& [file, format, unwritten] = found->second;
  for (const auto& event : events) append_history(unwritten, format, event);
  const bool has_end = std::any_of(events.begin(), events.end(), is_end);
  return has_end || unwritten.size() >= unwritten_max ? write(job) : Done{};
}

Result<Done> JobHistoryFiles::sync(const ApplicationId& job) {
  if (const auto written = write(job); !written) return written;
  const auto found = open_.find(job);
  if (found == open_.end()) return Done{};
  const auto& file = found->second.file;
  if (::fdatasync(file.descriptor()) != 0) return end_history(job, file_error(errno, "write", file.path()));
  return Done{};
}

Result<Done> JobHistoryFiles::close(const ApplicationId& job) {
  if (const auto written = write(job); !written) return written;
  auto closing = open_.extract(job);
  return closing.empty() ? Done{} : closing.mapped().file.close();
}

Result<ports::JobHistoryContent> JobHistoryFiles::read(const std::string& path) const {
  const auto text = LocalFileSystem{}.read_all(path);
  if (!text) return text.error();
  return text->starts_with("Meta ") ? read_classic(*text) : read_jhist(*text);
}

Result<Done> JobHistoryFiles::write(const ApplicationId& job) {
  const auto found = open_.find(job);
  if (found == open_.end()) return Done{};
  auto& [file, format, unwritten] = found->second;
  const auto bytes = std::exchange(unwritten, {});
  const auto written = file.write(bytes.data(), bytes.size());
  return written ? written : end_history(job, written.error());
}

Error JobHistoryFiles::end_history(const ApplicationId& job, const Error& why) {
  open_.erase(job);
  return Error{why.code, fmt::format("the history of {} ends here: {}", name_of(job), why.text)};
}

}  // namespace heddle::work
