#include "work/tasks/log_output.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "work/records/record.hpp"

namespace heddle::work {

Result<Done> LogOutput::add_text(std::string_view text) {
  if (text.empty() || left_ < 0) return Done{};
  const bool is_cut = static_cast<std::int64_t>(text.size()) > left_;
  const auto kept =
      text.substr(0, static_cast<std::size_t>(std::min<std::int64_t>(left_, static_cast<std::int64_t>(text.size()))));
  if (auto opened = open(); !opened) return opened;
  left_ -= static_cast<std::int64_t>(text.size());
  if (auto written = file_.write(kept.data(), kept.size()); !written || !is_cut) return written;
  constexpr std::string_view note = "\n[heddle: the output reached its size limit; later output is dropped]\n";
  return file_.write(note.data(), note.size());
}

Result<Done> LogOutput::add_line(std::string_view line) { return add_text(std::string{line} + "\n"); }

Result<Done> LogOutput::add_pair(std::string_view key, std::string_view value) {
  return add_text(std::string{key} + "\t" + std::string{value} + "\n");
}

Result<Done> LogOutput::add_record(const Record& record, const TaskInput& from) {
  std::string line;
  append_line(line, record, record.key.empty() ? std::string_view{} : from.line_separator());
  return add_text(line);
}

Result<Done> LogOutput::open() {
  if (file_.is_open()) return Done{};
  if (place_ == LogPlace::stage_folders) make_folders();
  auto file = FileHandle::create(path_, place_ == LogPlace::stage_folders ? 0600 : 0640);
  if (!file) return file.error();
  file_ = std::move(*file);
  return Done{};
}

void LogOutput::make_folders() const {
  // The folders of the application and of the stage are private to the user, like its event log; the folder above may
  // be one that several users share.
  const auto stage = std::filesystem::path{path_}.parent_path();
  const auto application = stage.parent_path();
  std::error_code ignored;
  std::filesystem::create_directories(application.parent_path(), ignored);
  for (const auto& folder : {application, stage}) static_cast<void>(::mkdir(folder.c_str(), 0700));
}

}  // namespace heddle::work
