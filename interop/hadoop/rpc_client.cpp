#include "interop/hadoop/rpc_client.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <random>

#include "interop/hadoop/rpc_connection.hpp"
#include "model/due_heap.hpp"
#include "model/random_stream.hpp"

namespace heddle::interop {
namespace {

constexpr std::size_t client_id_bytes = 16;
constexpr std::size_t header_bytes_max = 4096;  // of a request's headers
constexpr int doublings_max = 20;
constexpr std::int64_t limit_ms_max = std::int64_t{1} << 40;  // 34 years: instants do not overflow

Instant now() {
  return Instant{std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

std::uint64_t random_seed() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

std::string random_bytes(std::size_t count) {
  std::random_device device;
  std::string bytes;
  while (bytes.size() < count) bytes += static_cast<char>(device() & 0xff);
  return bytes;
}

}  // namespace

/// All calls of one client and its connection. Lives on the thread.
class RpcClient::Calls : public std::enable_shared_from_this<RpcClient::Calls> {
public:
  Calls(RpcThread& thread, RpcTarget target, RetryRules rules, RetryListener on_retry)
      : thread_{thread},
        target_{std::move(target)},
        rules_{rules},
        on_retry_{std::move(on_retry)},
        client_id_{random_bytes(client_id_bytes)},
        random_{random_seed()},
        timer_{thread.context()} {
    HEDDLE_ASSERT(!target_.addresses.empty(), "a target without address");
  }

  RpcThread& thread() { return thread_; }

  void add(std::string method, std::string request, const CallOptions& options, CallDone done) {
    if (is_closed_) return done(RpcFault{RpcFault::Kind::cancelled, {}, "the client is closed", {}});
    if (request.size() + header_bytes_max > frame_length_max)
      return done(RpcFault{
          RpcFault::Kind::protocol,
          {},
          fmt::format("the request of {} has {} bytes; Hadoop accepts {}", method, request.size(), frame_length_max),
          active_address()});
    const std::int64_t limit_ms =
        std::min(options.timeout_ms > 0 ? options.timeout_ms : rules_.give_up_after_ms, limit_ms_max);
    const auto id = take_id();
    Call& call = calls_[id];
    call.method = std::move(method);
    call.request = std::move(request);
    call.is_repeatable = options.is_repeatable;
    call.unretried_text = options.unretried_text;
    call.ends_at_fault = limit_ms <= 0;
    call.done = std::move(done);
    call.limit_ms = limit_ms;
    call.due = limit_ms > 0 ? now() + std::chrono::milliseconds{limit_ms} : Instant::max();
    schedule(id, call);
    proceed();
  }

  void set_token(CredentialToken token) { target_.token = std::move(token); }

  void close() {
    if (is_closed_) return;
    is_closed_ = true;
    timer_.cancel();
    drop_connection();
    for (auto& [id, call] : std::exchange(calls_, {}))
      call.done(RpcFault{RpcFault::Kind::cancelled, {}, "the client was closed", active_address()});
  }

  [[nodiscard]] std::string local_host() const {
    const std::lock_guard lock{mutex_};
    return local_host_;
  }

private:
  struct Call {
    enum class State : std::uint8_t {
      queued,   // to be sent as soon as there is a connection
      delayed,  // to be sent at `next`
      sent,     // no response until `next`: the connection counts as lost
    };
    State state = State::queued;
    std::string method;
    std::string request;
    bool is_repeatable = true;
    std::string unretried_text;
    bool ends_at_fault = false;
    bool was_sent = false;
    std::int32_t tries = 0;
    std::int64_t limit_ms = 0;
    Instant due;  // end of all tries
    Instant next = Instant::max();
    std::optional<RpcFault> last_fault;
    CallDone done;
  };

  std::int32_t take_id() {
    do next_id_ = next_id_ == std::numeric_limits<std::int32_t>::max() ? 0 : next_id_ + 1;
    while (calls_.contains(next_id_));
    return next_id_;
  }

  [[nodiscard]] const std::string& active_address() const { return target_.addresses[active_]; }

  /// Connects if calls wait, sends what can be sent, and arms the timer.
  void proceed() {
    if (is_closed_) return;
    if (connection_ && leave_at_ && (sent_count() == 0 || now() >= *leave_at_)) leave_standby();
    const bool has_queued = std::any_of(calls_.begin(), calls_.end(),
                                        [](const auto& entry) { return entry.second.state == Call::State::queued; });
    if (!connection_ && has_queued && now() >= connect_at_) connect();
    if (connection_ && connection_->is_ready() && !leave_at_) send_queued();
    if (connection_) connection_->set_waiting(sent_count() > 0);
    idle_at_ = calls_.empty() && connection_ ? std::optional{now() + std::chrono::milliseconds{rules_.idle_close_ms}}
                                             : std::nullopt;
    arm();
  }

  [[nodiscard]] std::size_t sent_count() const {
    return static_cast<std::size_t>(std::count_if(
        calls_.begin(), calls_.end(), [](const auto& entry) { return entry.second.state == Call::State::sent; }));
  }

  void connect() {
    ConversationSettings settings;
    settings.protocol = target_.protocol;
    settings.version = target_.version;
    settings.user = target_.user;
    settings.token = target_.token;
    settings.client_id = client_id_;
    settings.client_nonce = base64_nonce();
    leave_at_.reset();
    const std::weak_ptr<Calls> weak = weak_from_this();
    ConnectionEvents events;
    events.on_ready = [weak](const std::string& local_host) {
      if (const auto self = weak.lock()) self->on_ready(local_host);
    };
    events.on_responses = [weak](std::vector<CallResponse> responses) {
      if (const auto self = weak.lock()) self->on_responses(std::move(responses));
    };
    events.on_closed = [weak](const RpcFault& fault) {
      if (const auto self = weak.lock()) self->on_closed(fault);
    };
    connection_ =
        std::make_shared<RpcConnection>(thread_.context(), active_address(), std::move(settings), std::move(events));
    connection_->open(rules_.connect_timeout_ms, rules_.ping_ms);
  }

  std::string base64_nonce() {
    constexpr std::size_t nonce_bytes = 30;
    return base64_of(random_bytes(nonce_bytes));
  }

  void drop_connection() {
    if (connection_) connection_->close();
    connection_.reset();
    leave_at_.reset();
  }

  void send_queued() {
    for (auto& [id, call] : calls_) {
      if (call.state != Call::State::queued) continue;
      call.state = Call::State::sent;
      call.was_sent = true;
      call.next =
          rules_.answer_timeout_ms > 0 ? now() + std::chrono::milliseconds{rules_.answer_timeout_ms} : Instant::max();
      schedule(id, call);
      connection_->send_call(id, call.tries, call.method, call.request);
    }
  }

  void on_ready(const std::string& local_host) {
    {
      const std::lock_guard lock{mutex_};
      local_host_ = local_host;
    }
    proceed();
  }

  void on_responses(std::vector<CallResponse> responses) {
    for (auto& response : responses) {
      const auto found = calls_.find(response.call_id);
      // A response that came twice, or late after the time limit of its call.
      if (found == calls_.end() || found->second.state != Call::State::sent) continue;
      if (response.result) {
        failures_ = 0;
        finish(found, RpcAnswer{std::move(*response.result), active_address()});
        continue;
      }
      RpcFault fault = response.result.fault();
      fault.address = active_address();
      const bool is_standby = fault.is("StandbyException");
      if (is_standby && !leave_at_) leave_at_ = now() + std::chrono::milliseconds{rules_.standby_wait_ms};
      if (!is_standby) failures_ = 0;
      if (!is_standby && !is_retried(found->second, fault)) {
        finish(found, std::move(fault));
        continue;
      }
      if (on_retry_) on_retry_(fault);
      // Both exceptions mean that the server has not executed the call.
      repeat(found, std::move(fault), is_standby ? Duration{} : wait_of(found->second.tries));
    }
    proceed();
  }

  static bool is_retried(const Call& call, const RpcFault& fault) {
    if (!fault.is("RetriableException")) return false;
    return call.unretried_text.empty() || fault.text.find(call.unretried_text) == std::string::npos;
  }

  void on_closed(RpcFault fault) {
    const bool was_ready = connection_->is_ready();
    connection_.reset();
    leave_at_.reset();
    // A name that never resolved is a wrong name; later the name server may be down for a while.
    const bool is_wrong_name =
        fault.kind == RpcFault::Kind::unknown_host && target_.addresses.size() == 1 && local_host().empty();
    const bool is_final =
        is_wrong_name || fault.kind == RpcFault::Kind::refused || fault.kind == RpcFault::Kind::protocol;
    for (auto call = calls_.begin(); call != calls_.end();) {
      const auto next = std::next(call);
      const bool is_lost = call->second.state == Call::State::sent && !call->second.is_repeatable;
      if (is_final || is_lost) {
        finish(call, fault);
      } else if (call->second.state != Call::State::delayed) {
        repeat(call, fault, Duration{});
      }
      call = next;
    }
    // A server closes idle connections: the first loss is no fault of the server. It counts as a round.
    if (was_ready && failures_ == 0 && fault.kind == RpcFault::Kind::connection_lost)
      failures_ = static_cast<int>(target_.addresses.size());
    else leave_address();
    if (!calls_.empty() && on_retry_) on_retry_(fault);
    proceed();
  }

  /// The active server may answer while a stuck call to this one, which is on standby now, would wait for minutes.
  void leave_standby() {
    const RpcFault fault{RpcFault::Kind::connection_lost,
                         {},
                         "the server went on standby and did not answer this call",
                         active_address()};
    for (auto call = calls_.begin(); call != calls_.end();) {
      const auto next = std::next(call);
      if (call->second.state == Call::State::sent) {
        if (call->second.is_repeatable) repeat(call, fault, Duration{});
        else finish(call, fault);
      }
      call = next;
    }
    drop_connection();
    leave_address();
  }

  /// Activates the next address. It is tried at once; after the last address there is a wait.
  void leave_address() {
    const int addresses = static_cast<int>(target_.addresses.size());
    active_ = (active_ + 1) % target_.addresses.size();
    ++failures_;
    connect_at_ = failures_ % addresses == 0 ? now() + wait_of(failures_ / addresses - 1) : now();
  }

  Duration wait_of(int round) {
    const int doublings = std::clamp(round, 0, doublings_max);
    const std::int64_t full = std::min(rules_.first_wait_ms << doublings, rules_.wait_max_ms);
    const auto half = static_cast<std::uint64_t>(full / 2);
    return std::chrono::milliseconds{full - static_cast<std::int64_t>(half == 0 ? 0 : random_.below(half))};
  }

  using Row = std::map<std::int32_t, Call>::iterator;

  /// Sends the call again after the wait, unless every fault ends it.
  void repeat(Row row, RpcFault fault, Duration wait) {
    Call& call = row->second;
    if (call.ends_at_fault) return finish(row, std::move(fault));
    if (call.state == Call::State::sent) ++call.tries;
    call.last_fault = std::move(fault);
    call.state = wait > Duration{} ? Call::State::delayed : Call::State::queued;
    call.next = wait > Duration{} ? now() + wait : Instant::max();
    schedule(row->first, call);
  }

  void finish(Row row, RpcResult<RpcAnswer> result) {
    const auto done = std::move(row->second.done);
    due_.remove(row->first);
    calls_.erase(row);
    done(std::move(result));
  }

  void schedule(std::int32_t id, const Call& call) { due_.set(id, std::min(call.due, call.next)); }

  void arm() {
    auto next = due_.next_due();
    if (!connection_ && !calls_.empty() && connect_at_ > now()) next = earlier(next, connect_at_);
    next = earlier(next, idle_at_);
    next = earlier(next, leave_at_);
    if (!next || *next == Instant::max()) {
      timer_.cancel();
      return;
    }
    timer_.expires_at(std::chrono::steady_clock::time_point{next->time_since_epoch()});
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code failure) {
      const auto self = weak.lock();
      if (!failure && self && !self->is_closed_) self->on_timer();
    });
  }

