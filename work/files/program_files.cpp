#include "work/files/program_files.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "work/files/local_file_system.hpp"

namespace heddle::work {
namespace {

constexpr std::string_view own_path = "/proc/self/exe";
constexpr std::string_view own_library = "libheddle.";

/// An ELF object of this process.
struct LoadedObject {
  std::string path;      // empty: the program
  std::string build_id;  // of the linker, in hexadecimal digits; empty: none
};

/// The build id in a segment of notes: each has the sizes of name and content, a type, the name and the content, both
/// padded to 4 bytes.
std::string build_id_in(std::string_view notes) {
  const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const auto content = sizeof note + padded(note.n_namesz);
    if (content + note.n_descsz > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof note, 3) == "GNU") {
      std::string text;
      for (const char byte : notes.substr(content, note.n_descsz))
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      return text;
    }
    notes.remove_prefix(std::min(content + padded(note.n_descsz), notes.size()));
  }
  return {};
}

std::vector<LoadedObject> loaded_objects() {
  std::vector<LoadedObject> objects;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        LoadedObject object{info->dlpi_name, {}};
        for (int index = 0; index < info->dlpi_phnum && object.build_id.empty(); ++index) {
          const auto& segment = info->dlpi_phdr[index];
          if (segment.p_type != PT_NOTE) continue;
          const auto* begin = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);  // NOLINT
          object.build_id = build_id_in({begin, segment.p_memsz});
        }
        static_cast<std::vector<LoadedObject>*>(into)->push_back(std::move(object));
        return 0;
      },
      &objects);
  return objects;
}

std::string base_name(std::string_view path) { return std::string{path.substr(path.rfind('/') + 1)}; }

/// For programs that were linked without a build id.
std::string hash_of_file(const std::string& path) {
  const auto content = LocalFileSystem{}.read_all(path);
  return content ? content_id(*content) : "unknown";
}

Result<ProgramFile> describe_file(std::string name, std::string path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return Error{Errc::io, fmt::format("cannot read the file {} of this program: {}", path, std::strerror(errno))};
  const auto modified = static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000 + status.st_mtim.tv_nsec / 1'000'000;
  return ProgramFile{std::move(name), std::move(path), status.st_size, modified, {}};
}

}  // namespace

std::string content_id(std::string_view content) {
  const auto hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

bool is_of_glibc(std::string_view library) {
  static constexpr std::array<std::string_view, 13> names{
      "linux-vdso", "ld-linux",     "ld64",       "libc.so",   "libm.so",    "libpthread.so", "libdl.so",
      "librt.so",   "libresolv.so", "libutil.so", "libanl.so", "libmvec.so", "libnss_"};
  const auto name = library.substr(library.rfind('/') + 1);
  return std::any_of(names.begin(), names.end(), [name](std::string_view known) { return name.starts_with(known); });
}

Result<std::vector<ProgramFile>> program_files() {
  std::error_code fault;
  const auto program = std::filesystem::read_symlink(own_path, fault).string();
  if (fault) return Error{Errc::io, "cannot find the file of this program: " + fault.message()};
  std::vector<ProgramFile> files;
  for (const auto& object : loaded_objects()) {
    if (!object.path.empty() && is_of_glibc(object.path)) continue;
    const auto& path = object.path.empty() ? program : object.path;
    auto file = describe_file(base_name(path), std::filesystem::absolute(path, fault).string());
    if (!file) return file.error();
    file->content = object.build_id.empty() ? hash_of_file(file->path) : object.build_id;
    files.push_back(std::move(*file));
  }
  return files;
}

std::string program_build_id() {
  std::string id;
  for (const auto& object : loaded_objects()) {
    if (!object.path.empty() && !base_name(object.path).starts_with(own_library)) continue;
    const auto path = object.path.empty() ? std::string{own_path} : object.path;
    id += (id.empty() ? "" : "-") + (object.build_id.empty() ? hash_of_file(path) : object.build_id);
  }
  return id;
}

}  // namespace heddle::work
