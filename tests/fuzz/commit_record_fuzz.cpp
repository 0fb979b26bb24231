// An arbitrary commit record must not make a recovery leave its output folders. The file store only records calls.
#include <string>

#include "ports/file_system.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "work/output/output_commit.hpp"

namespace {

using namespace heddle;

class RecordOnly final : public ports::FileSystem {
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
  [[nodiscard]] Result<std::unique_ptr<ports::ByteSource>> open(const std::string& path,
                                                                const ports::ReadRange&) const override {
    return Error{Errc::internal, "a commit opens no part file: " + path};
  }
  [[nodiscard]] Result<std::unique_ptr<ports::ByteSink>> create(const std::string& path,
                                                                const ports::CreateOptions&) override {
    return Error{Errc::internal, "a commit writes no part file: " + path};
  }
  [[nodiscard]] Result<std::string> read_all(const std::string&) const override { return std::string{record_}; }
  [[nodiscard]] Result<Done> write_atomically(const std::string& path, std::string_view, const std::string&) override {
    return check(path);
  }
  [[nodiscard]] Result<bool> create_once(const std::string& path, std::string_view, const std::string&) override {
    return check(path).has_value();
  }
  [[nodiscard]] Result<Done> sync(const std::vector<std::string>&) override { return Done{}; }
  [[nodiscard]] Result<Done> make_directories(const std::string& path, std::uint32_t) override { return check(path); }
  [[nodiscard]] Result<Done> make_directory(const std::string& path) override { return check(path); }
  [[nodiscard]] Result<Done> rename_replacing(const std::string& from, const std::string& to,
                                              const std::string&) override {
    HEDDLE_ASSERT(from.rfind("/out/_temporary/", 0) == 0, from);
    return check(to);
  }
  [[nodiscard]] Result<bool> rename_exclusive(const std::string& from, const std::string&) override {
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
