#include "work/shuffle/shuffle_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

namespace heddle::work {
namespace {

/// Shuffle id in the name of a folder (work/shuffle/shuffle_index.hpp); -1 for other names.
std::int64_t shuffle_number(std::string_view name) {
  constexpr std::string_view prefix = "shuffle-";
  std::int64_t number = -1;
  if (!name.starts_with(prefix)) return -1;
  name.remove_prefix(prefix.size());
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  return read.ec == std::errc{} && read.ptr == name.data() + name.size() ? number : -1;
}

}  // namespace

void remove_shuffles(const std::string& directory, std::int64_t first_shuffle, ShuffleId before,
                     const std::vector<ShuffleId>& except) {
  std::error_code fault;
  std::vector<std::filesystem::path> ended;
  for (std::filesystem::directory_iterator each{directory, fault}, end; !fault && each != end; each.increment(fault)) {
    const auto number = shuffle_number(each->path().filename().string());
    if (number < first_shuffle) continue;
    const ShuffleId shuffle{number - first_shuffle};
    if (shuffle < before && std::find(except.begin(), except.end(), shuffle) == except.end())
      ended.push_back(each->path());
  }
  // A folder that cannot be removed now is removed by the next call, or with the application's folder.
  for (const auto& folder : ended) std::filesystem::remove_all(folder, fault);
}

void ShuffleFiles::remove(ShuffleId before, std::vector<ShuffleId> except) {
  background_.run([directory = directory_, first = first_shuffle_, before, except = std::move(except)] {
    remove_shuffles(directory, first, before, except);
  });
}

}  // namespace heddle::work