  void on_timer() {
    const auto present = now();
    if (idle_at_ && *idle_at_ <= present) drop_connection();
    while (const auto id = due_.take_due(present)) {
      const auto row = calls_.find(*id);
      if (row == calls_.end()) continue;
      Call& call = row->second;
      if (call.due <= present) {
        end_late(row);
      } else if (call.state == Call::State::delayed) {
        call.state = Call::State::queued;
        call.next = Instant::max();
        schedule(row->first, call);
      } else {
        schedule(row->first, call);
        if (call.state == Call::State::sent && call.next <= present) return lose_connection();
      }
    }
    proceed();
  }

  void lose_connection() {
    RpcFault fault{RpcFault::Kind::connection_lost,
                   {},
                   fmt::format("no answer within {} ms", rules_.answer_timeout_ms),
                   active_address()};
    connection_->close();
    on_closed(std::move(fault));
  }

  /// The time limit of the call has passed.
  void end_late(Row row) {
    const Call& call = row->second;
    RpcFault fault{RpcFault::Kind::timed_out, {}, fmt::format("no answer within {} ms", call.limit_ms), {}};
    if (!call.was_sent) fault.kind = RpcFault::Kind::unreachable;
    if (!call.was_sent && !call.last_fault) fault.text = fmt::format("no connection within {} ms", call.limit_ms);
    if (call.last_fault) fault.text += ", last: " + call.last_fault->text;
    if (call.last_fault) fault.java_class = call.last_fault->java_class;
    fault.address = fmt::format("{}", fmt::join(target_.addresses, ", "));
    finish(row, std::move(fault));
  }

