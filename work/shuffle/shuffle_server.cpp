#include "work/shuffle/shuffle_server.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "work/shuffle/shuffle_index_cache.hpp"
#include "work/shuffle/shuffle_protocol.hpp"
#include "work/transport/tls_handshakes.hpp"

namespace heddle::work {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Between a failed accept and the next one.
constexpr std::chrono::milliseconds accept_pause{100};

struct ServedApplication {
  std::string token;
  std::string directory;
};

}  // namespace

class ShuffleServer::Service {
public:
  explicit Service(const ShuffleServerSettings& settings)
      : settings_{settings},
        acceptor_{io_},
        handshakes_{io_, limits(settings), std::nullopt},
        sweep_{io_},
        retry_{io_} {}

  ~Service() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  Result<Done> start() {
    auto context = TlsContext::for_server([this](const std::string& key) -> std::optional<std::string> {
      const auto served = find(key);
      return served ? std::optional{served->token} : std::nullopt;
    });
    if (!context) return context.error();
    context_ = std::move(*context);
    boost::system::error_code failed;
    const auto found = tcp::resolver{io_}.resolve(settings_.bind_address, std::to_string(settings_.port), failed);
    if (failed || found.empty())
      return Error{Errc::usage, "cannot serve shuffle files, because this host has no address: " +
                                    settings_.bind_address + ": " + failed.message()};
    const tcp::endpoint endpoint = *found.begin();
    acceptor_.open(endpoint.protocol(), failed);
    if (!failed) acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor_.bind(endpoint, failed);
    if (!failed) acceptor_.listen(tcp::acceptor::max_listen_connections, failed);
    if (failed)
      return Error{Errc::io, "cannot serve shuffle files on " + settings_.bind_address + ": " + failed.message()};
    ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
    const auto& host = settings_.advertised_host.empty() ? settings_.bind_address : settings_.advertised_host;
    address_ = host + ":" + std::to_string(acceptor_.local_endpoint().port());
    accept();
    sweep();
    try {
      thread_ = std::thread{[this] { serve(); }};
    } catch (const std::system_error& fault) {
      return Error{Errc::io, "cannot start a thread to serve shuffle files: " + fault.code().message()};
    }
    return Done{};
  }

  [[nodiscard]] const std::string& address() const { return address_; }

  void add(const ApplicationId& application, ServedApplication served) {
    const std::lock_guard lock{mutex_};
    applications_[to_string(application)] = std::move(served);
  }
  void remove(const ApplicationId& application) {
    {
      const std::lock_guard lock{mutex_};
      applications_.erase(to_string(application));
    }
    asio::post(io_, [this, key = to_string(application)] {
      const auto open = connections_;
      for (const auto& connection : open) {
        if (connection->key() == key) connection->close();
      }
    });
  }

private:
  /// A client whose handshake is dropped retries, and in the end takes its map output for lost. So an overloaded client
  /// gets more time than other peers.
  static HandshakeLimits limits(const ShuffleServerSettings& settings) {
    constexpr std::int64_t patience_ms_max = 10'000;
    return {std::chrono::milliseconds{std::min(settings.request_timeout_ms, patience_ms_max)},
            static_cast<std::size_t>(settings.connections_max)};
  }

