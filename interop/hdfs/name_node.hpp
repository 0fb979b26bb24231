// Calls to the NameNode of one file system. Each call blocks. Errors name the path and what to do.
//
// In safe mode the NameNode refuses changes: a call then waits and tries again until safe_mode_timeout_ms has passed
// since the first refusal of any call, or the user cancels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/hadoop/rpc_client.hpp"
#include "interop/hdfs/block.hpp"
#include "model/result.hpp"

namespace heddle::interop::hdfs {

struct NameNodeRules {
  std::int64_t safe_mode_timeout_ms = 600'000;
  std::int64_t safe_mode_wait_ms = 1'000;     // between two tries
  std::int64_t safe_mode_notice_ms = 10'000;  // between two notices
  std::int64_t block_wait_ms = 400;           // until earlier blocks have a replica; doubles
  std::int64_t block_waits_max = 8;
  std::int64_t complete_wait_ms = 2;  // until the last block has a replica; doubles up to block_wait_ms
  std::int64_t complete_timeout_ms = 60'000;
  std::int64_t lock_wait_ms = 75'000;   // for a lock: the lease of a holder that died ends after 60 s
  std::int64_t lock_notice_ms = 5'000;  // until the user gets a notice and can cancel the wait
  std::function<void(const std::string&)> on_notice = {};  // a sentence for the user, while a call waits
  std::function<bool()> is_cancelled = {};  // called while a call waits; true ends it with Errc::cancelled
  // Milliseconds of a steady clock, and a wait for so many of them. Empty: the real ones.
  std::function<std::int64_t()> now_ms = {};
  std::function<void(std::int64_t)> wait_ms = {};
};

/// A file that is being written.
struct OpenFile {
  std::string path;
  std::uint64_t id = 0;
  std::string client_name;  // holder of its lease
};

struct NewFile {
  std::string client_name;
  std::uint32_t permissions = 0644;
  bool replaces = true;
  std::uint32_t replication = 1;
  std::uint64_t block_bytes = 0;
};

class NameNode {
public:
  /// `name`: of the file system, for errors ("hdfs://host:8020").
  NameNode(RpcThread& thread, RpcTarget target, const RetryRules& retries, NameNodeRules rules, std::string name);
  ~NameNode();
  NameNode(const NameNode&) = delete;
  NameNode& operator=(const NameNode&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

  // -- reads ---------------------------------------------------------------------------------------------------------

  /// Errc::not_found if the path does not exist.
  [[nodiscard]] Result<Status> status(const std::string& path);
  /// Entries of a folder, by name; a file is its own and only entry, without name. Errc::not_found.
  [[nodiscard]] Result<std::vector<Status>> list(const std::string& path, bool with_locations);
  /// Errc::usage for a folder; Errc::refused for an encrypted or erasure-coded file.
  [[nodiscard]] Result<LocatedBlocks> locate(const std::string& path, std::uint64_t offset, std::uint64_t length);
  [[nodiscard]] Result<ServerDefaults> server_defaults();

  // -- a file that is written ----------------------------------------------------------------------------------------

  /// Does not create the folder. Errc::exists; Errc::refused for a folder with erasure coding or encryption.
  [[nodiscard]] Result<OpenFile> create(const std::string& path, const NewFile& file);
  /// Opens a closed file for appending. Errc::exists while it is open, also by this client.
  [[nodiscard]] Result<OpenFile> append(const std::string& path, const std::string& client_name);
  /// The next block, behind `previous` with its final length. Not on one of `excluded`.
  [[nodiscard]] Result<LocatedBlock> add_block(const OpenFile& file, const std::optional<Block>& previous,
                                               const std::vector<DataNode>& excluded);
  [[nodiscard]] Result<Done> abandon_block(const OpenFile& file, const Block& block);
  /// Returns when each block has enough replicas. `last`: nothing if the file is empty.
  [[nodiscard]] Result<Done> complete(const OpenFile& file, const std::optional<Block>& last);
  /// Does not wait for the response.
  void renew_lease(const std::string& client_name);

  // -- a file that is a lock while it is open ------------------------------------------------------------------------

  /// Creates the file, or takes it over from a client whose lease has ended. Waits while another client has it open.
  /// The holder must renew its lease. Errc::exists after lock_wait_ms.
  [[nodiscard]] Result<OpenFile> lock(const std::string& path, const NewFile& file);
  /// Removes the file, unless another client has taken it over. Waits for 20 s at most.
  void unlock(const OpenFile& file);

  // -- names ---------------------------------------------------------------------------------------------------------

  /// Errc::exists if `to` exists and is not replaced; not_found if `from` does not exist.
  [[nodiscard]] Result<Done> rename(const std::string& from, const std::string& to, bool replaces);
  /// False if the path does not exist. Errc::exists for a folder that is not empty, unless is_recursive.
  [[nodiscard]] Result<bool> remove(const std::string& path, bool is_recursive);
  [[nodiscard]] Result<Done> make_directories(const std::string& path, std::uint32_t permissions, bool with_parents);

private:
  template <class Response, class Request>
  [[nodiscard]] Result<Response> call(std::string_view method, const Request& request, const char* verb,
                                      const std::string& path);
  [[nodiscard]] Error error_of(const RpcFault& fault, const char* verb, const std::string& path) const;

  /// How long the NameNode has been in safe mode, when it has just refused a call. `has_waited`: the call has waited.
  [[nodiscard]] std::int64_t safe_mode_age(bool has_waited);
  void end_safe_mode();

  /// Ends with a change, with a call that has waited for it, and after safe_mode_timeout_ms without a refusal.
  struct SafeMode {
    std::int64_t began = 0;
    std::int64_t last_refusal = 0;
  };

  RpcClient client_;
  NameNodeRules rules_;
  std::string name_;
  std::mutex mutex_;
  std::optional<SafeMode> safe_mode_;
};

}  // namespace heddle::interop::hdfs
