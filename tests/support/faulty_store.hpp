// A file store whose k-th call fails, and the check that a step can be repeated after such a failure.
#pragma once

#include <array>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::work::output_test {

/// What happens at the faulty call. `crash`: that call and all later calls have no effect.
enum class Fault : std::uint8_t { call_fails, answer_is_lost, crash };
inline constexpr std::array all_faults{Fault::call_fails, Fault::answer_is_lost, Fault::crash};

/// Counts reads too. remove_all counts one call per child, so that it can stop between two of them.
class FaultyStore final : public LocalFileSystem {
public:
  FaultyStore(Fault fault, int at) : fault_{fault}, at_{at} {}
  [[nodiscard]] bool has_failed() const { return calls_ > at_; }
  Result<bool> is_present(const std::string& path) const override {
    return call<bool>([&] { return LocalFileSystem::is_present(path); });
  }
  Result<std::vector<ports::FileStatus>> list(const std::string& path) const override {
    return call<std::vector<ports::FileStatus>>([&] { return LocalFileSystem::list(path); });
  }
  Result<std::string> read_all(const std::string& path) const override {
    return call<std::string>([&] { return LocalFileSystem::read_all(path); });
  }
  Result<ports::OwnFile> open_own_file(const std::string& path, const std::string& trusted,
                                       ports::Locking locking) const override {
    return call<ports::OwnFile>([&] { return LocalFileSystem::open_own_file(path, trusted, locking); });
  }
  Result<Done> write_atomically(const std::string& path, std::string_view content, const std::string& beside) override {
    return call<Done>([&] { return LocalFileSystem::write_atomically(path, content, beside); });
  }
  Result<bool> create_once(const std::string& path, std::string_view content, const std::string& beside) override {
    return call<bool>([&] { return LocalFileSystem::create_once(path, content, beside); });
  }
  Result<Done> sync(const std::vector<std::string>& paths) override {
    return call<Done>([&] { return LocalFileSystem::sync(paths); });
  }
  Result<Done> rename_replacing(const std::string& from, const std::string& to, const std::string& trusted) override {
    return call<Done>([&] { return LocalFileSystem::rename_replacing(from, to, trusted); });
  }
  Result<bool> rename_exclusive(const std::string& from, const std::string& to) override {
    return call<bool>([&] { return LocalFileSystem::rename_exclusive(from, to); });
  }
  Result<Done> remove_all(const std::string& path, const std::string& trusted) override {
    if (const auto children = LocalFileSystem::list(path))
      for (const auto& child : *children)
        if (auto done = call<Done>([&] { return LocalFileSystem::remove_all(child.path, trusted); }); !done)
          return done;
    return call<Done>([&] { return LocalFileSystem::remove_all(path, trusted); });
  }
  Result<bool> remove_directory(const std::string& path) override {
    return call<bool>([&] { return LocalFileSystem::remove_directory(path); });
  }

private:
  template <class Value>
  Result<Value> call(const std::function<Result<Value>()>& real) const {
    const int number = calls_++;
    if (number < at_ || (number > at_ && fault_ != Fault::crash)) return real();
    if (number == at_ && fault_ == Fault::answer_is_lost) static_cast<void>(real().has_value());
    return Error{Errc::io, "the disk failed"};
  }

  Fault fault_;
  int at_;
  mutable int calls_ = 0;
};

/// Files with their content, and folders, below the scratch folder. Two scratch folders with the same files give the
/// same tree: `@` replaces the path of the folder, and a journal entry has no number.
using Tree = std::map<std::string, std::string>;
inline Tree tree_of(const ScratchFolder& folder) {
  Tree tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder.path()}) {
    auto name = std::filesystem::relative(entry.path(), folder.path()).string();
    if (entry.is_directory()) {
      tree[name + '/'] = {};
      continue;
    }
    auto content = folder.read(name);
    for (auto at = content.find(folder.path()); at != content.npos; at = content.find(folder.path()))
      content.replace(at, folder.path().size(), "@");
    if (name.starts_with("journal/")) name = "journal/entry";
    tree[name] = content;
  }
  return tree;
}

inline Tree without_journal(Tree tree) {
  std::erase_if(tree, [](const auto& entry) { return entry.first.starts_with("journal/"); });
  return tree;
}

/// A step on the files of a scratch folder. Returns true if it reports success without a notice.
using FileStep = std::function<bool(ports::FileSystem&, const ScratchFolder&)>;

/// Runs `step` with each fault at each call, checks the files with `check`, and repeats the step without a fault: the
/// files are those of a step without a fault. If the faulty step reports success, they are so already, without the
/// journal, whose write may fail.
inline void check_repeats(
    const std::function<void(const ScratchFolder&)>& prepare, const FileStep& step,
    const std::function<void(const ScratchFolder&)>& check = [](const ScratchFolder&) {}) {
  LocalFileSystem sound;
  const ScratchFolder plain;
  prepare(plain);
  BOOST_REQUIRE(step(sound, plain));
  const auto expected = tree_of(plain);
  for (const auto fault : all_faults)
    for (int at = 0;; ++at) {
      BOOST_TEST_CONTEXT("fault " << static_cast<int>(fault) << " at call " << at) {
        const ScratchFolder folder;
        prepare(folder);
        FaultyStore faulty{fault, at};
        const bool is_done = step(faulty, folder);
        check(folder);
        if (is_done) BOOST_TEST((without_journal(tree_of(folder)) == without_journal(expected)));
        BOOST_TEST(step(sound, folder));
        BOOST_TEST((tree_of(folder) == expected));
        if (!faulty.has_failed()) {
          BOOST_TEST(is_done);
          BOOST_TEST(at > 0);
          break;
        }
        BOOST_REQUIRE(at < 200);
      }
    }
}

}  // namespace heddle::work::output_test