  /// Connection of one client: request, responses, next request. In the service's table until closed. Its key is the id
  /// of the application, whose token the client has proven to know.
  class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(Service& service, std::unique_ptr<TlsStream> stream)
        : service_{service},
          stream_{std::move(stream)},
          // Asio waits for the descriptor and closes it; the stream reads and writes it.
          descriptor_{service.io_, stream_->release_descriptor()},
          later_{service.io_} {}
    ~Connection() {
      if (file_ >= 0) ::close(file_);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void begin() {
      moved();
      service_.on_room();  // this connection is not idle yet: another one is closed
      is_idle_ = true;
      input_.clear();
      wanted_ = shuffle_request_header_bytes;
      read_request();
    }
    void close() {
      boost::system::error_code ignored;
      descriptor_.close(ignored);
      later_.cancel();
      if (service_.connections_.erase(shared_from_this()) > 0) service_.on_room();
    }
    /// Returns true if there is no complete request.
    [[nodiscard]] bool is_idle() const { return is_idle_; }
    [[nodiscard]] const std::string& key() const { return stream_->key(); }
    [[nodiscard]] std::chrono::steady_clock::time_point last_moved() const { return last_moved_; }

  private:
    void moved() { last_moved_ = std::chrono::steady_clock::now(); }
    [[nodiscard]] bool is_open() const { return descriptor_.is_open(); }

    void wait(asio::posix::stream_descriptor::wait_type what, void (Connection::*then)()) {
      descriptor_.async_wait(what, [self = shared_from_this(), then](boost::system::error_code failed) {
        if (failed) return self->close();
        if (self->is_open()) ((*self).*then)();
      });
    }
    /// Reads the header, then the maps.
    void read_request() {
      while (input_.size() < wanted_) {
        const auto begin = input_.size();
        input_.resize(wanted_);
        std::size_t got = 0;
        const auto read = stream_->read(input_.data() + begin, wanted_ - begin, got);
        input_.resize(begin + got);
        if (read == ports::Transfer::closed) return close();
        if (read == ports::Transfer::blocked)
          return wait(asio::posix::stream_descriptor::wait_read, &Connection::read_request);
        if (input_.size() == shuffle_request_header_bytes && !handle_request_header()) return close();
      }
      const auto maps = std::string_view{input_}.substr(shuffle_request_header_bytes);
      if (!read_request_maps(maps, request_)) return close();
      next_ = 0;
      is_idle_ = false;
      answer_next();
    }
    bool handle_request_header() {
      if (!read_request_header(input_, request_) || to_string(request_.application) != key()) return false;
      const auto served = service_.find(key());
      if (!served) return false;
      directory_ = served->directory;
      wanted_ += std::size_t{request_.map_count} * 4;
      return true;
    }
    void answer_next() {
      if (file_ >= 0) ::close(file_);
      file_ = -1;
      if (next_ == request_.maps.size()) return begin();
      ShuffleResponseHeader head;
      head.map = request_.maps[next_];
      left_ = 0;
      const auto found = service_.indexes_.find(directory_, request_.shuffle, head.map);
      bool is_short_of_files = !found && found.error().code == Errc::io;
      if (found && request_.partition < (*found)->partitions()) {
        const auto& index = **found;
        file_ = ::open(index.data_path.c_str(), O_RDONLY | O_CLOEXEC);
        is_short_of_files = file_ < 0 && errno != ENOENT;
        struct stat about {};
        head.is_present = file_ >= 0 && ::fstat(file_, &about) == 0 && about.st_size >= index.offsets.back();
        offset_ = index.offsets[static_cast<std::size_t>(request_.partition)];
        left_ = head.is_present ? index.length(request_.partition) : 0;
        head.length = left_;
      }
      if (is_short_of_files) return retry_later();
      ++next_;
      waits_ = 0;
      output_ = write_response_header(head);
      sent_ = 0;
      send_file();
    }
    /// Other connections have their turn first.
    void answer_later() {
      asio::post(service_.io_, [self = shared_from_this()] {
        if (self->is_open()) self->answer_next();
      });
    }
    /// Without a free descriptor it is unknown whether the output exists: retries for a while, then closes the
    /// connection without a response.
    void retry_later() {
      constexpr int waits_max = 50;
      if (++waits_ > waits_max) return close();
      moved();
      later_.expires_after(std::chrono::milliseconds{100});
      later_.async_wait([self = shared_from_this()](boost::system::error_code failed) {
        if (!failed && self->is_open()) self->answer_next();
      });
    }
    /// Sends the response header and the file, some MiB per call, so that all connections progress.
    void send_file() {
      constexpr std::size_t turn_bytes = 4 << 20;
      for (std::size_t turn = 0; turn < turn_bytes;) {
        if (!fill_output()) return close();  // the file is shorter than its index requires
        if (sent_ == output_.size()) return answer_later();
        std::size_t put = 0;
        const auto written = stream_->write(output_.data() + sent_, output_.size() - sent_, put);
        if (written == ports::Transfer::closed) return close();
        if (written == ports::Transfer::blocked) break;
        sent_ += put;
        turn += put;
        moved();
      }
      wait(asio::posix::stream_descriptor::wait_write, &Connection::send_file);
    }
    /// Reads the next piece of the file behind what is not sent yet; a short header and the first piece go together.
    bool fill_output() {
      constexpr std::size_t piece_bytes = 128 << 10;
      if (left_ == 0 || output_.size() - sent_ >= piece_bytes / 2) return true;
      output_.erase(0, sent_);
      sent_ = 0;
      const auto begin = output_.size();
      const auto wanted = std::min(static_cast<std::size_t>(left_), piece_bytes);
      output_.resize(begin + wanted);
      ssize_t got = 0;
      do got = ::pread(file_, output_.data() + begin, wanted, offset_);
      while (got < 0 && errno == EINTR);
      if (got <= 0) return false;
      output_.resize(begin + static_cast<std::size_t>(got));
      offset_ += got;
      left_ -= got;
      return true;
    }

    Service& service_;
    std::unique_ptr<TlsStream> stream_;
    asio::posix::stream_descriptor descriptor_;
    asio::steady_timer later_;
    int waits_ = 0;
    bool is_idle_ = false;
    std::string input_;
    std::size_t wanted_ = 0;  // bytes of the request that are known to follow
    std::string output_;
    std::size_t sent_ = 0;  // of output_
    ShuffleRequest request_;
    std::string directory_;
    std::size_t next_ = 0;
    int file_ = -1;
    std::int64_t offset_ = 0;
    std::int64_t left_ = 0;
    std::chrono::steady_clock::time_point last_moved_;
  };

