// The program of this process: its files, and an id of its build.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

/// A file that another machine needs to run this program.
struct ProgramFile {
  std::string name;  // by which the loader finds it
  std::string path;
  std::int64_t bytes = 0;
  std::int64_t modified_ms = 0;  // since 1970
  std::string content;           // id of the content: two files with one id are equal
};

/// The program first, then the shared libraries that it has loaded. The libraries of glibc are left out: each machine
/// has its own, and the loader checks that it is new enough. Fails if a file cannot be read.
[[nodiscard]] Result<std::vector<ProgramFile>> program_files();

/// A hash of 128 bits (XXH3) in hexadecimal digits.
[[nodiscard]] std::string content_id(std::string_view content);

/// True for the libraries of glibc, and for the kernel's.
[[nodiscard]] bool is_of_glibc(std::string_view library);

/// Identifies the content of the program and of heddle's library: equal for all copies of one build, whatever their
/// names and times. The build id that the linker wrote into the file, otherwise a hash of the file.
[[nodiscard]] std::string program_build_id();

}  // namespace heddle::work
