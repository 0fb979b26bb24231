// Random operations on a file system and on a map of its files, which must agree. Part of file_system_contract.hpp.
#pragma once

#include <boost/test/unit_test.hpp>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ports/file_system.hpp"

namespace heddle::file_system_contract {

using ports::FileSystem;

/// Paths below the folder, with content; folders have none.
using Model = std::map<std::string, std::optional<std::string>>;

inline bool is_folder(const Model& model, const std::string& path) {
  if (path.empty()) return true;
  const auto at = model.find(path);
  return at != model.end() && !at->second;
}

inline std::string folder_in_model(const std::string& path) { return path.substr(0, path.rfind('/')); }

inline void move_in_model(Model& model, const std::string& from, const std::string& to) {
  Model moved;
  for (auto at = model.begin(); at != model.end();) {
    const bool is_below = at->first == from || at->first.starts_with(from + '/');
    if (is_below) moved[to + at->first.substr(from.size())] = at->second;
    at = is_below ? model.erase(at) : std::next(at);
  }
  model.merge(moved);
}

inline std::string any_path(std::mt19937& random) {
  std::string path;
  for (auto depth = 1 + random() % 3; depth > 0; --depth)
    path += '/' + std::string(1, static_cast<char>('a' + random() % 3));
  return path;
}

/// One random operation on both; they must agree on its result.
inline void step_both(FileSystem& files, const std::string& folder, Model& model, std::mt19937& random) {
  const auto path = any_path(random);
  const auto other = any_path(random);
  const bool exists = model.count(path) != 0;
  const bool can_make = is_folder(model, folder_in_model(path));
  const auto text = std::to_string(random() % 1000);
  switch (random() % 7) {
    case 0: {
      auto sink = files.create(folder + path, {});
      const bool is_possible = can_make && !(exists && is_folder(model, path));
      BOOST_REQUIRE(sink.has_value() == is_possible);
      if (!sink) return;
      BOOST_REQUIRE((*sink)->write(text));
      BOOST_REQUIRE((*sink)->close());
      model[path] = text;
      return;
    }
    case 1:
      if (exists && !is_folder(model, path)) return;  // some file systems call that a success, some an error
      BOOST_REQUIRE(files.make_directory(folder + path).has_value() == can_make);
      if (can_make) model[path] = std::nullopt;
      return;
    case 2: {
      if (other == path || other.starts_with(path + '/') || !is_folder(model, folder_in_model(other))) return;
      const auto done = files.rename_exclusive(folder + path, folder + other);
      if (!exists) {
        BOOST_REQUIRE((done ? !*done : done.error().code == Errc::not_found));
        return;
      }
      BOOST_REQUIRE(done.has_value());
      BOOST_REQUIRE(*done == (model.count(other) == 0));
      if (*done) move_in_model(model, path, other);
      return;
    }
    case 3: {
      const bool is_file = exists && !is_folder(model, path);
      if (!is_file || other == path || is_folder(model, other) || !is_folder(model, folder_in_model(other))) return;
      BOOST_REQUIRE(files.rename_replacing(folder + path, folder + other, folder));
      model.erase(other);
      move_in_model(model, path, other);
      return;
    }
    case 4:
      BOOST_REQUIRE(files.remove_all(folder + path, folder));
      std::erase_if(model, [&](const auto& each) { return each.first == path || each.first.starts_with(path + '/'); });
      return;
    case 5: {
      BOOST_REQUIRE(*files.is_present(folder + path) == exists);
      const auto read = files.read_all(folder + path);
      BOOST_REQUIRE(read.has_value() == (exists && !is_folder(model, path)));
      if (read) { BOOST_REQUIRE(*read == *model[path]); }
      return;
    }
    default: {
      const auto listed = files.list(folder + path);
      BOOST_REQUIRE(listed.has_value() == (exists && is_folder(model, path)));
      if (!listed) return;
      std::vector<std::string> expected;
      for (const auto& [each, content] : model)
        if (folder_in_model(each) == path) expected.push_back(folder + each);
      BOOST_REQUIRE(listed->size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) BOOST_REQUIRE((*listed)[i].path == expected[i]);
    }
  }
}

inline void random_operations_agree_with_a_model(FileSystem& files, const std::string& folder) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const auto here = folder + "/seed-" + std::to_string(seed);
    BOOST_REQUIRE(files.make_directory(here));
    Model model;
    std::mt19937 random{seed};
    for (int step = 0; step < 300; ++step) BOOST_TEST_CONTEXT("seed " << seed << " step " << step) {
        step_both(files, here, model, random);
      }
  }
}

}  // namespace heddle::file_system_contract
