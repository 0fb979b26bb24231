// Goal: an input lists the files that Hadoop reads, or an error names the wrong path.
// Method: one small tree and a table of patterns; then patterns of single names.
#include "work/records/input_listing.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/remote_files.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/files/glob.hpp"
#include "work/files/local_file_system.hpp"
#include "work/records/record_reader.hpp"

namespace heddle::work {
namespace input_listing_test {
namespace {

struct Tree {
  ScratchFolder folder;
  LocalFileSystem files;

  Tree() {
    for (const char* name :
         {"a/1.txt", "a/2.txt", "a/_log", "a/.hidden", "b/1.txt", "b/deep/3.txt", "b/deep/_skip/4.txt", "top.txt"})
      folder.write(name, "x\n");
    std::filesystem::create_directory_symlink(folder.file("b"), folder.file("b/deep/back"));
  }
  Result<std::vector<ports::FileStatus>> list(const std::string& pattern, bool recursive = false) const {
    TextInput input;
    input.paths = {folder.file(pattern)};
    input.recursive = recursive;
    return list_input(files, input);
  }
  std::string names(const std::string& pattern, bool recursive = false) const {
    const auto found = list(pattern, recursive);
    if (!found) return found.error().text;
    std::string text;
    for (const auto& file : *found) text += file.path.substr(folder.path().size() + 1) + ' ';
    return text;
  }
};

BOOST_AUTO_TEST_CASE(an_error_names_the_path_that_matches_no_file) {
  const LocalFileSystem files;
  const auto error_of = [&files](const std::string& path) {
    TextInput input;
    input.paths = {path};
    const auto found = list_input(files, input);
    return found ? "found" : found.error().text;
  };
  BOOST_TEST(error_of("/no-such/file") == "input '/no-such/file' does not exist");
  BOOST_TEST(error_of("/no-such/*.txt") == "input pattern '/no-such/*.txt' matches no file");
}

BOOST_AUTO_TEST_CASE(patterns_list_files_in_order) {
  const Tree tree;
  const std::pair<const char*, const char*> table[] = {
      {"top.txt", "top.txt "},
      {"a", "a/1.txt a/2.txt "},
      {"a/", "a/1.txt a/2.txt "},
      {"a/*", "a/1.txt a/2.txt "},
      {"a/_log", "a/_log "},
      {"a/?.txt", "a/1.txt a/2.txt "},
      {"a/[2-9].txt", "a/2.txt "},
      {"a/[^1].txt", "a/2.txt "},
      {"{b,a}/1.txt", "b/1.txt a/1.txt "},
      {"?/1.txt", "a/1.txt b/1.txt "},
      {"**", "a/1.txt a/2.txt b/1.txt b/deep/3.txt top.txt "},
      {"**/*.txt", "a/1.txt a/2.txt b/1.txt b/deep/3.txt top.txt "},
      {"b/**/3.txt", "b/deep/3.txt "},
  };
  for (const auto& [pattern, expected] : table)
    BOOST_TEST(tree.names(pattern) == expected, pattern << ": " << tree.names(pattern));
}

BOOST_AUTO_TEST_CASE(patterns_of_another_file_system_keep_its_scheme) {
  const Tree tree;
  const auto files = with_remote_files("n:8020", tree.folder.path());
  const std::pair<const char*, std::vector<std::string>> table[] = {
      {"hdfs://n:8020/top.txt", {"hdfs://n:8020/top.txt"}},
      {"hdfs://n:8020/*.txt", {"hdfs://n:8020/top.txt"}},
      {"hdfs://n:8020/a", {"hdfs://n:8020/a/1.txt", "hdfs://n:8020/a/2.txt"}},
      {"hdfs://n:8020/{b,a}/1.txt", {"hdfs://n:8020/b/1.txt", "hdfs://n:8020/a/1.txt"}},
      {"hdfs://n:8020/b/**", {"hdfs://n:8020/b/1.txt", "hdfs://n:8020/b/deep/3.txt"}}};
  for (const auto& [pattern, expected] : table) {
    TextInput input;
    input.paths = {pattern};
    const auto found = list_input(files, input);
    BOOST_REQUIRE_MESSAGE(found.has_value(), (found ? "" : found.error().text));
    BOOST_REQUIRE(found->size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      BOOST_TEST((*found)[i].path == expected[i]);
      BOOST_TEST((*found)[i].block_bytes == RemoteFiles::block_bytes);
    }
    auto reader = open_records(files, {}, {found->front().path, 0, 2, {}}, {});
    BOOST_REQUIRE(reader);
    std::string_view text;
    BOOST_TEST(*(*reader)->next_text(text));
    BOOST_TEST(text == "x\n");
  }
  TextInput none;
  none.paths = {"hdfs://n:8020/none/*"};
  BOOST_TEST(list_input(files, none).error().text == "input pattern 'hdfs://n:8020/none/*' matches no file");
}

BOOST_AUTO_TEST_CASE(a_path_without_files_is_an_error_with_the_path) {
  const Tree tree;
  BOOST_TEST((tree.list("none").error().code == Errc::not_found));
  BOOST_TEST(tree.names("none").find("none' does not exist") != std::string::npos);
  BOOST_TEST((tree.list("*.csv").error().code == Errc::not_found));
  BOOST_TEST((tree.list("none/*").error().code == Errc::not_found));
  BOOST_TEST((tree.list("{none,neither}").error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_folder_in_a_folder_is_refused_unless_read_recursively) {  // ST-1
  const Tree tree;
  BOOST_TEST((tree.list("b").error().code == Errc::refused));
  BOOST_TEST(tree.names("b", true) == "b/1.txt b/deep/3.txt ");
}

BOOST_AUTO_TEST_CASE(compressed_formats_that_heddle_cannot_read_are_refused_by_extension) {
  for (const char* name : {"x.zst", "x.LZ4", "x.snappy", "x.deflate"}) {
    const Tree tree;
    tree.folder.write(std::string{"a/"} + name, "packed");
    for (const auto& wanted : {std::string{"a"}, std::string{"a/"} + name})
      BOOST_TEST(tree.names(wanted).starts_with('\'' + tree.folder.file(std::string{"a/"} + name) +
                                                "' is compressed in a format"),
                 wanted);
  }
}

BOOST_AUTO_TEST_CASE(compressed_files_without_extension_are_refused_by_their_first_bytes) {
  for (const auto& [begin, packer] :
       {std::pair{std::string{"\xfd"
                              "7zXZ\0rest",
                              10},
                  "xz"},
        std::pair{std::string{"\x28\xb5\x2f\xfdrest"}, "zstd"}, std::pair{std::string{"\x1f\x8b\x08rest"}, "gzip"}}) {
    const Tree tree;
    tree.folder.write("a/0.data", begin);
    BOOST_TEST(tree.names("a").find(std::string{"0.data' is compressed with "} + packer) != std::string::npos,
               tree.names("a"));
    TextInput input;
    const auto path = tree.folder.file("a/0.data");
    const auto opened = open_records(local_files(), input, {path, 0, 10, {}}, {});
    BOOST_REQUIRE(!opened.has_value());
    BOOST_TEST((opened.error().code == Errc::usage));
  }
}

BOOST_AUTO_TEST_CASE(names_match_as_in_shells) {
  struct Row {
    const char* pattern;
    const char* name;
    bool matches;
  };
  const Row table[] = {{"*", "", true},        {"a*b*c", "aXbYbZc", true}, {"a*b*c", "aXbYbZ", false},
                       {"[a-c]x", "bx", true}, {"[!a]x", "ax", false},     {"[]]", "]", true},
                       {"\\*", "*", true},     {"\\*", "x", false},        {"[", "[", true},
                       {"?", "", false},       {"a?c", "abc", true},       {"***a", "a", true}};
  for (const auto& row : table)
    BOOST_TEST(matches_glob(row.pattern, row.name) == row.matches, row.pattern << " and " << row.name);
}

BOOST_AUTO_TEST_CASE(braces_expand_to_each_alternative) {
  BOOST_TEST((*expand_braces("a{b,c{d,e}}f") == std::vector<std::string>{"abf", "acdf", "acef"}));
  BOOST_TEST((*expand_braces("plain") == std::vector<std::string>{"plain"}));
  BOOST_TEST((*expand_braces("open{a,b") == std::vector<std::string>{"open{a,b"}));
  std::string many;
  for (int i = 0; i < 30; ++i) many += "{a,b}";
  BOOST_TEST((expand_braces(many).error().code == Errc::usage));
  for (int i = 0; i < 1000; ++i) many += "{a}";
  BOOST_TEST((expand_braces(many.substr(150)).error().code == Errc::usage));
}

BOOST_AUTO_TEST_CASE(one_input_option_names_several_paths) {
  BOOST_TEST((split_input_paths("a,b/{c,d},e") == std::vector<std::string>{"a", "b/{c,d}", "e"}));
}

BOOST_AUTO_TEST_CASE(line_splits_contain_each_line_once) {
  const ScratchFolder folder;
  for (const std::string text : {"a\nbb\nccc\ndddd\ne\n", "a\nbb\nccc\ndddd\ne", "\n\n\n\n\n"}) {
    const auto path = folder.write("in", text);
    const auto splits = compute_line_splits(local_files(), path, 2);
    BOOST_REQUIRE(splits);
    BOOST_TEST(splits->size() == 3u);
    std::string all;
    for (const auto& split : *splits) {
      auto reader = open_records(local_files(), {}, split, {});
      std::string_view lines;
      BOOST_REQUIRE(*(*reader)->next_text(lines));
      BOOST_TEST(std::count(lines.begin(), lines.end(), '\n') == (&split == &splits->back() ? 1 : 2));
      all += lines;
    }
    BOOST_TEST(all == (text.ends_with('\n') ? text : text + '\n'));
  }
}

}  // namespace
}  // namespace input_listing_test
}  // namespace heddle::work
