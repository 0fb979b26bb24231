#include "work/shuffle_client.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "work/shuffle_index.hpp"
#include "work/shuffle_protocol.hpp"

namespace heddle::work {
namespace {

/// Waits until the descriptor is ready; false after `timeout_ms`.
bool wait_for(int descriptor, short what, std::int64_t timeout_ms) {
  pollfd polled{descriptor, what, 0};
  int ready = 0;
  do ready = ::poll(&polled, 1, static_cast<int>(timeout_ms));
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

/// A connected, non-blocking socket, or -1.
int connect_to(const std::string& address, std::int64_t timeout_ms) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return -1;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &hints, &found) != 0) return -1;
  int connected = -1;
  for (const addrinfo* one = found; one != nullptr && connected < 0; one = one->ai_next) {
    const int socket = ::socket(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    int failed = ::connect(socket, one->ai_addr, one->ai_addrlen) == 0 ? 0 : errno;
    if (failed == EINPROGRESS) {
      socklen_t size = sizeof failed;
      if (!wait_for(socket, POLLOUT, timeout_ms) || ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &failed, &size) != 0) failed = ETIMEDOUT;
    }
    if (failed == 0) {
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      connected = socket;
    } else {
      ::close(socket);
    }
  }
  ::freeaddrinfo(found);
  return connected;
}

bool send_all(int socket, std::string_view bytes, std::int64_t timeout_ms) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN && wait_for(socket, POLLOUT, timeout_ms)) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Maps to be had from one server.
struct Server {
  const MapOutputLocation* place = nullptr;
  std::deque<std::int32_t> waiting;  // not asked for
  std::deque<std::int32_t> asked;    // in the order of the answers
  int socket = -1;
  std::string head;
  std::vector<std::byte> body;
  std::size_t received = 0;
  ShuffleAnswerHead segment;
  bool is_in_body = false;
  bool is_admitted = false;  // the body may be received
};

}  // namespace

/// Idle connections by address, shared by all fetches.
class ShuffleClient::Connections {
public:
  Connections() = default;
  ~Connections() {
    for (const auto& [address, sockets] : idle_) {
      for (const int socket : sockets) ::close(socket);
    }
  }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  int take(const std::string& address, std::int64_t timeout_ms) {
    while (true) {
      int socket = -1;
      {
        const std::lock_guard lock{mutex_};
        auto& sockets = idle_[address];
        if (sockets.empty()) break;
        socket = sockets.back();
        sockets.pop_back();
      }
      // A server that is gone, or one that said more than was asked, shows by something to read.
      char byte = 0;
      if (::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN) return socket;
      ::close(socket);
    }
    return connect_to(address, timeout_ms);
  }
  void give_back(const std::string& address, int socket) {
    const std::lock_guard lock{mutex_};
    idle_[address].push_back(socket);
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::vector<int>> idle_;
};

namespace {

/// One fetch: a turn of poll over the servers that are asked at once.
class Fetch {
public:
  using OnSegment = std::function<bool(ports::FetchedSegment)>;
  using Take = std::function<int(const std::string&)>;
  using GiveBack = std::function<void(const std::string&, int)>;

  Fetch(const ShuffleClientSettings& settings, ShuffleId shuffle, std::int32_t partition, const OnSegment& on_segment,
        ports::FetchFailure& failure, Take take, GiveBack give_back)
      : settings_{settings},
        shuffle_{shuffle},
        partition_{partition},
        on_segment_{on_segment},
        failure_{failure},
        take_{std::move(take)},
        give_back_{std::move(give_back)} {}
  ~Fetch() {
    for (const auto& server : active_) {
      if (server.socket >= 0) ::close(server.socket);
    }
  }
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

  bool run(std::deque<Server> servers) {
    while (!servers.empty() || !active_.empty()) {
      while (!servers.empty() && active_.size() < static_cast<std::size_t>(std::max(settings_.servers_at_once, 1))) {
        active_.push_back(std::move(servers.front()));
        servers.pop_front();
        if (!ask(active_.back())) return false;
      }
      if (!turn()) return false;
    }
    return true;
  }

private:
  bool fail(const Server& server, const std::string& text) {
    const std::int32_t map = !server.asked.empty() ? server.asked.front() : server.waiting.empty() ? -1 : server.waiting.front();
    failure_ = {map, *server.place,
                text + " (map " + std::to_string(map) + " of shuffle " + to_string(shuffle_) + " at " + server.place->address + ")"};
    return false;
  }

  bool ask(Server& server) {
    if (server.socket < 0) server.socket = take_(server.place->address);
    if (server.socket < 0) return fail(server, "the shuffle server cannot be reached");
    ShuffleRequest request;
    request.application = settings_.application;
    request.token = settings_.token;
    request.shuffle = shuffle_;
    request.partition = partition_;
    const auto most = std::clamp<std::size_t>(static_cast<std::size_t>(settings_.maps_per_request), 1, shuffle_maps_max);
    while (!server.waiting.empty() && request.maps.size() < most) {
      request.maps.push_back(server.waiting.front());
      server.asked.push_back(server.waiting.front());
      server.waiting.pop_front();
    }
    if (send_all(server.socket, write_request(request), settings_.read_timeout_ms)) return true;
    return fail(server, "the shuffle server is gone");
  }

  /// Receives where something is ready and there is room.
  bool turn() {
    std::vector<pollfd> polled;
    for (auto& server : active_) {
      if (server.is_in_body && !server.is_admitted) admit(server);
      const bool waits = server.is_in_body && !server.is_admitted;
      polled.push_back({waits ? -1 : server.socket, POLLIN, 0});
    }
    const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(settings_.read_timeout_ms));
    if (ready < 0 && errno != EINTR) return fail(active_.front(), "poll failed");
    if (ready == 0) return fail(active_.front(), "the shuffle server is silent");
    for (std::size_t i = 0; ready > 0 && i < polled.size(); ++i) {
      if (polled[i].revents != 0 && !receive(active_[i])) return false;
    }
    std::deque<Server> still;
    for (auto& server : active_) {
      if (server.socket >= 0) still.push_back(std::move(server));
    }
    active_ = std::move(still);
    return true;
  }

