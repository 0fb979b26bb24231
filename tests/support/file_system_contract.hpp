// What every implementation of ports/file_system.hpp promises, as test cases that run in a folder of any file system.
//
//   BOOST_AUTO_TEST_CASE(the_local_file_system_keeps_the_contract) {
//     check_file_system_contract(files, [&] { return new_empty_folder(); });
//   }
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ports/file_path.hpp"
#include "ports/file_system.hpp"
#include "tests/support/file_system_model.hpp"

namespace heddle::file_system_contract {

using ports::CreateOptions;
using ports::FileStatus;
using ports::FileSystem;

struct ContractCase {
  const char* name;
  void (*run)(FileSystem&, const std::string& folder);
};

inline void put(FileSystem& files, const std::string& path, std::string_view content,
                const CreateOptions& options = {}) {
  auto sink = files.create(path, options);
  BOOST_REQUIRE_MESSAGE(sink.has_value(), path + ": " + (sink ? "" : sink.error().text));
  BOOST_REQUIRE((*sink)->write(content));
  const auto closed = (*sink)->close();
  BOOST_REQUIRE_MESSAGE(closed.has_value(), path + ": " + (closed ? "" : closed.error().text));
}

inline std::string text_of(const FileSystem& files, const std::string& path) {
  auto text = files.read_all(path);
  return text ? *text : to_string(text.error().code);
}

inline std::vector<std::string> names_in(const FileSystem& files, const std::string& folder) {
  std::vector<std::string> names;
  const auto listed = files.list(folder);
  BOOST_REQUIRE_MESSAGE(listed.has_value(), folder);
  for (const auto& child : *listed) {
    BOOST_TEST(child.path == folder + '/' + ports::last_component(child.path));
    names.push_back(ports::last_component(child.path));
  }
  return names;
}

template <class Value>
bool fails_with(const Result<Value>& result, Errc code) {
  if (result || result.error().text.empty()) return false;
  BOOST_TEST_INFO(result.error().text);
  return result.error().code == code;
}

inline std::string random_bytes(std::size_t size, std::uint32_t seed) {
  std::mt19937 random{seed};
  std::string bytes(size, '\0');
  for (auto& byte : bytes) byte = static_cast<char>(random() & 0xFF);
  return bytes;
}

// -- content ---------------------------------------------------------------------------------------------------------

inline void a_closed_file_has_what_was_written(FileSystem& files, const std::string& folder) {
  const auto path = folder + "/file";
  auto sink = files.create(path, {});
  BOOST_REQUIRE(sink);
  for (const std::string_view piece : {"one\n", "", "two\n"}) BOOST_REQUIRE((*sink)->write(piece));
  BOOST_REQUIRE((*sink)->close());
  sink->reset();
  const auto status = files.status(path);
  BOOST_REQUIRE(status);
  BOOST_TEST(status->path == path);
  BOOST_TEST(status->length == 8);
  BOOST_TEST(!status->is_directory);
  BOOST_TEST(!status->is_link);
  BOOST_TEST(status->block_bytes >= 0);
  BOOST_TEST(status->modified_ms > 1'600'000'000'000);
  BOOST_TEST(text_of(files, path) == "one\ntwo\n");
  put(files, folder + "/empty", "");
  BOOST_TEST(files.status(folder + "/empty")->length == 0);
  BOOST_TEST(text_of(files, folder + "/empty").empty());
  BOOST_TEST(files.sync({path, folder}).has_value());
}

inline void reads_are_short_only_at_the_end(FileSystem& files, const std::string& folder) {
  const auto path = folder + "/blocks";
  const auto content = random_bytes((5 << 20) / 2, 7);
  CreateOptions options;
  options.block_bytes = 1 << 20;
  options.durability = ports::Durability::synced;
  auto sink = files.create(path, options);
  BOOST_REQUIRE(sink);
  std::mt19937 random{3};
  for (std::size_t at = 0; at < content.size();) {
    const auto size = std::min<std::size_t>(1 + random() % 200'000, content.size() - at);
    BOOST_REQUIRE((*sink)->write(std::string_view{content}.substr(at, size)));
    at += size;
  }
  BOOST_REQUIRE((*sink)->close());
  BOOST_TEST((text_of(files, path) == content));
  const auto length = static_cast<std::int64_t>(content.size());
  for (int reader = 0; reader < 40; ++reader) {
    const std::int64_t offset = reader == 0   ? length
                                : reader == 1 ? length + 5
                                              : static_cast<std::int64_t>(random()) % length;
    auto source = files.open(path, {offset, reader % 3 == 0 ? 1000 : length});
    BOOST_REQUIRE(source);
    std::string buffer(600'000, '\0');
    auto at = std::min(offset, length);
    for (int reads = 0; reads < 5; ++reads) {
      const auto size = 1 + random() % buffer.size();
      const auto count = (*source)->read(buffer.data(), size);
      BOOST_REQUIRE(count);
      BOOST_REQUIRE(*count == std::min(size, static_cast<std::size_t>(length - at)));
      BOOST_REQUIRE(content.compare(static_cast<std::size_t>(at), *count, buffer, 0, *count) == 0);
      at += static_cast<std::int64_t>(*count);
      BOOST_REQUIRE((*source)->bytes_consumed() == at - std::min(offset, length));
    }
  }
}

inline void blocks_cover_a_file_in_order(FileSystem& files, const std::string& folder) {
  const auto path = folder + "/blocks";
  CreateOptions options;
  options.block_bytes = 1 << 20;
  put(files, path, random_bytes((5 << 20) / 2, 8), options);
  BOOST_REQUIRE(files.make_directory(folder + "/sub"));
  const auto length = files.status(path)->length;
  const auto all = files.locate(path, 0, length);
  BOOST_REQUIRE(all);
  std::int64_t at = 0;
  for (const auto& block : *all) {
    BOOST_TEST(block.offset == at);
    BOOST_TEST(!block.hosts.empty());
    for (const auto& cached : block.cached_hosts)
      BOOST_TEST(std::count(block.hosts.begin(), block.hosts.end(), cached) == 1);
    at += block.length;
  }
  BOOST_TEST((all->empty() || at == length));
  BOOST_TEST((all->empty() || files.status(path)->block_bytes == 1 << 20));
  const auto second = files.locate(path, (1 << 20) + 5, 10);
  BOOST_REQUIRE(second);
  if (!all->empty()) {
    BOOST_REQUIRE(second->size() == 1U);
    BOOST_TEST(second->front().offset == 1 << 20);
  }
  const auto listed = files.list_with_blocks(folder);
  BOOST_REQUIRE(listed);
  BOOST_REQUIRE(listed->size() == 2U);
  BOOST_TEST(listed->front().blocks.size() == all->size());
  BOOST_TEST(listed->back().is_directory);
  BOOST_TEST(fails_with(files.list_with_blocks(folder + "/none"), Errc::not_found));
}

inline void a_created_file_replaces_another_only_if_it_may(FileSystem& files, const std::string& folder) {
  const auto path = folder + "/file";
  CreateOptions only_new;
  only_new.replaces = false;
  put(files, path, "first", only_new);
  BOOST_TEST(fails_with(files.create(path, only_new), Errc::exists));
  BOOST_TEST(text_of(files, path) == "first");
  put(files, path, "2");
  BOOST_TEST(text_of(files, path) == "2");
  BOOST_TEST(fails_with(files.create(folder + "/none/file", {}), Errc::not_found));
  BOOST_REQUIRE(files.make_directory(folder + "/sub"));
  BOOST_TEST(!files.create(folder + "/sub", {}));
  BOOST_TEST(!files.create(path + "/below-a-file", {}));
  BOOST_TEST((names_in(files, folder) == std::vector<std::string>{"file", "sub"}));
}

inline void missing_files_are_not_found(FileSystem& files, const std::string& folder) {
  const auto none = folder + "/none";
  BOOST_TEST(fails_with(files.status(none), Errc::not_found));
  BOOST_TEST(!*files.is_present(none));
  BOOST_TEST(!*files.is_present(none + "/below"));
  BOOST_TEST(fails_with(files.list(none), Errc::not_found));
  BOOST_TEST(fails_with(files.open(none, {}), Errc::not_found));
  BOOST_TEST(fails_with(files.read_all(none), Errc::not_found));
  put(files, folder + "/file", "text");
  BOOST_TEST(fails_with(files.list(folder + "/file"), Errc::not_found));
  BOOST_TEST(!files.open(folder, {}));
  BOOST_TEST(*files.is_present(folder));
  BOOST_TEST(*files.is_present(folder + "/file"));
}

// -- folders ---------------------------------------------------------------------------------------------------------

inline void folders_are_made_once_or_again(FileSystem& files, const std::string& folder) {
  BOOST_TEST(fails_with(files.make_directory(folder + "/a/b"), Errc::not_found));
  BOOST_TEST(files.make_directories(folder + "/a/b/c").has_value());
  BOOST_TEST(files.make_directories(folder + "/a/b/c").has_value());
  BOOST_TEST(files.make_directory(folder + "/a/b").has_value());
  BOOST_TEST(files.make_directory(folder + "/a/d").has_value());
  BOOST_TEST(files.status(folder + "/a/d")->is_directory);
  BOOST_TEST(files.status(folder + "/a/d")->length == 0);
  BOOST_TEST((names_in(files, folder + "/a") == std::vector<std::string>{"b", "d"}));
  BOOST_TEST(names_in(files, folder + "/a/d").empty());
  put(files, folder + "/file", "");
  BOOST_TEST(!files.make_directories(folder + "/file/below"));
}

inline void a_listing_is_sorted_and_whole(FileSystem& files, const std::string& folder) {
  constexpr int count = 1'200;  // more than one answer of a NameNode
  std::vector<std::string> expected{".hidden", "_hidden", "sub"};
  BOOST_REQUIRE(files.make_directory(folder + "/sub"));
  for (const auto* name : {".hidden", "_hidden"}) put(files, folder + '/' + name, "");
  for (int i = 0; i < count; ++i) {
    expected.push_back("part-" + std::to_string(i * 7919 % count));
    put(files, folder + '/' + expected.back(), "");
  }
  std::sort(expected.begin(), expected.end());
  BOOST_TEST((names_in(files, folder) == expected));
  BOOST_TEST(files.list_with_blocks(folder)->size() == expected.size());
}

inline void names_may_have_special_characters(FileSystem& files, const std::string& folder) {
  for (const std::string name :
       {"a b", "100%", "%41", "x#y", "\xC3\xBC", "q?z", "{a,b}", "[a]", "*", "~", "a=b+c&d", "'\"", "-rf", "..."}) {
    const auto path = folder + '/' + name;
    put(files, path, name);
    BOOST_TEST(text_of(files, path) == name);
    BOOST_TEST((names_in(files, folder) == std::vector<std::string>{name}));
    BOOST_TEST(files.remove_all(path, folder).has_value());
  }
}

inline void removals_can_be_repeated(FileSystem& files, const std::string& folder) {
  BOOST_REQUIRE(files.make_directories(folder + "/a/b"));
  put(files, folder + "/a/b/file", "text");
  put(files, folder + "/file", "text");
  BOOST_TEST(*files.remove_directory(folder + "/a") == false);
  for (int times = 0; times < 2; ++times) {
    BOOST_TEST(files.remove_all(folder + "/file", folder).has_value());
    BOOST_TEST(files.remove_all(folder + "/a/b/file", folder).has_value());
    BOOST_TEST(*files.remove_directory(folder + "/a/b"));
    BOOST_TEST(files.remove_all(folder + "/none/below", folder).has_value());
  }
  put(files, folder + "/a/again", "text");
  BOOST_TEST(files.remove_all(folder + "/a", folder).has_value());
  BOOST_TEST(names_in(files, folder).empty());
  put(files, folder + "/kept", "text");
  BOOST_TEST(fails_with(files.remove_all(folder + "/kept", folder + "/other"), Errc::refused));
  BOOST_TEST(text_of(files, folder + "/kept") == "text");
}

// -- renames ---------------------------------------------------------------------------------------------------------

inline void an_exclusive_rename_replaces_nothing(FileSystem& files, const std::string& folder) {
  put(files, folder + "/a", "a");
  put(files, folder + "/b", "b");
  BOOST_REQUIRE(files.make_directories(folder + "/full/sub"));
  BOOST_REQUIRE(files.make_directory(folder + "/empty"));
  BOOST_TEST(*files.rename_exclusive(folder + "/a", folder + "/b") == false);
  BOOST_TEST(*files.rename_exclusive(folder + "/a", folder + "/empty") == false);
  BOOST_TEST(*files.rename_exclusive(folder + "/full", folder + "/empty") == false);
  BOOST_TEST(*files.rename_exclusive(folder + "/full", folder + "/b") == false);
  BOOST_TEST(fails_with(files.rename_exclusive(folder + "/none", folder + "/new"), Errc::not_found));
  BOOST_TEST(fails_with(files.rename_exclusive(folder + "/a", folder + "/none/new"), Errc::not_found));
  BOOST_TEST(*files.rename_exclusive(folder + "/a", folder + "/full/sub/a"));
  BOOST_TEST(*files.rename_exclusive(folder + "/full", folder + "/moved"));
  BOOST_TEST(text_of(files, folder + "/moved/sub/a") == "a");
  BOOST_TEST(text_of(files, folder + "/b") == "b");
  BOOST_TEST((names_in(files, folder) == std::vector<std::string>{"b", "empty", "moved"}));
  BOOST_TEST(names_in(files, folder + "/empty").empty());
}

inline void a_replacing_rename_can_be_repeated(FileSystem& files, const std::string& folder) {
  put(files, folder + "/a", "new");
  put(files, folder + "/b", "old");
  BOOST_REQUIRE(files.make_directories(folder + "/from/sub"));
  for (int times = 0; times < 2; ++times) {
    BOOST_TEST(files.rename_replacing(folder + "/a", folder + "/b", folder).has_value());
    BOOST_TEST(text_of(files, folder + "/b") == "new");
    BOOST_TEST(files.rename_replacing(folder + "/from", folder + "/to", folder).has_value());
    BOOST_TEST((names_in(files, folder + "/to") == std::vector<std::string>{"sub"}));
    BOOST_TEST((names_in(files, folder) == std::vector<std::string>{"b", "to"}));
  }
  BOOST_TEST(fails_with(files.rename_replacing(folder + "/none", folder + "/new", folder), Errc::not_found));
  BOOST_TEST(fails_with(files.rename_replacing(folder + "/none/a", folder + "/new", folder), Errc::not_found));
  BOOST_TEST(fails_with(files.rename_replacing(folder + "/b", folder + "/none/new", folder), Errc::not_found));
  BOOST_TEST(text_of(files, folder + "/b") == "new");
}

/// Runs `step(number)` on some threads at once; returns how many returned true.
inline int count_winners(const std::function<bool(int)>& step) {
  std::atomic<int> winners{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 6; ++number) threads.emplace_back([&, number] { winners += step(number) ? 1 : 0; });
  for (auto& thread : threads) thread.join();
  return winners;
}

inline void one_of_several_renames_wins(FileSystem& files, const std::string& folder) {
  for (int round = 0; round < 5; ++round) {
    const auto here = folder + "/round-" + std::to_string(round);
    BOOST_REQUIRE(files.make_directory(here));
    for (int number = 0; number < 6; ++number) {
      BOOST_REQUIRE(files.make_directory(here + "/own-" + std::to_string(number)));
      put(files, here + "/file-" + std::to_string(number), std::to_string(number));
    }
    BOOST_TEST(count_winners([&](int number) {
                 const auto done = files.rename_exclusive(here + "/own-" + std::to_string(number), here + "/folder");
                 return done && *done;
               }) == 1);
    BOOST_TEST(count_winners([&](int number) {
                 const auto done = files.rename_exclusive(here + "/file-" + std::to_string(number), here + "/file");
                 return done && *done;
               }) == 1);
    BOOST_TEST(names_in(files, here).size() == 12U);
  }
}

// -- small files -----------------------------------------------------------------------------------------------------

inline void a_record_is_created_once(FileSystem& files, const std::string& folder) {
  const auto record = folder + "/COMMIT";
  for (int number = 0; number < 6; ++number) BOOST_REQUIRE(files.make_directory(folder + '/' + std::to_string(number)));
  std::atomic<int> winner{-1};
  BOOST_TEST(count_winners([&](int number) {
               const auto name = std::to_string(number);
               const auto done = files.create_once(record, name, folder + '/' + name);
               if (done && *done) winner = number;
               return done && *done;
             }) == 1);
  BOOST_TEST(text_of(files, record) == std::to_string(winner));
  BOOST_TEST(*files.create_once(record, "late", folder + "/0") == false);
  BOOST_TEST(text_of(files, record) == std::to_string(winner));
  BOOST_TEST(names_in(files, folder + "/0").empty());  // no temporary file stays
}

inline void who_has_no_folder_cannot_create_a_record(FileSystem& files, const std::string& folder) {
  BOOST_REQUIRE(files.make_directory(folder + "/1"));
  BOOST_REQUIRE(*files.rename_exclusive(folder + "/1", folder + "/1.discarded"));
  BOOST_TEST(fails_with(files.create_once(folder + "/COMMIT", "late", folder + "/1"), Errc::not_found));
  BOOST_TEST(fails_with(files.write_atomically(folder + "/COMMIT", "late", folder + "/1"), Errc::not_found));
  BOOST_TEST((names_in(files, folder) == std::vector<std::string>{"1.discarded"}));
}

inline void an_atomic_write_replaces(FileSystem& files, const std::string& folder) {
  BOOST_REQUIRE(files.make_directory(folder + "/own"));
  for (const std::string content : {"first", "", "a longer text"}) {
    BOOST_TEST(files.write_atomically(folder + "/file", content, folder + "/own").has_value());
    BOOST_TEST(text_of(files, folder + "/file") == content);
    BOOST_TEST(files.write_atomically(folder + "/file", content, folder).has_value());
  }
  BOOST_TEST((names_in(files, folder) == std::vector<std::string>{"file", "own"}));
  BOOST_TEST(names_in(files, folder + "/own").empty());
}

inline void an_own_file_is_read_and_locked(FileSystem& files, const std::string& folder) {
  const auto path = folder + "/_temporary/OWNER";
  BOOST_TEST(fails_with(files.open_own_file(path, folder, ports::Locking::none), Errc::not_found));
  BOOST_REQUIRE(files.make_directory(folder + "/_temporary"));
  BOOST_TEST(fails_with(files.open_own_file(path, folder, ports::Locking::exclusive), Errc::not_found));
  put(files, path, "owner");
  const auto seen = files.open_own_file(path, folder, ports::Locking::none);
  BOOST_REQUIRE(seen);
  BOOST_TEST(seen->content == "owner");
  BOOST_TEST(!seen->lock);
  // Two holders at once would count one step only.
  std::atomic<int> holders{0};
  const auto count_under_lock = [&](int) {
    for (int step = 0; step < 3; ++step) {
      const auto locked = files.open_own_file(path, folder, ports::Locking::exclusive);
      if (!locked || !locked->lock || locked->content != "owner" || holders.fetch_add(1) != 0) return false;
      static_cast<void>(files.status(path));
      holders.fetch_sub(1);
    }
    return true;
  };
  BOOST_TEST(count_winners(count_under_lock) == 6);
  BOOST_TEST(text_of(files, path) == "owner");
  BOOST_TEST((names_in(files, folder + "/_temporary") == std::vector<std::string>{"OWNER"}));
}

// -- all -------------------------------------------------------------------------------------------------------------

inline const std::vector<ContractCase>& contract_cases() {
  static const std::vector<ContractCase> cases{
      {"a closed file has what was written", a_closed_file_has_what_was_written},
      {"reads are short only at the end", reads_are_short_only_at_the_end},
      {"blocks cover a file in order", blocks_cover_a_file_in_order},
      {"a created file replaces another only if it may", a_created_file_replaces_another_only_if_it_may},
      {"missing files are not found", missing_files_are_not_found},
      {"folders are made once or again", folders_are_made_once_or_again},
      {"a listing is sorted and whole", a_listing_is_sorted_and_whole},
      {"names may have special characters", names_may_have_special_characters},
      {"removals can be repeated", removals_can_be_repeated},
      {"an exclusive rename replaces nothing", an_exclusive_rename_replaces_nothing},
      {"a replacing rename can be repeated", a_replacing_rename_can_be_repeated},
      {"one of several renames wins", one_of_several_renames_wins},
      {"a record is created once", a_record_is_created_once},
      {"who has no folder cannot create a record", who_has_no_folder_cannot_create_a_record},
      {"an atomic write replaces", an_atomic_write_replaces},
      {"an own file is read and locked", an_own_file_is_read_and_locked},
      {"random operations agree with a model", random_operations_agree_with_a_model}};
  return cases;
}

/// Runs each case in a new empty folder, whose path `new_folder` returns.
inline void check_file_system_contract(FileSystem& files, const std::function<std::string()>& new_folder) {
  for (const auto& each : contract_cases()) BOOST_TEST_CONTEXT(each.name) {
      each.run(files, new_folder());
    }
}

}  // namespace heddle::file_system_contract
