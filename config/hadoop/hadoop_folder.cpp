#include "config/hadoop/hadoop_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <span>

#include "config/hadoop/hadoop_references.hpp"
#include "config/hadoop/hadoop_xml.hpp"
#include "config/hadoop/job_keys.hpp"
#include "config/hadoop/unhonoured.hpp"
#include "config/table/setting_rows.hpp"
#include "config/text/text_file.hpp"

namespace heddle::config {
namespace {

constexpr std::array<std::string_view, 6> site_files{"core-site.xml", "hdfs-site.xml",      "mapred-site.xml",
                                                     "yarn-site.xml", "resource-types.xml", "node-resources.xml"};
constexpr std::string_view scheduler_key = "heddle.resource_manager.scheduler";
constexpr std::string_view queue_file_key = "heddle.resource_manager.queue_file";
/// Disk folders of real nodes: ignored, since the nodes of a topology run on one machine.
constexpr std::array<std::string_view, 3> disk_keys{"yarn.nodemanager.local-dirs", "yarn.nodemanager.log-dirs",
                                                    "spark.local.dir"};

/// Value of heddle.resource_manager.scheduler for a scheduler class of Hadoop.
std::optional<std::string> scheduler_of(std::string_view name) {
  name.remove_prefix(name.rfind('.') == std::string_view::npos ? 0 : name.rfind('.') + 1);
  if (name == "FairScheduler") return "fair";
  if (name == "CapacityScheduler") return "capacity";
  if (name == "FifoScheduler") return "fifo";
  return std::nullopt;
}

class FolderReader {
public:
  explicit FolderReader(std::string folder) : folder_{std::move(folder)} {}

  Result<HadoopFolder> read() {
    std::vector<SettingEntry> entries;
    std::vector<std::pair<std::string, std::size_t>> sites;  // path, and end index of its entries
    for (const auto file : site_files) {
      const auto path = in_folder(std::string{file});
      const auto content = read_text_file(path);
      if (!content && content.error().code == Errc::not_found) continue;
      if (!content) return content.error();
      auto more = parse_hadoop_xml(path, *content);
      if (!more) return more.error();
      entries.insert(entries.end(), std::make_move_iterator(more->begin()), std::make_move_iterator(more->end()));
      sites.emplace_back(path, entries.size());
    }
    if (const auto done = expand_entries(entries); !done) return done.error();
    std::size_t begin = 0;
    for (const auto& [path, end] : sites) {
      if (auto taken = take_site(path, std::span{entries}.subspan(begin, end - begin)); !taken) return taken.error();
      begin = end;
    }
    choose_queue_file();
    if (sites.empty() && scheduler_.empty())
      return Error{Errc::not_found,
                   fmt::format("{}: none of these files exists: {}", folder_, fmt::join(site_files, ", "))};
    return std::move(result_);
  }

private:
  [[nodiscard]] std::string in_folder(const std::string& file) const {
    return (std::filesystem::path{folder_} / file).string();
  }
  [[nodiscard]] bool has(const std::string& file) const {
    std::error_code ignored;
    return std::filesystem::exists(in_folder(file), ignored);
  }

  Result<Done> take_site(const std::string& path, std::span<const SettingEntry> entries) {
    std::set<std::string> ignored;
    std::set<std::string> notices;
    for (const auto& entry : entries) {
      if (const auto notice = notice_of_unhonoured(entry.key, entry.value)) {
        if (!notice->empty()) notices.insert(fmt::format("{}: {}", path, *notice));
        continue;
      }
      const auto taken = take(entry);
      if (!taken) return Error{taken.error().code, fmt::format("{}: {}: {}", path, entry.key, taken.error().text)};
      if (!*taken) ignored.insert(entry.key);
    }
    result_.warnings.insert(result_.warnings.end(), notices.begin(), notices.end());
    if (!ignored.empty())
      result_.warnings.push_back(fmt::format("{}: heddle ignores {}", path, fmt::join(ignored, ", ")));
    return Done{};
  }

  /// Returns false if heddle has no counterpart of the property.
  Result<bool> take(const SettingEntry& entry) {
    // A value with an unresolved reference is ignored.
    if (entry.value.find("${") != std::string::npos) return false;
    if (std::find(disk_keys.begin(), disk_keys.end(), entry.key) != disk_keys.end()) return false;
    if (entry.key == "net.topology.table.file.name") return read_racks(entry);
    if (entry.key == "yarn.resourcemanager.scheduler.class") {
      const auto scheduler = scheduler_of(entry.value);
      if (!scheduler)
        return Error{
            Errc::usage,
            fmt::format(
                "\"{}\" is not a scheduler of Hadoop; expected: FairScheduler, CapacityScheduler or FifoScheduler",
                entry.value)};
      scheduler_ = *scheduler;
      result_.settings.push_back({std::string{scheduler_key}, *scheduler, entry.place});
      return true;
    }
    const auto present = present_hadoop_name(entry.key);
    const bool is_of_job = is_job_key(present);
    if (is_of_job) result_.job_keys.push_back({present, entry.value, entry.place});
    const auto* row = find_setting(entry.key);
    if (row == nullptr) return is_of_job;
    if (row->key == queue_file_key) {
      allocation_file_ = SettingEntry{entry.key, in_folder(entry.value), entry.place};
      return true;
    }
    // -1: Hadoop uses the size of the machine.
    if (entry.key.starts_with("yarn.nodemanager.resource.") && entry.value == "-1") return false;
    // -1: in Hadoop a memory size that is not set.
    if (row->kind == SettingKind::size && entry.value == "-1") return false;
    if (row->kind == SettingKind::choice && !normalized_value(*row, entry.value)) return false;
    result_.settings.push_back(entry);
    return true;
  }

  Result<bool> read_racks(const SettingEntry& entry) {
    const auto path = in_folder(entry.value);
    const auto content = read_text_file(path);
    if (!content) return content.error();
    result_.racks = parse_rack_table(path, *content);
    result_.warnings.insert(result_.warnings.end(), result_.racks.warnings.begin(), result_.racks.warnings.end());
    return true;
  }

  /// Without a scheduler class Hadoop uses the CapacityScheduler, with the queue file of this folder.
  void choose_queue_file() {
    if (scheduler_.empty() && has("capacity-scheduler.xml")) {
      scheduler_ = "capacity";
      result_.settings.push_back({std::string{scheduler_key}, scheduler_, in_folder("capacity-scheduler.xml")});
    }
    if (scheduler_ == "fair" && allocation_file_) return result_.settings.push_back(*allocation_file_);
    const auto usual = scheduler_ + "-scheduler.xml";
    if ((scheduler_ == "fair" || scheduler_ == "capacity") && has(usual))
      result_.settings.push_back({std::string{queue_file_key}, in_folder(usual), in_folder(usual)});
  }

  std::string folder_;
  HadoopFolder result_;
  std::string scheduler_;
  std::optional<SettingEntry> allocation_file_;
};

}  // namespace

Result<HadoopFolder> read_hadoop_folder(const std::string& folder) { return FolderReader{folder}.read(); }

}  // namespace heddle::config
