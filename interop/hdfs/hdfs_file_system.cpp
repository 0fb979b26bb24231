#include "interop/hdfs/hdfs_file_system.hpp"

#include <unistd.h>

#include <algorithm>
#include <random>
#include <utility>

#include "ports/file_path.hpp"

namespace heddle::interop::hdfs {
namespace {

constexpr std::uint64_t own_file_bytes_max = 1 << 20;

std::string new_client_name() {
  std::random_device random;
  return "heddle_" + std::to_string(::getpid()) + "_" + std::to_string(random());
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) &&
         (path[folder.size()] == '/' || folder.ends_with('/'));
}

Error not_trusted(const std::string& path, const std::string& trusted) {
  return {Errc::refused, "'" + path + "' is not in the folder '" + trusted + "'"};
}

std::vector<ports::FileBlock> blocks_of(const std::vector<LocatedBlock>& located, std::uint64_t begin,
                                        std::uint64_t end) {
  std::vector<ports::FileBlock> blocks;
  blocks.reserve(located.size());
  for (const auto& from : located) {
    if (from.offset >= end || from.offset + from.block.bytes <= begin) continue;
    auto& block = blocks.emplace_back();
    block.offset = static_cast<std::int64_t>(from.offset);
    block.length = static_cast<std::int64_t>(from.block.bytes);
    block.hosts.reserve(from.locations.size());
    for (std::size_t index = 0; index < from.locations.size(); ++index) {
      const auto& host = from.locations[index].host_name;
      block.hosts.push_back(host);
      if (index < from.is_cached.size() && from.is_cached[index]) block.cached_hosts.push_back(host);
    }
  }
  return blocks;
}

ports::FileStatus status_of(const Status& from, std::string path) {
  ports::FileStatus status;
  status.path = std::move(path);
  status.is_directory = from.type == FileType::directory;
  status.is_link = from.type == FileType::link;
  status.length = static_cast<std::int64_t>(from.length);
  status.block_bytes = static_cast<std::int64_t>(from.block_bytes);
  status.modified_ms = from.modified_ms;
  return status;
}

/// A file that stays open while the lock is held. The lease of a holder that died ends after a minute.
class LeaseLock : public ports::FileLock, private OpenPipeline {
public:
  LeaseLock(FileSystemParts parts, std::shared_ptr<LeaseRenewer> leases, OpenFile file)
      : parts_{std::move(parts)}, leases_{std::move(leases)}, file_{std::move(file)} {
    leases_->add(*this);
  }
  ~LeaseLock() override {
    leases_->remove(*this);
    parts_.name_node->unlock(file_);
  }
  LeaseLock(const LeaseLock&) = delete;
  LeaseLock& operator=(const LeaseLock&) = delete;

private:
  void send_heartbeat() override {}

  FileSystemParts parts_;
  std::shared_ptr<LeaseRenewer> leases_;
  OpenFile file_;
};

}  // namespace

HdfsFileSystem::HdfsFileSystem(RpcThread& thread, HdfsSettings settings) : settings_{std::move(settings)} {
  RpcTarget target;
  target.addresses = settings_.addresses;
  target.protocol = hdfs_client_protocol;
  target.user = settings_.user;
  target.token = settings_.token;
  parts_.client_name = new_client_name();
  parts_.name_node =
      std::make_shared<NameNode>(thread, std::move(target), settings_.retries, settings_.name_node, settings_.name);
  parts_.data_nodes = std::make_shared<DataNodes>(settings_.transfer, settings_.uses_host_names);
  leases_ = std::make_shared<LeaseRenewer>(parts_.name_node, parts_.client_name, settings_.leases);
}

Result<std::string> HdfsFileSystem::local(const std::string& path) const {
  const auto& name = settings_.name;
  if (path == name) return std::string{"/"};
  if (path.starts_with(name) && path[name.size()] == '/') return path.substr(name.size());
  return Error{Errc::usage, "'" + path + "' is not on the file system " + name};
}

Result<ServerDefaults> HdfsFileSystem::defaults() const {
  const std::lock_guard lock{mutex_};
  if (defaults_) return *defaults_;
  auto found = parts_.name_node->server_defaults();
  if (!found) return found.error();
  if (found->encrypts_transfer)
    return Error{Errc::refused, settings_.name +
                                    " encrypts its block transfer (dfs.encrypt.data.transfer), which heddle " +
                                    "does not support"};
  defaults_ = *found;
  return *found;
}

// -- metadata --------------------------------------------------------------------------------------------------------

