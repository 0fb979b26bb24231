// What tests of the commit share: a file store that breaks, runs that live and runs that are dead, two outputs.
#pragma once

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"
#include "work/output/output_commit.hpp"
#include "work/output/output_writer.hpp"

namespace heddle::work::output_test {

using ports::CommitState;
using ports::FileStatus;

// Does what the real one does until its changes are used up; the change that breaks is not made.
class BreakingStore : public LocalFileSystem {
public:
  explicit BreakingStore(int changes) : left_{changes} {}
  [[nodiscard]] bool has_broken() const { return has_broken_; }
  Result<Done> write_atomically(const std::string& path, std::string_view content, const std::string& beside) override {
    return take() ? LocalFileSystem::write_atomically(path, content, beside) : Result<Done>{broken()};
  }
  Result<bool> create_once(const std::string& path, std::string_view content, const std::string& beside) override {
    return take() ? LocalFileSystem::create_once(path, content, beside) : Result<bool>{broken()};
  }
  Result<Done> sync(const std::vector<std::string>& paths) override {
    return left_ > 0 ? LocalFileSystem::sync(paths) : Result<Done>{broken()};
  }
  Result<Done> make_directories(const std::string& path, std::uint32_t permissions) override {
    return take() ? LocalFileSystem::make_directories(path, permissions) : Result<Done>{broken()};
  }
  Result<Done> make_directory(const std::string& path) override {
    return take() ? LocalFileSystem::make_directory(path) : Result<Done>{broken()};
  }
  Result<bool> remove_directory(const std::string& path) override {
    return take() ? LocalFileSystem::remove_directory(path) : Result<bool>{broken()};
  }
  Result<Done> rename_replacing(const std::string& from, const std::string& to, const std::string& trusted) override {
    return take() ? LocalFileSystem::rename_replacing(from, to, trusted) : Result<Done>{broken()};
  }
  Result<bool> rename_exclusive(const std::string& from, const std::string& to) override {
    return take() ? LocalFileSystem::rename_exclusive(from, to) : Result<bool>{broken()};
  }
  // Breaks in the middle: some children are gone, others stay.
  Result<Done> remove_all(const std::string& path, const std::string& trusted) override {
    auto children = list(path);
    if (children)
      for (const auto& child : *children) {
        if (!take()) return broken();
        if (auto done = LocalFileSystem::remove_all(child.path, trusted); !done) return done;
      }
    return take() ? LocalFileSystem::remove_all(path, trusted) : Result<Done>{broken()};
  }

private:
  bool take() {
    if (left_ > 0) return left_-- > 0;
    has_broken_ = true;
    return false;
  }
  bool has_broken_ = false;
  static Error broken() { return Error{Errc::io, "the power is off"}; }
  int left_;
};

/// What `application` would commit with; its journal lies beside its outputs.
inline OutputCommitSettings settings_of(const ScratchFolder& folder, std::int64_t application = 1) {
  OutputCommitSettings settings;
  settings.owner = this_process_owner({1, application});
  settings.journal = folder.file("journal-" + std::to_string(application));
  std::filesystem::create_directories(settings.journal);
  return settings;
}

inline FileOutputCommit commit_of(ports::FileSystem& files, const ScratchFolder& folder) {
  return FileOutputCommit{files, settings_of(folder)};
}

/// The same of a run whose process has ended.
inline OutputCommitSettings settings_of_dead(const ScratchFolder& folder) {
  auto settings = settings_of(folder, 9);
  ++settings.owner.start_time;  // its process id is in use again: by this process
  return settings;
}

inline void write_part(const std::string& output, std::int32_t application_attempt, const std::string& attempt,
                       std::int32_t index, const std::string& text) {
  TextOutput to;
  to.path = output;
  std::filesystem::create_directories(to.path + "/_temporary/" + std::to_string(application_attempt));
  auto writer = OutputWriter::open(local_files(), to, {application_attempt, attempt, index});
  BOOST_REQUIRE(writer);
  BOOST_REQUIRE((*writer)->add_text(text));
  BOOST_REQUIRE((*writer)->finish());
}

inline std::vector<OutputWinners> two_outputs(const ScratchFolder& folder, std::int32_t application_attempt,
                                              const OutputCommitSettings& settings) {
  std::vector<OutputWinners> outputs;
  LocalFileSystem files;
  for (const std::string name : {"left", "right"}) {
    const auto path = folder.file(name);
    if (!std::filesystem::exists(path))  // else a recovery has made it
      BOOST_REQUIRE((FileOutputCommit{files, settings}.set_up(path, {folder.file("left"), folder.file("right")},
                                                              application_attempt)));
    write_part(path, application_attempt, "won-0", 0, name + " zero\n");
    write_part(path, application_attempt, "won-1", 1, name + " one\n");
    write_part(path, application_attempt, "lost-1", 1, "must not be seen\n");
    outputs.push_back({path, false, {"won-0", "won-1"}});
  }
  return outputs;
}

inline std::vector<OutputWinners> two_outputs(const ScratchFolder& folder, std::int32_t application_attempt) {
  return two_outputs(folder, application_attempt, settings_of(folder));
}

inline std::map<std::string, std::string> content_of(const ScratchFolder& folder, const std::string& name) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder.file(name)})
    if (entry.is_regular_file()) {
      const auto path = std::filesystem::relative(entry.path(), folder.path()).string();
      files[path] = folder.read(path);
    }
  return files;
}

inline void check_committed(const ScratchFolder& folder) {
  for (const std::string name : {"left", "right"}) {
    const std::map<std::string, std::string> expected{
        {name + "/part-00000", name + " zero\n"}, {name + "/part-00001", name + " one\n"}, {name + "/_SUCCESS", ""}};
    BOOST_TEST((content_of(folder, name) == expected), name);
    BOOST_TEST(!std::filesystem::exists(folder.file(name + "/_temporary")));
  }
}

}  // namespace heddle::work::output_test
