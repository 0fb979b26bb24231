// An arbitrary commit record must not make a recovery leave its output folders. The file store only records calls.
#include <string>

#include "ports/file_store.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "work/output/output_commit.hpp"

namespace {

using namespace heddle;

class RecordOnly final : public ports::FileStore {
public:
  explicit RecordOnly(std::string_view record) : record_{record} {}
  [[nodiscard]] Result<bool> is_present(const std::string& path) const override {
    return path == "/out" || path == "/out/_temporary/COMMIT";
  }
  [[nodiscard]] Result<ports::OwnFile> open_own_file(const std::string&, const std::string&,
                                                     ports::Locking) const override {
    return ports::OwnFile{work::write_owner(work::this_process_owner()), nullptr};
  }
  [[nodiscard]] Result<ports::FileStatus> status(const std::string&) const override {
    return Error{Errc::not_found, "none"};
  }
  [[nodiscard]] Result<std::vector<ports::FileStatus>> list(const std::string&) const override {
    return Error{Errc::not_found, "none"};
  }
  [[nodiscard]] Result<std::string> read_all(const std::string&) const override { return std::string{record_}; }
  [[nodiscard]] Result<Done> write_atomically(const std::string& path, std::string_view, const std::string&) override {
    return check(path);
  }
  [[nodiscard]] Result<bool> create_once(const std::string& path, std::string_view, const std::string&) override {
    return check(path).has_value();
  }
  [[nodiscard]] Result<Done> sync(const std::vector<std::string>&) override { return Done{}; }
  [[nodiscard]] Result<Done> make_directories(const std::string& path) override { return check(path); }
  [[nodiscard]] Result<bool> make_directory(const std::string& path) override { return check(path).has_value(); }
  [[nodiscard]] Result<Done> move(const std::string& from, const std::string& to, const std::string&) override {
    HEDDLE_ASSERT(from.rfind("/out/_temporary/", 0) == 0, from);
    return check(to);
  }
  [[nodiscard]] Result<bool> move_once(const std::string& from, const std::string&) override {
    return check(from).has_value();
  }
  [[nodiscard]] Result<Done> remove_all(const std::string& path, const std::string&) override { return check(path); }
  [[nodiscard]] Result<bool> remove_directory(const std::string& path) override { return check(path).has_value(); }

private:
  static Result<Done> check(const std::string& path) {
    HEDDLE_ASSERT(path.rfind("/out/", 0) == 0 && path.find("/../") == std::string::npos, path);
    return Done{};
  }
  std::string_view record_;
};

}  // namespace

HEDDLE_FUZZ_TARGET(commit_record) {
  RecordOnly files{input};
  work::FileOutputCommit commit{files};
  const auto done = commit.recover({"/out"}, 2);
  HEDDLE_ASSERT(done.has_value() || !done.error().text.empty(), "");
}