Result<ports::FileStatus> HdfsFileSystem::status(const std::string& path) const {
  const auto source = local(path);
  if (!source) return source.error();
  const auto found = parts_.name_node->status(*source);
  if (!found) return found.error();
  return status_of(*found, path);
}

Result<std::vector<ports::FileStatus>> HdfsFileSystem::list_entries(const std::string& path, bool with_blocks) const {
  const auto source = local(path);
  if (!source) return source.error();
  const auto found = parts_.name_node->list(*source, with_blocks);
  if (!found) return found.error();
  if (found->size() == 1 && found->front().name.empty())
    return Error{Errc::not_found, "'" + path + "' is not a folder"};
  const std::string front = path.ends_with('/') ? path : path + '/';
  std::vector<ports::FileStatus> entries;
  entries.reserve(found->size());
  for (const auto& each : *found) {
    auto& entry = entries.emplace_back(status_of(each, front + each.name));
    if (!with_blocks || entry.is_directory) continue;
    if (each.is_encrypted || each.is_erasure_coded) continue;  // open() refuses it, if it is input
    entry.blocks = blocks_of(each.blocks, 0, each.length);
  }
  return entries;
}

Result<std::vector<ports::FileStatus>> HdfsFileSystem::list(const std::string& path) const {
  return list_entries(path, false);
}

Result<std::vector<ports::FileStatus>> HdfsFileSystem::list_with_blocks(const std::string& path) const {
  return list_entries(path, true);
}

Result<std::vector<ports::FileBlock>> HdfsFileSystem::locate(const std::string& path, std::int64_t offset,
                                                             std::int64_t length) const {
  const auto source = local(path);
  if (!source) return source.error();
  const auto begin = static_cast<std::uint64_t>(std::max<std::int64_t>(offset, 0));
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(length, 0));
  const auto found = parts_.name_node->locate(*source, begin, bytes);
  if (!found) return found.error();
  return blocks_of(found->blocks, begin, begin + bytes);
}

// -- content ---------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<ports::ByteSource>> HdfsFileSystem::open(const std::string& path,
                                                                const ports::ReadRange& range) const {
  auto source = local(path);
  if (!source) return source.error();
  if (const auto known = defaults(); !known) return known.error();
  return FileReader::open(parts_, std::move(source).value(), range);
}

Result<std::unique_ptr<ports::ByteSink>> HdfsFileSystem::create(const std::string& path,
                                                                const ports::CreateOptions& options) {
  const auto target = local(path);
  if (!target) return target.error();
  const auto known = defaults();
  if (!known) return known.error();
  NewFile file;
  file.client_name = parts_.client_name;
  file.permissions = options.permissions & ~settings_.umask;
  file.replaces = options.replaces;
  file.replication = options.replication > 0 ? static_cast<std::uint32_t>(options.replication)
                                             : settings_.replication.value_or(known->replication);
  file.block_bytes = options.block_bytes > 0 ? static_cast<std::uint64_t>(options.block_bytes)
                                             : settings_.block_bytes.value_or(known->block_bytes);
  WriteRules rules;
  rules.checksum =
      settings_.checksum.value_or(ChecksumKind{static_cast<ChecksumType>(known->checksum_type), known->chunk_bytes});
  rules.block_bytes = file.block_bytes;
  // There is no call that syncs a closed file, so a deferred sync happens at once.
  rules.must_sync = options.durability != ports::Durability::cached;
  if (rules.checksum.chunk_bytes == 0 || rules.checksum.chunk_bytes > chunk_bytes_max || file.block_bytes == 0 ||
      file.block_bytes % rules.checksum.chunk_bytes != 0)
    return Error{Errc::usage, "cannot create '" + path + "' with blocks of " + std::to_string(file.block_bytes) +
                                  " bytes (dfs.blocksize); expected: a multiple of dfs.bytes-per-checksum, which is " +
                                  std::to_string(rules.checksum.chunk_bytes)};
  auto opened = parts_.name_node->create(*target, file);
  if (!opened) return opened.error();
  return std::unique_ptr<ports::ByteSink>{
      std::make_unique<FileWriter>(parts_, leases_, std::move(opened).value(), rules)};
}