  void admit(Server& server) {
    const bool fits = in_flight_ == 0 || in_flight_ + server.segment.length <= settings_.bytes_in_flight_max;
    if (!fits) return;
    server.is_admitted = true;
    in_flight_ += server.segment.length;
    server.body.resize(static_cast<std::size_t>(server.segment.length));
    server.received = 0;
  }

  bool receive(Server& server) {
    constexpr std::size_t turn_bytes = 8 << 20;
    for (std::size_t got_in_turn = 0; got_in_turn < turn_bytes && server.socket >= 0;) {
      if (server.is_in_body && !server.is_admitted) return true;
      char head[shuffle_answer_head_bytes];
      void* into = server.is_in_body ? static_cast<void*>(server.body.data() + server.received) : head;
      const std::size_t wanted = server.is_in_body ? server.body.size() - server.received : sizeof head - server.head.size();
      const ssize_t got = ::recv(server.socket, into, wanted, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return true;
      if (got <= 0) return fail(server, "the shuffle server closed the connection");
      got_in_turn += static_cast<std::size_t>(got);
      if (server.is_in_body) {
        server.received += static_cast<std::size_t>(got);
        if (server.received == server.body.size() && !deliver(server)) return false;
      } else {
        server.head.append(head, static_cast<std::size_t>(got));
        if (server.head.size() == sizeof head && !take_head(server)) return false;
      }
    }
    return true;
  }

  bool take_head(Server& server) {
    if (!read_answer_head(server.head, server.segment) || server.segment.map != server.asked.front()) {
      return fail(server, "the shuffle server answered something else");
    }
    server.head.clear();
    if (!server.segment.is_present) return fail(server, "the map output is not there");
    server.is_in_body = true;
    server.is_admitted = false;
    if (server.segment.length == 0) return deliver(server);
    admit(server);
    return true;
  }

  bool deliver(Server& server) {
    ports::FetchedSegment segment;
    segment.map = server.segment.map;
    segment.length = server.segment.length;
    segment.bytes = std::move(server.body);
    server.body = {};
    server.is_in_body = server.is_admitted = false;
    server.asked.pop_front();
    in_flight_ -= segment.length;
    if (!on_segment_(std::move(segment))) return false;
    if (!server.asked.empty()) return true;
    if (!server.waiting.empty()) return ask(server);
    give_back_(server.place->address, server.socket);
    server.socket = -1;
    return true;
  }

  const ShuffleClientSettings& settings_;
  ShuffleId shuffle_;
  std::int32_t partition_;
  const OnSegment& on_segment_;
  ports::FetchFailure& failure_;
  Take take_;
  GiveBack give_back_;
  std::deque<Server> active_;
  std::int64_t in_flight_ = 0;
};

/// The segment as a part of a file of this machine; false if it cannot be had that way.
bool find_local(const MapOutputLocation& place, ShuffleId shuffle, std::int32_t map, std::int32_t partition, ports::FetchedSegment& segment,
                std::string& text) {
  const auto index = read_shuffle_index(place.directory, shuffle, map);
  if (!index || partition >= index->partitions()) {
    text = index ? "the map output has fewer partitions" : index.error().text;
    return false;
  }
  segment.map = map;
  segment.path = index->data_path;
  segment.offset = index->offsets[static_cast<std::size_t>(partition)];
  segment.length = index->length(partition);
  return true;
}

}  // namespace

ShuffleClient::ShuffleClient(ShuffleClientSettings settings)
    : settings_{std::move(settings)}, connections_{std::make_unique<Connections>()} {}

ShuffleClient::~ShuffleClient() = default;

bool ShuffleClient::fetch(const ports::ShuffleLocations& locations, std::int32_t partition,
                          const std::function<bool(ports::FetchedSegment)>& on_segment, ports::FetchFailure& failure) {
  std::vector<Server> by_place(locations.places.size());
  for (std::size_t i = 0; i < locations.place_of_map.size(); ++i) {
    const auto map = static_cast<std::int32_t>(i);
    const std::int32_t number = locations.place_of_map[i];
    if (number < 0) {
      failure = {map, {}, "no place of map " + std::to_string(map) + " of shuffle " + to_string(locations.shuffle) + " is known"};
      return false;
    }
    const auto& place = locations.places[static_cast<std::size_t>(number)];
    ports::FetchedSegment segment;
    std::string text = "the place names no server";
    if ((settings_.use_local_files || place.address.empty()) && !place.directory.empty() &&
        find_local(place, locations.shuffle, map, partition, segment, text)) {
      if (!on_segment(std::move(segment))) return false;
    } else if (place.address.empty()) {
      failure = {map, place, text};
      return false;
    } else {
      auto& server = by_place[static_cast<std::size_t>(number)];
      server.place = &place;
      server.waiting.push_back(map);
    }
  }
  std::deque<Server> servers;
  for (auto& server : by_place) {
    if (server.place != nullptr) servers.push_back(std::move(server));
  }
  Fetch fetch{settings_,
              locations.shuffle,
              partition,
              on_segment,
              failure,
              [this](const std::string& address) { return connections_->take(address, settings_.connect_timeout_ms); },
              [this](const std::string& address, int socket) { connections_->give_back(address, socket); }};
  return fetch.run(std::move(servers));
}

}  // namespace heddle::work
