#include "apps/bench/measure_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "apps/bench/program_run.hpp"

namespace heddle::apps {

std::int64_t text_bytes(const BenchPlace& place, double published) {
  constexpr std::int64_t least_bytes = 1 << 20;
  return place.scaled(published, least_bytes);
}

Result<std::string> text_input(const BenchPlace& place, const std::string& kind, std::int64_t bytes) {
  if (place.bare_program.empty())
    return Error{Errc::not_found, "heddle-bare, which makes the inputs, is not beside heddle-bench: build it first"};
  const auto path = fmt::format("{}/{}.{}", place.inputs, kind, bytes);
  std::error_code failed;
  if (std::filesystem::exists(path, failed)) return path;
  std::filesystem::create_directories(place.inputs, failed);
  const auto partial = path + ".partial";
  if (auto made = run_program({place.bare_program, "generate", kind, std::to_string(bytes), partial}); !made)
    return made.error();
  std::filesystem::rename(partial, path, failed);
  if (failed) return Error{Errc::io, "cannot make " + path};
  return path;
}

OutputFolder::OutputFolder(const BenchPlace& place) : path_{place.folder + "/outputs"} {
  std::filesystem::create_directories(path_);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string OutputFolder::path(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

Result<Done> expect_same(const Result<TextDigest>& ours, const Result<TextDigest>& theirs) {
  if (!ours) return ours.error();
  if (!theirs) return theirs.error();
  if (ours->lines == theirs->lines && ours->sum == theirs->sum) return Done{};
  return Error{Errc::internal, fmt::format("the output differs from that of the bare program: {} lines, {} there",
                                           ours->lines, theirs->lines)};
}

}  // namespace heddle::apps