  std::optional<ServedApplication> find(const std::string& key) {
    const std::lock_guard lock{mutex_};
    const auto found = applications_.find(key);
    if (found == applications_.end()) return std::nullopt;
    return found->second;
  }

  void accept() {
    acceptor_.async_accept([this](boost::system::error_code failed, tcp::socket socket) {
      is_accepting_ = false;
      if (failed == asio::error::operation_aborted) return;
      if (failed) return accept_again();
      handshakes_.begin(*context_, std::move(socket), [this](Result<TlsHandshakes::Shaken> ended) {
        if (ended) admit(std::move(ended->stream));
      });
      if (!waits_for_room_) accept();
    });
    is_accepting_ = true;
  }
  /// A refused client takes its map output for lost, so none is refused. Idle connections are closed first, because
  /// their clients reconnect; while none is idle, new clients wait in the listen queue.
  void admit(std::unique_ptr<TlsStream> stream) {
    if (std::ssize(connections_) >= settings_.connections_max) close_longest_idle();
    auto connection = std::make_shared<Connection>(*this, std::move(stream));
    connections_.insert(connection);
    connection->begin();
    if (std::ssize(connections_) > settings_.connections_max) waits_for_room_ = true;
  }
  /// Probably no descriptor is left. A connection that closes frees one; other parts of the process may free one too.
  void accept_again() {
    accept_is_due_ = true;
    close_longest_idle();  // which accepts
    if (!accept_is_due_) return;
    retry_.expires_after(accept_pause);
    retry_.async_wait([this](boost::system::error_code failed) {
      if (!failed) accept_if_due();
    });
  }
  void accept_if_due() {
    if (std::exchange(accept_is_due_, false)) accept();
  }
  void close_longest_idle() {
    std::shared_ptr<Connection> longest;
    for (const auto& connection : connections_)
      if (connection->is_idle() && (!longest || connection->last_moved() < longest->last_moved())) longest = connection;
    if (longest) longest->close();
  }

  /// Called when a connection has closed or becomes idle.
  void on_room() {
    accept_if_due();
    if (!waits_for_room_) return;
    if (std::ssize(connections_) > settings_.connections_max) return close_longest_idle();  // which calls on_room again
    waits_for_room_ = false;
    if (!is_accepting_) accept();
  }

  /// An exception, such as bad_alloc, affects only its own connection, which sweep() closes later.
  void serve() {
    bool has_failed = false;
    while (!io_.stopped()) {
      try {
        if (std::exchange(has_failed, false)) go_on();
        io_.run();
      } catch (const std::exception&) { has_failed = true; }
    }
  }
  /// Replaces what the exception kept from starting. Allocates, so it may throw like a handler.
  void go_on() {
    accept_is_due_ = !is_accepting_;
    if (!is_sweeping_) sweep();
  }

  /// Closes connections without traffic, and an idle one if clients wait.
  void sweep() {
    sweep_.expires_after(std::chrono::milliseconds{std::max<std::int64_t>(settings_.request_timeout_ms / 4, 10)});
    sweep_.async_wait([this](boost::system::error_code failed) {
      is_sweeping_ = false;
      if (failed) return;
      const auto now = std::chrono::steady_clock::now();
      const auto open = connections_;
      for (const auto& connection : open) {
        if (now - connection->last_moved() > std::chrono::milliseconds{settings_.request_timeout_ms})
          connection->close();
      }
      on_room();  // the last connection that became idle may be above the limit
      sweep();
    });
    is_sweeping_ = true;
  }

  ShuffleServerSettings settings_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  std::optional<TlsContext> context_;
  TlsHandshakes handshakes_;
  asio::steady_timer sweep_;
  asio::steady_timer retry_;
  std::string address_;
  std::set<std::shared_ptr<Connection>> connections_;  // only on the thread
  ShuffleIndexCache indexes_{16 << 20};                // only on the thread
  bool accept_is_due_ = false;
  bool waits_for_room_ = false;  // accept no client until a connection closes or becomes idle
  bool is_accepting_ = false;
  bool is_sweeping_ = false;
  std::mutex mutex_;
  std::map<std::string, ServedApplication> applications_;  // by id as text
  std::thread thread_;
};

ShuffleServer::ShuffleServer(std::unique_ptr<Service> service) : service_{std::move(service)} {}

ShuffleServer::~ShuffleServer() = default;

Result<std::unique_ptr<ShuffleServer>> ShuffleServer::start(const ShuffleServerSettings& settings) {
  auto service = std::make_unique<Service>(settings);
  if (auto started = service->start(); !started) return started.error();
  return std::unique_ptr<ShuffleServer>{new ShuffleServer{std::move(service)}};
}

const std::string& ShuffleServer::address() const { return service_->address(); }

void ShuffleServer::add_application(const ApplicationId& application, const std::string& token,
                                    const std::string& directory) {
  service_->add(application, {token, directory});
}

void ShuffleServer::remove_application(const ApplicationId& application) { service_->remove(application); }

}  // namespace heddle::work
