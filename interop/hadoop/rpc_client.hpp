// Client of one Hadoop service (ResourceManager, NodeManager or NameNode). Calls run in parallel over one connection,
// which opens with the first call and closes when it is idle.
//
// With several addresses, one of them is active: after a StandbyException or without a connection the client uses the
// next one. A call that is sent again keeps its client id and call id, so that a server with a retry cache does not
// execute it twice.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/hadoop/credential_token.hpp"
#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/rpc_fault.hpp"
#include "interop/hadoop/rpc_thread.hpp"

namespace heddle::interop {

/// Names of protocols in connection contexts and request headers; each has version 1.
inline constexpr std::string_view application_client_protocol =
    "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB";
inline constexpr std::string_view application_master_protocol =
    "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB";
inline constexpr std::string_view container_management_protocol =
    "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB";
inline constexpr std::string_view hdfs_client_protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol";

struct RpcTarget {
  std::vector<std::string> addresses;  // "host:port"; not empty
  std::string protocol;
  std::uint64_t version = 1;
  std::string user;                      // name of the user with SIMPLE; unused with a token
  std::optional<CredentialToken> token;  // none: SIMPLE
};

/// When the client repeats a call, and how long it waits.
struct RetryRules {
  std::int64_t connect_timeout_ms = 20'000;  // look-up, connection and authentication
  std::int64_t answer_timeout_ms = 120'000;  // without an answer the connection counts as lost; 0: no limit
  std::int64_t standby_wait_ms = 1'000;      // for other answers of a server on standby, before it is left
  std::int64_t first_wait_ms = 200;          // before the addresses are tried again; doubles each time
  std::int64_t wait_max_ms = 10'000;
  std::int64_t give_up_after_ms = 900'000;  // limit of calls without one; 0: every fault ends the call
  std::int64_t idle_close_ms = 10'000;      // the connection closes without calls
  std::int64_t ping_ms = 60'000;            // without received bytes, while calls wait
};

struct CallOptions {
  std::int64_t timeout_ms = 0;  // all tries together; 0: RetryRules::give_up_after_ms
  /// The call may be sent again after a lost connection: it is idempotent, or the server has a retry cache for it. A
  /// call that was certainly not executed is always sent again.
  bool is_repeatable = true;
  /// A RetriableException with this text ends the call, because the caller itself waits and tries again. Empty: none.
  std::string_view unretried_text = {};
};

struct RpcAnswer {
  std::string bytes;    // the response message
  std::string address;  // of the server that answered
};
using CallDone = std::function<void(RpcResult<RpcAnswer>)>;

class RpcClient {
public:
  /// Called on the thread for each fault after which the client tries again.
  using RetryListener = std::function<void(const RpcFault&)>;

  /// Precondition: `thread` outlives the client.
  RpcClient(RpcThread& thread, RpcTarget target, RetryRules rules = {}, RetryListener on_retry = {});
  /// Ends all calls with Kind::cancelled. Does not wait for their callbacks.
  ~RpcClient();
  RpcClient(const RpcClient&) = delete;
  RpcClient& operator=(const RpcClient&) = delete;

  /// Sends a request. `done` runs exactly once, on the thread. May be called from any thread.
  void call_bytes(std::string_view method, std::string request, const CallOptions& options, CallDone done);

  /// The same with messages of protobuf. The caller includes their headers (interop/hadoop/proto/*.pb.h).
  template <class Response, class Request>
  void call(std::string_view method, const Request& request, const CallOptions& options,
            std::function<void(RpcResult<Response>)> done) {
    call_bytes(method, request.SerializeAsString(), options,
               [method = std::string{method}, done = std::move(done)](RpcResult<RpcAnswer> answer) {
                 done(parse<Response>(method, answer));
               });
  }

  /// Calls and waits for the response. Precondition: the caller is not on the thread.
  template <class Response, class Request>
  [[nodiscard]] RpcResult<Response> call_and_wait(std::string_view method, const Request& request,
                                                  const CallOptions& options = {}) {
    return parse<Response>(method, call_bytes_and_wait(method, request.SerializeAsString(), options));
  }
  [[nodiscard]] RpcResult<RpcAnswer> call_bytes_and_wait(std::string_view method, std::string request,
                                                         const CallOptions& options = {});

  /// Credential of the next connection, such as a rolled AMRM token. The present connection stays.
  void set_token(CredentialToken token);
  /// Address of this host on the last connection: "10.0.0.7". Empty before the first one.
  [[nodiscard]] std::string local_host() const;

private:
  class Calls;

  template <class Response>
  static RpcResult<Response> parse(std::string_view method, const RpcResult<RpcAnswer>& answer) {
    if (!answer) return answer.fault();
    Response response;
    if (!parse_message(answer->bytes, response)) return unreadable_response(method, *answer);
    return response;
  }
  [[nodiscard]] static RpcFault unreadable_response(std::string_view method, const RpcAnswer& answer);

  std::shared_ptr<Calls> calls_;
};

}  // namespace heddle::interop
