#include "work/shuffle/shuffle_server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/sendfile.h>
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
      : settings_{settings}, acceptor_{io_}, sweep_{io_}, retry_{io_} {}

  ~Service() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  Result<Done> start() {
    // sendfile raises SIGPIPE if the client has closed, regardless of socket flags; its error code suffices.
    struct sigaction old {};
    if (::sigaction(SIGPIPE, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) ::signal(SIGPIPE, SIG_IGN);
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
    address_ = settings_.bind_address + ":" + std::to_string(acceptor_.local_endpoint().port());
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
    applications_[application] = std::move(served);
  }
  void remove(const ApplicationId& application) {
    {
      const std::lock_guard lock{mutex_};
      applications_.erase(application);
    }
    asio::post(io_, [this, application] {
      const auto open = connections_;
      for (const auto& connection : open) {
        if (connection->application() == application) connection->close();
      }
    });
  }

private:
  /// Connection of one client: request, responses, next request. In the service's table until closed.
  class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(Service& service, tcp::socket socket)
        : service_{service}, socket_{std::move(socket)}, later_{service.io_} {}
    ~Connection() {
      if (file_ >= 0) ::close(file_);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void begin() {
      moved();
      is_idle_ = true;
      service_.on_room();
      input_.resize(shuffle_request_header_bytes);
      asio::async_read(socket_, asio::buffer(input_),
                       [self = shared_from_this()](boost::system::error_code failed, std::size_t) {
                         if (failed || !self->handle_request_header()) return self->close();
                         self->read_maps();
                       });
    }
    void close() {
      boost::system::error_code ignored;
      socket_.close(ignored);
      later_.cancel();
      if (service_.connections_.erase(shared_from_this()) > 0) service_.on_room();
    }
    /// Returns true if there is no complete request.
    [[nodiscard]] bool is_idle() const { return is_idle_; }
    [[nodiscard]] const ApplicationId& application() const { return request_.application; }
    [[nodiscard]] std::chrono::steady_clock::time_point last_moved() const { return last_moved_; }

  private:
    void moved() { last_moved_ = std::chrono::steady_clock::now(); }

    bool handle_request_header() {
      if (!read_request_header(input_, request_)) return false;
      const auto served = service_.find(request_.application);
      if (!served || !same_token(served->token, request_.token)) return false;
      directory_ = served->directory;
      return true;
    }
    void read_maps() {
      input_.resize(std::size_t{request_.map_count} * 4);
      asio::async_read(socket_, asio::buffer(input_),
                       [self = shared_from_this()](boost::system::error_code failed, std::size_t) {
                         if (failed || !read_request_maps(self->input_, self->request_)) return self->close();
                         self->next_ = 0;
                         self->is_idle_ = false;
                         self->answer_next();
                       });
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
      asio::async_write(socket_, asio::buffer(output_),
                        [self = shared_from_this()](boost::system::error_code failed, std::size_t) {
                          if (failed) return self->close();
                          self->send_file();
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
        if (!failed && self->socket_.is_open()) self->answer_next();
      });
    }
    /// Copies from the page cache to the socket with sendfile; a few MiB per call, so that all connections progress.
    void send_file() {
      constexpr std::int64_t turn_bytes = 4 << 20;
      std::int64_t turn = 0;
      boost::system::error_code ignored;
      socket_.native_non_blocking(true, ignored);
      while (left_ > 0 && turn < turn_bytes) {
        off_t offset = offset_;
        const ssize_t sent =
            ::sendfile(socket_.native_handle(), file_, &offset, static_cast<std::size_t>(std::min(left_, turn_bytes)));
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EAGAIN) break;
        if (sent <= 0) return close();  // connection broken, or the file is shorter than its index requires
        offset_ += sent;
        left_ -= sent;
        turn += sent;
        moved();
      }
      if (left_ == 0) return answer_next();
      socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](boost::system::error_code failed) {
        if (failed) return self->close();
        self->send_file();
      });
    }

    Service& service_;
    tcp::socket socket_;
    asio::steady_timer later_;
    int waits_ = 0;
    bool is_idle_ = true;
    std::string input_;
    std::string output_;
    ShuffleRequest request_;
    std::string directory_;
    std::size_t next_ = 0;
    int file_ = -1;
    std::int64_t offset_ = 0;
    std::int64_t left_ = 0;
    std::chrono::steady_clock::time_point last_moved_;
  };

  std::optional<ServedApplication> find(const ApplicationId& application) {
    const std::lock_guard lock{mutex_};
    const auto found = applications_.find(application);
    if (found == applications_.end()) return std::nullopt;
    return found->second;
  }

  void accept() {
    is_accepting_ = true;
    acceptor_.async_accept([this](boost::system::error_code failed, tcp::socket socket) {
      is_accepting_ = false;
      if (failed == asio::error::operation_aborted) return;
      if (failed) return accept_again();
      ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
      boost::system::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      // A refused client takes its map output for lost, so none is refused. Idle connections are closed first, because
      // their clients reconnect; while none is idle, new clients wait in the listen queue.
      if (std::ssize(connections_) >= settings_.connections_max) close_longest_idle();
      auto connection = std::make_shared<Connection>(*this, std::move(socket));
      connections_.insert(connection);
      connection->begin();
      if (std::ssize(connections_) > settings_.connections_max) waits_for_room_ = true;
      else accept();
    });
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

  /// Called when a connection has closed or become idle.
  void on_room() {
    accept_if_due();
    if (!waits_for_room_) return;
    if (std::ssize(connections_) > settings_.connections_max) return close_longest_idle();  // which calls on_room again
    waits_for_room_ = false;
    accept();
  }

  /// An exception, such as bad_alloc, affects only its own connection, which sweep() closes later.
  void serve() {
    while (true) {
      try {
        io_.run();
        return;
      } catch (const std::exception&) {
        accept_is_due_ = !is_accepting_;
        if (!is_sweeping_) sweep();
      }
    }
  }

  /// Closes connections without traffic.
  void sweep() {
    sweep_.expires_after(std::chrono::milliseconds{std::max<std::int64_t>(settings_.request_timeout_ms / 4, 10)});
    is_sweeping_ = true;
    sweep_.async_wait([this](boost::system::error_code failed) {
      is_sweeping_ = false;
      if (failed) return;
      const auto now = std::chrono::steady_clock::now();
      const auto open = connections_;
      for (const auto& connection : open) {
        if (now - connection->last_moved() > std::chrono::milliseconds{settings_.request_timeout_ms})
          connection->close();
      }
      accept_if_due();
      sweep();
    });
  }

  ShuffleServerSettings settings_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
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
  std::map<ApplicationId, ServedApplication> applications_;
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