  RpcThread& thread_;
  RpcTarget target_;
  RetryRules rules_;
  RetryListener on_retry_;
  std::string client_id_;
  RandomStream random_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<RpcConnection> connection_;
  std::map<std::int32_t, Call> calls_;
  DueHeap<std::int32_t> due_;
  std::size_t active_ = 0;
  int failures_ = 0;    // without a response in between
  Instant connect_at_;  // not before
  std::optional<Instant> idle_at_;
  std::int32_t next_id_ = -1;
  std::optional<Instant> leave_at_;  // set: the server is on standby, no further call on this connection
  bool is_closed_ = false;
  mutable std::mutex mutex_;  // of local_host_
  std::string local_host_;
};

RpcClient::RpcClient(RpcThread& thread, RpcTarget target, RetryRules rules, RetryListener on_retry)
    : calls_{std::make_shared<Calls>(thread, std::move(target), rules, std::move(on_retry))} {}

RpcClient::~RpcClient() {
  calls_->thread().post([calls = calls_] { calls->close(); });
}

void RpcClient::call_bytes(std::string_view method, std::string request, const CallOptions& options, CallDone done) {
  calls_->thread().post([calls = calls_, method = std::string{method}, request = std::move(request), options,
                         done = std::move(done)]() mutable {
    calls->add(std::move(method), std::move(request), options, std::move(done));
  });
}

RpcResult<RpcAnswer> RpcClient::call_bytes_and_wait(std::string_view method, std::string request,
                                                    const CallOptions& options) {
  HEDDLE_ASSERT(!calls_->thread().is_current(), "a callback waits for its own thread");
  const auto promise = std::make_shared<std::promise<RpcResult<RpcAnswer>>>();
  auto answer = promise->get_future();
  call_bytes(method, std::move(request), options,
             [promise](RpcResult<RpcAnswer> result) { promise->set_value(std::move(result)); });
  return answer.get();
}

void RpcClient::set_token(CredentialToken token) {
  calls_->thread().post([calls = calls_, token = std::move(token)]() mutable { calls->set_token(std::move(token)); });
}

std::string RpcClient::local_host() const { return calls_->local_host(); }

RpcFault RpcClient::unreadable_response(std::string_view method, const RpcAnswer& answer) {
  return {RpcFault::Kind::protocol, {}, fmt::format("the response to {} is malformed", method), answer.address};
}

}  // namespace heddle::interop
