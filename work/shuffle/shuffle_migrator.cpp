#include "work/shuffle/shuffle_migrator.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <utility>

#include "work/files/file_handle.hpp"
#include "work/files/wake_event.hpp"
#include "work/shuffle/segment_cursor.hpp"
#include "work/shuffle/shuffle_index.hpp"

namespace heddle::work {
namespace {

constexpr std::size_t copied_at_once = 1 << 20;
// limit for map numbers, because tables are as long as their largest map number
constexpr std::int32_t maps_max = 1 << 24;
constexpr const char* copy_mark = "-moved.";  // in the names of data files of copies

const std::string stopped_text = "the executor ends";

bool is_readable(int descriptor) {
  pollfd polled{descriptor, POLLIN, 0};
  return descriptor >= 0 && ::poll(&polled, 1, 0) > 0;
}

/// Copy of one output. Partitions are written in order: the number of offsets is the number of complete partitions.
struct Copy {
  std::int32_t map = 0;
  FileHandle file;
  ShuffleIndex index;
  bool is_lost = false;
};

/// Verifies the length and the checksum of every block of a segment.
Result<Done> verify(const ports::FetchedSegment& segment) {
  SegmentLocation location;
  location.map = segment.map;
  location.length = segment.length;
  if (segment.path.empty()) {
    if (static_cast<std::int64_t>(segment.bytes.size()) != segment.length)
      return Error{Errc::corrupt, "map " + std::to_string(segment.map) + " has an unexpected length"};
    location.bytes = {reinterpret_cast<const char*>(segment.bytes.data()), segment.bytes.size()};
  } else {
    location.path = segment.path;
    location.offset = segment.offset;
  }
  SegmentCursor cursor{std::move(location)};
  for (;;) {
    const auto more = cursor.next_block();
    if (!more) return more.error();
    if (!*more) return Done{};
  }
}

Result<Done> append(const FileHandle& to, const ports::FetchedSegment& segment) {
  if (segment.path.empty()) return to.write(reinterpret_cast<const char*>(segment.bytes.data()), segment.bytes.size());
  const auto from = FileHandle::open_to_read(segment.path);
  if (!from) return from.error();
  std::vector<char> room(std::min<std::size_t>(copied_at_once, static_cast<std::size_t>(segment.length)));
  for (std::int64_t at = 0; at < segment.length;) {
    const auto size = std::min(room.size(), static_cast<std::size_t>(segment.length - at));
    const auto read = from->read_at(room.data(), size, segment.offset + at);
    if (!read) return read.error();
    if (*read < size) return Error{Errc::corrupt, "'" + segment.path + "' is shorter than its index says"};
    if (auto done = to.write(room.data(), size); !done) return done;
    at += static_cast<std::int64_t>(size);
  }
  return Done{};
}

/// Copies of some maps of one migration.
class Copies {
public:
  Copies(ports::ShuffleFetch& fetch, const ports::MapOutputMigration& move, const ShuffleMigratorSettings& settings,
         ports::MapOutputMigrationResult& end, int stop)
      : fetch_{fetch},
        move_{move},
        settings_{settings},
        stop_{stop},
        shuffle_{move.shuffle.value + settings.first_shuffle},
        end_{end} {}
  ~Copies() {
    for (auto& copy : copies_) drop(copy);
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  void run(std::vector<std::int32_t> maps) {
    std::error_code ignored;
    std::filesystem::create_directories(shuffle_folder(settings_.directory, shuffle_), ignored);
    for (const auto map : maps) open(map);
    for (std::int32_t partition = 0; partition < move_.partitions; ++partition)
      while (!fetch_partition(partition)) {}
    for (auto& copy : copies_)
      if (!copy.is_lost) put_in_place(copy);
  }

private:
  void open(std::int32_t map) {
    const auto path = shuffle_folder(settings_.directory, shuffle_) + '/' + std::to_string(map) + copy_mark +
                      settings_.name + ".data";
    auto file = FileHandle::create(path);
    if (!file) return record_error(file.error().text);
    copies_.emplace_back();
    copies_.back().map = map;
    copies_.back().file = std::move(*file);
    copies_.back().index.data_path = path;
    copies_.back().index.offsets = {0};
  }

  /// Returns true if each copy has this partition, or has failed.
  bool fetch_partition(std::int32_t partition) {
    const auto done = static_cast<std::size_t>(partition) + 2;
    ports::ShuffleLocations locations;
    locations.shuffle = move_.shuffle;
    locations.places = {move_.from};
    for (const auto& copy : copies_) {
      if (copy.is_lost || copy.index.offsets.size() == done) continue;
      locations.place_of_map.resize(std::max(locations.place_of_map.size(), static_cast<std::size_t>(copy.map) + 1),
                                    ports::ShuffleLocations::not_wanted);
      locations.place_of_map[static_cast<std::size_t>(copy.map)] = 0;
    }
    if (locations.place_of_map.empty()) return true;
    ports::FetchFailure failure;
    const auto on_segment = [this](const ports::FetchedSegment& segment) {
      add_segment(segment);
      return true;
    };
    if (fetch_.fetch({locations, partition, stop_}, on_segment, failure)) return true;
    auto* copy = find(failure.map);
    record_error(failure.text);
    if (copy != nullptr && failure.is_lost) {
      drop(*copy);
      return false;
    }
    for (auto& each : copies_) drop(each);
    return true;
  }

  void add_segment(const ports::FetchedSegment& segment) {
    auto* copy = find(segment.map);
    if (copy != nullptr) {
      auto done = verify(segment);
      if (done) done = append(copy->file, segment);
      if (done) {
        copy->index.offsets.push_back(copy->index.offsets.back() + segment.length);
      } else {
        record_error(done.error().text);
        drop(*copy);
      }
    }
    if (segment.is_owned) ::unlink(segment.path.c_str());
  }

  void put_in_place(Copy& copy) {
    auto done = copy.file.close();
    if (done) done = commit_migrated_index(settings_.directory, shuffle_, copy.map, copy.index);
    if (!done) {
      record_error(done.error().text);
      return drop(copy);
    }
    copy.is_lost = true;  // the index owns the file now
    end_.migrated.push_back(copy.map);
  }

  void drop(Copy& copy) {
    if (std::exchange(copy.is_lost, true)) return;
    ::unlink(copy.index.data_path.c_str());
    copy.file = {};
  }
  Copy* find(std::int32_t map) {
    const auto found = std::find_if(copies_.begin(), copies_.end(),
                                    [map](const Copy& copy) { return copy.map == map && !copy.is_lost; });
    return found == copies_.end() ? nullptr : &*found;
  }
  void record_error(const std::string& text) {
    if (end_.text.empty()) end_.text = text;
  }

  ports::ShuffleFetch& fetch_;
  const ports::MapOutputMigration& move_;
  const ShuffleMigratorSettings& settings_;
  int stop_;
  ShuffleId shuffle_;
  ports::MapOutputMigrationResult& end_;
  std::vector<Copy> copies_;
};

}  // namespace

ports::MapOutputMigrationResult migrate_outputs(ports::ShuffleFetch& fetch, const ports::MapOutputMigration& move,
                                                const ShuffleMigratorSettings& settings, int stop) {
  ports::MapOutputMigrationResult end;
  const auto is_no_map = [](std::int32_t map) { return map < 0 || map >= maps_max; };
  if (move.partitions <= 0 || std::any_of(move.maps.begin(), move.maps.end(), is_no_map)) {
    end.text = "the request to copy map outputs has invalid map or partition numbers";
    return end;
  }
  const auto step = std::max<std::size_t>(settings.maps_at_once, 1);
  for (std::size_t first = 0; first < move.maps.size(); first += step) {
    if (is_readable(stop)) {
      if (end.text.empty()) end.text = stopped_text;
      break;
    }
    const auto begin = move.maps.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = std::min(step, move.maps.size() - first);
    Copies{fetch, move, settings, end, stop}.run({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }
  return end;
}

struct ShuffleMigrator::State {
  State(ports::ShuffleFetch& from, ShuffleMigratorSettings how) : fetch{from}, settings{std::move(how)} {}

  ports::MapOutputMigrationResult run(const ports::MapOutputMigration& move) {
    {
      const std::lock_guard lock{mutex};
      if (is_stopped) return {{}, stopped_text};
      is_running = true;
    }
    ports::MapOutputMigrationResult end;
    try {
      end = migrate_outputs(fetch, move, settings, wake.descriptor());
    } catch (const std::exception& fault) {  // the caller waits for a result
      end.text = fault.what();
    }
    const std::lock_guard lock{mutex};
    is_running = false;
    has_ended.notify_all();
    return end;
  }

  ports::ShuffleFetch& fetch;
  ShuffleMigratorSettings settings;
  WakeEvent wake;  // without descriptors: only moves that wait can be stopped
  std::mutex mutex;
  std::condition_variable has_ended;
  bool is_running = false;
  bool is_stopped = false;
};

ShuffleMigrator::ShuffleMigrator(ports::ShuffleFetch& fetch, ports::Background& background,
                                 ShuffleMigratorSettings settings)
    : background_{background}, state_{std::make_shared<State>(fetch, std::move(settings))} {
  static_cast<void>(state_->wake.open("cannot stop the copies of map outputs"));
}

ShuffleMigrator::~ShuffleMigrator() { stop(); }

void ShuffleMigrator::stop() {
  constexpr std::chrono::seconds patience{1};
  std::unique_lock lock{state_->mutex};
  state_->is_stopped = true;
  state_->wake.set();
  state_->has_ended.wait_for(lock, patience, [this] { return !state_->is_running; });
}

void ShuffleMigrator::migrate(ports::MapOutputMigration move,
                              std::function<void(ports::MapOutputMigrationResult)> on_end) {
  background_.run([state = state_, move = std::move(move), on_end = std::move(on_end)] { on_end(state->run(move)); });
}

}  // namespace heddle::work