Result<std::unique_ptr<ports::FileLock>> HdfsFileSystem::lock(const std::string& path,
                                                              const std::string& folder) const {
  // Beside the folder, because the holder may remove the folder or what is in it.
  const auto at = folder.rfind('/') + 1;
  const std::string name = folder.substr(0, at) + "_lock-" + folder.substr(at) + '-' + ports::last_component(path);
  // A name of its own: after a release that failed nobody renews the lease, and this process can take the lock again.
  auto parts = parts_;
  parts.client_name = new_client_name();
  NewFile file;
  file.client_name = parts.client_name;
  file.replaces = false;
  file.replication = 1;
  const auto known = defaults();
  if (!known) return known.error();
  file.block_bytes = known->block_bytes;
  auto held = parts.name_node->lock(name, file);
  if (!held) return held.error();
  auto leases = std::make_shared<LeaseRenewer>(parts.name_node, parts.client_name, settings_.leases);
  return std::unique_ptr<ports::FileLock>{
      std::make_unique<LeaseLock>(std::move(parts), std::move(leases), std::move(held).value())};
}

Result<ports::OwnFile> HdfsFileSystem::open_own_file(const std::string& path, const std::string& trusted,
                                                     ports::Locking locking) const {
  if (!lies_in(path, trusted)) return not_trusted(path, trusted);
  const auto source = local(path);
  if (!source) return source.error();
  const auto before = parts_.name_node->status(*source);
  if (!before) return before.error();
  if (before->type != FileType::file || before->owner != settings_.user || before->length > own_file_bytes_max)
    return Error{Errc::refused, "'" + path + "' is not a file of the user " + settings_.user};
  ports::OwnFile own;
  if (locking == ports::Locking::exclusive) {
    const auto folder = local(trusted);
    if (!folder) return folder.error();
    auto held = lock(*source, *folder);
    if (!held) return held.error();
    own.lock = std::move(held).value();
    // The previous holder of the lock may have removed or replaced the file.
    const auto now = parts_.name_node->status(*source);
    if (!now) return now.error();
    if (now->file_id != before->file_id)
      return Error{Errc::refused, "'" + path + "' was just replaced by another process"};
  }
  auto content = read_all(path);
  if (!content) return content.error();
  own.content = std::move(content).value();
  return own;
}

Result<Done> HdfsFileSystem::sync(const std::vector<std::string>& paths) {
  static_cast<void>(paths);  // create() and the NameNode's edit log have done it
  return Done{};
}

// -- names -----------------------------------------------------------------------------------------------------------

Result<Done> HdfsFileSystem::make_directories(const std::string& path, std::uint32_t permissions) {
  const auto target = local(path);
  if (!target) return target.error();
  return parts_.name_node->make_directories(*target, permissions & ~settings_.umask, true);
}

Result<Done> HdfsFileSystem::make_directory(const std::string& path) {
  const auto target = local(path);
  if (!target) return target.error();
  return parts_.name_node->make_directories(*target, 0777U & ~settings_.umask, false);
}

Result<Done> HdfsFileSystem::rename_replacing(const std::string& from, const std::string& to,
                                              const std::string& trusted) {
  if (!lies_in(from, trusted) || !lies_in(to, trusted)) return not_trusted(lies_in(from, trusted) ? to : from, trusted);
  const auto source = local(from);
  const auto target = local(to);
  if (!source || !target) return source ? target.error() : source.error();
  auto done = parts_.name_node->rename(*source, *target, true);
  if (done || done.error().code != Errc::not_found) return done;
  // The source is missing, or a folder of the target: only in the first case the target can exist.
  const auto is_done = is_present(to);
  if (!is_done) return is_done.error();
  return *is_done ? Result<Done>{Done{}} : done;
}

Result<bool> HdfsFileSystem::rename_exclusive(const std::string& from, const std::string& to) {
  const auto source = local(from);
  const auto target = local(to);
  if (!source || !target) return source ? target.error() : source.error();
  const auto done = parts_.name_node->rename(*source, *target, false);
  if (done) return true;
  if (done.error().code == Errc::exists) return false;
  return done.error();
}

Result<Done> HdfsFileSystem::remove_all(const std::string& path, const std::string& trusted) {
  if (!lies_in(path, trusted)) return not_trusted(path, trusted);
  const auto target = local(path);
  if (!target) return target.error();
  const auto removed = parts_.name_node->remove(*target, true);
  if (!removed && removed.error().code != Errc::not_found) return removed.error();
  return Done{};
}

Result<bool> HdfsFileSystem::remove_directory(const std::string& path) {
  const auto target = local(path);
  if (!target) return target.error();
  const auto found = parts_.name_node->status(*target);
  if (!found && found.error().code == Errc::not_found) return true;
  if (!found) return found.error();
  if (found->type != FileType::directory) return Error{Errc::refused, "'" + path + "' is not a folder"};
  const auto removed = parts_.name_node->remove(*target, false);
  if (!removed && removed.error().code == Errc::exists) return false;
  if (!removed) return removed.error();
  return true;
}

}  // namespace heddle::interop::hdfs
