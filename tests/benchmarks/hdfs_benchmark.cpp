// Reads and writes files of an HDFS, and lists a folder with the hosts of each block:
//   hdfs_benchmark hdfs://HOST:PORT/FOLDER [megabytes] [files]
// HADOOP_CONF_DIR names the configuration. Creates the folder, writes into it, and removes it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "interop/hdfs/hdfs_file_system.hpp"
#include "ports/file_path.hpp"

namespace {

using namespace heddle;

double seconds_of(const std::function<void()>& step) {
  const auto begin = std::chrono::steady_clock::now();
  step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Value>
Value must(Result<Value> result) {
  if (result) return std::move(result).value();
  fmt::print(stderr, "hdfs_benchmark: {}\n", result.error().text);
  std::exit(1);
}

void write_file(ports::FileSystem& files, const std::string& path, std::int64_t bytes, const std::string& piece) {
  auto sink = must(files.create(path, {}));
  for (std::int64_t done = 0; done < bytes; done += static_cast<std::int64_t>(piece.size())) must(sink->write(piece));
  must(sink->close());
}

void read_file(const ports::FileSystem& files, const std::string& path, std::int64_t bytes) {
  auto source = must(files.open(path, {}));
  std::string buffer(1 << 20, '\0');
  std::int64_t done = 0;
  while (const auto count = must(source->read(buffer.data(), buffer.size()))) done += static_cast<std::int64_t>(count);
  if (done != bytes) fmt::print(stderr, "hdfs_benchmark: read {} bytes; expected: {}\n", done, bytes);
}

/// Runs a step five times and prints the median.
void measure(const std::string& what, double amount, const char* unit, const std::function<void()>& step) {
  std::vector<double> seconds;
  for (int times = 0; times < 5; ++times) seconds.push_back(seconds_of(step));
  std::sort(seconds.begin(), seconds.end());
  fmt::print("{:<30} {:8.3f} s   {:9.1f} {} (median of 5; best {:.1f})\n", what, seconds[2], amount / seconds[2], unit,
             amount / seconds[0]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: hdfs_benchmark hdfs://HOST:PORT/FOLDER [megabytes] [files]\n");
    return 2;
  }
  const std::string folder = argv[1];
  const std::int64_t bytes = (argc > 2 ? std::atoll(argv[2]) : 512) << 20;
  const int count = argc > 3 ? std::atoi(argv[3]) : 10'000;
  const char* conf = std::getenv("HADOOP_CONF_DIR");
  const auto site = must(interop::read_hadoop_site(conf == nullptr ? "" : conf, {}));
  interop::RpcThread thread;
  interop::hdfs::HdfsFileSystem files{
      thread, must(interop::hdfs::read_hdfs_settings(site, ports::read_path(folder).authority))};
  must(files.make_directories(folder));

  std::string piece(1 << 20, '\0');
  std::uint32_t state = 1;
  for (auto& byte : piece) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const double megabytes = static_cast<double>(bytes) / 1e6;
  measure("write, one slot", megabytes, "MB/s", [&] { write_file(files, folder + "/large", bytes, piece); });
  measure("read, one slot, verified", megabytes, "MB/s", [&] { read_file(files, folder + "/large", bytes); });
  if (count > 0) {
    must(files.make_directories(folder + "/many"));
    fmt::print("create {} files: {:.1f} s\n", count, seconds_of([&] {
                 for (int i = 0; i < count; ++i)
                   write_file(files, folder + "/many/part-" + std::to_string(i), 4, "text");
               }));
    std::size_t blocks = 0;
    measure("list with hosts", count, "files/s", [&] {
      blocks = 0;
      for (const auto& entry : must(files.list_with_blocks(folder + "/many"))) blocks += entry.blocks.size();
    });
    fmt::print("blocks with hosts: {}\n", blocks);
  }
  must(files.remove_all(folder, folder.substr(0, folder.rfind('/'))));
}
