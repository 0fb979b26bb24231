// One fetch sends requests to several servers at a time, each for some maps, and passes on segments as they arrive:
//
//   waiting -> requested -> header -> (space in flight) -> body -> on_segment
//      ^          '--------- connection broken ------------' : retried a limited number of times between two segments
//
// A server that refuses connections or is silent counts as lost: an address belongs to one run of one NodeManager. A
// failed handshake is retried like a broken connection: an overloaded server drops handshakes.
#include "work/shuffle/shuffle_client.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/random_stream.hpp"
#include "work/files/file_handle.hpp"
#include "work/shuffle/shuffle_connections.hpp"
#include "work/shuffle/shuffle_index.hpp"
#include "work/shuffle/shuffle_protocol.hpp"

namespace heddle::work {
namespace {

using Time = std::chrono::steady_clock::time_point;
// no map output is longer: the peer is not a shuffle server
constexpr std::int64_t segment_bytes_max = std::int64_t{1} << 42;
constexpr std::size_t file_piece_bytes = 1 << 20;

/// State of the requests to one server.
struct Server {
  const MapOutputLocation* location = nullptr;
  ShuffleId shuffle;                   // as stored there
  std::deque<std::int32_t> waiting;    // not requested yet
  std::deque<std::int32_t> requested;  // in the order of the responses
  std::unique_ptr<TlsStream> stream;
  bool has_more = false;   // the stream may hold bytes that waiting for its descriptor does not show
  bool is_reused = false;  // the connection is from an earlier fetch and has not responded in this one
  int retries_left = 0;
  Time moved;                    // time of the last received byte
  std::optional<Time> retry_at;  // set while a broken connection waits for its retry
  std::string head;
  ShuffleResponseHeader segment;
  bool is_in_body = false;
  bool is_admitted = false;  // the body fits into the bytes in flight
  std::int64_t turn = 0;     // smaller: has waited longer for that
  ports::SegmentBytes body;
  std::optional<FileHandle> file;  // for a segment too long for memory; `body` is then a buffer
  std::int64_t received = 0;

  [[nodiscard]] bool waits_for_room() const { return is_in_body && !is_admitted; }
};

/// One fetch: a poll loop over the active servers.
class Fetch {
public:
  using OnSegment = std::function<bool(ports::FetchedSegment)>;

  Fetch(const ShuffleClientSettings& settings, ShuffleConnections& connections, const ports::FetchRequest& request,
        const OnSegment& on_segment, ports::FetchFailure& failure)
      : settings_{settings},
        connections_{connections},
        partition_{request.partition},
        stop_{request.stop},
        on_segment_{on_segment},
        failure_{failure} {}
  ~Fetch() {
    for (auto& server : active_) drop_connection(server);
  }
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

  bool run(std::deque<Server> servers) {
    while (!servers.empty() || !active_.empty()) {
      while (!servers.empty() && active_.size() < static_cast<std::size_t>(std::max(settings_.servers_at_once, 1))) {
        active_.push_back(std::move(servers.front()));
        servers.pop_front();
        active_.back().retries_left = settings_.retries;
        if (!send_requests(active_.back(), false)) return false;
      }
      if (!poll_once()) return false;
    }
    return true;
  }

private:
  bool fail(const Server& server, const std::string& text, bool is_lost = true, CopyError error = CopyError::other) {
    const std::int32_t map = !server.requested.empty() ? server.requested.front()
                             : server.waiting.empty()  ? -1
                                                       : server.waiting.front();
    failure_ = {map, *server.location,
                text + " (map " + std::to_string(map) + " of shuffle " + to_string(server.shuffle) + " at " +
                    server.location->address + ")",
                is_lost, error};
    return false;
  }

  bool send_requests(Server& server, bool is_new) {
    if (!server.stream) {
      auto taken = connections_.acquire(server.location->address, {settings_.connect_timeout_ms, stop_}, is_new);
      if (!taken && taken.error().code == Errc::interrupted) return on_handshake_failed(server, taken.error().text);
      if (!taken) return fail(server, taken.error().text, taken.error().code == Errc::unreachable, CopyError::connect);
      server.stream = std::move(taken->stream);
      server.has_more = false;
      server.is_reused = taken->is_reused;
    }
    ShuffleRequest request;
    request.application = settings_.application;
    request.shuffle = server.shuffle;
    request.partition = partition_;
    const auto most =
        std::clamp<std::size_t>(static_cast<std::size_t>(settings_.maps_per_request), 1, shuffle_maps_max);
    while (!server.waiting.empty() && request.maps.size() < most) {
      request.maps.push_back(server.waiting.front());
      server.requested.push_back(server.waiting.front());
      server.waiting.pop_front();
    }
    server.moved = std::chrono::steady_clock::now();
    if (send_all(*server.stream, write_request(request), {settings_.read_timeout_ms, stop_})) return true;
    return on_connection_lost(server, "the connection to the shuffle server was lost");
  }

  void drop_connection(Server& server) {
    server.stream.reset();
    if (server.file) ::unlink(server.file->path().c_str());
    server.file.reset();
  }

  /// Repeats the requests without response. At once if a reused connection was closed by the peer, and at the first
  /// break (a lost server refuses then); otherwise after retry_wait_ms.
  bool on_connection_lost(Server& server, const std::string& text) {
    const bool was_stale = std::exchange(server.is_reused, false);
    drop_connection(server);
    if (server.is_admitted) in_flight_ -= room_of(server);
    server.is_in_body = server.is_admitted = false;
    server.body = {};
    server.head.clear();
    if (!was_stale && server.retries_left <= 0) return fail(server, text, true, CopyError::read);
    while (!server.requested.empty()) {
      server.waiting.push_front(server.requested.back());
      server.requested.pop_back();
    }
    if (was_stale) return send_requests(server, true);
    const bool is_first = server.retries_left-- == settings_.retries;
    retry_after(server, is_first ? 0 : settings_.retry_wait_ms);
    return true;
  }
  /// No request has been sent.
  bool on_handshake_failed(Server& server, const std::string& text) {
    if (server.retries_left <= 0) return fail(server, text, true, CopyError::connect);
    --server.retries_left;
    retry_after(server, settings_.retry_wait_ms);
    return true;
  }
  static void retry_after(Server& server, std::int64_t wait_ms) {
    server.retry_at = std::chrono::steady_clock::now() + std::chrono::milliseconds{wait_ms};
  }

  /// Polls once and receives data for which there is space.
  bool poll_once() {
    if (!admit_waiting()) return false;
    std::vector<pollfd> polled;
    bool has_more = false;
    for (auto& server : active_) {
      const bool is_idle = server.waits_for_room() || server.retry_at;
      polled.push_back({is_idle ? -1 : server.stream->descriptor(), POLLIN, 0});
      has_more |= !is_idle && server.has_more;
    }
    polled.push_back({stop_, POLLIN, 0});
    const int ready = ::poll(polled.data(), polled.size(), has_more ? 0 : wait_ms());
    if (ready < 0 && errno != EINTR) return fail(active_.front(), std::string{"poll: "} + std::strerror(errno), false);
    if (ready > 0 && polled.back().revents != 0) return fail(active_.front(), "the fetch was stopped", false);
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const bool is_wanted = polled[i].fd >= 0 && (polled[i].revents != 0 || active_[i].has_more);
      if (is_wanted && !receive(active_[i])) return false;
    }
    if (!look_at_times()) return false;
    std::deque<Server> still;
    for (auto& server : active_) {
      if (server.stream || server.retry_at) still.push_back(std::move(server));
    }
    active_ = std::move(still);
    return true;
  }

  [[nodiscard]] Time due_of(const Server& server) const {
    if (server.retry_at) return *server.retry_at;
    return server.waits_for_room() ? Time::max() : server.moved + std::chrono::milliseconds{settings_.read_timeout_ms};
  }
  [[nodiscard]] int wait_ms() const {
    Time due = Time::max();
    for (const auto& server : active_) due = std::min(due, due_of(server));
    if (due == Time::max()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - std::chrono::steady_clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }
  bool look_at_times() {
    const auto now = std::chrono::steady_clock::now();
    for (auto& server : active_) {
      if ((!server.stream && !server.retry_at) || due_of(server) > now) continue;
      if (!server.retry_at) return fail(server, "the shuffle server is silent", true, CopyError::read);
      server.retry_at.reset();
      if (!send_requests(server, true)) return false;
    }
    return true;
  }

  /// Returns true if the segment is received into a file instead of memory.
  [[nodiscard]] bool is_long(const Server& server) const {
    return !settings_.scratch_directory.empty() && server.segment.length > settings_.bytes_in_flight_max;
  }
  [[nodiscard]] std::int64_t room_of(const Server& server) const {
    return is_long(server) ? static_cast<std::int64_t>(file_piece_bytes) : server.segment.length;
  }
  bool admit(Server& server) {
    const bool fits = in_flight_ == 0 || in_flight_ + room_of(server) <= settings_.bytes_in_flight_max;
    if (!fits) return true;
    if (is_long(server)) {
      static std::atomic<std::uint64_t> next{0};
      std::error_code ignored;
      std::filesystem::create_directories(settings_.scratch_directory, ignored);
      auto file = FileHandle::create_new(settings_.scratch_directory + "/fetched-" + std::to_string(::getpid()) + "-" +
                                         std::to_string(next.fetch_add(1)));
      if (!file) return fail(server, file.error().text, false);
      server.file.emplace(std::move(*file));
    }
    server.is_admitted = true;
    in_flight_ += room_of(server);
    server.body.resize(static_cast<std::size_t>(room_of(server)));
    server.received = 0;
    server.moved = std::chrono::steady_clock::now();
    return true;
  }

  /// In the order in which they began to wait: a server closes a connection that waits for long.
  bool admit_waiting() {
    while (true) {
      Server* first = nullptr;
      for (auto& server : active_)
        if (server.waits_for_room() && (first == nullptr || server.turn < first->turn)) first = &server;
      if (first == nullptr) return true;
      if (!admit(*first)) return false;
      if (first->waits_for_room()) return true;
    }
  }

  bool receive(Server& server) {
    constexpr std::size_t turn_bytes = 8 << 20;
    server.has_more = true;
    for (std::size_t got_in_turn = 0; got_in_turn < turn_bytes && server.stream;) {
      if (server.waits_for_room()) return true;
      char head[shuffle_response_header_bytes];
      void* into = head;
      std::size_t wanted = sizeof head - server.head.size();
      if (server.is_in_body) {
        const auto left = static_cast<std::size_t>(server.segment.length - server.received);
        into = server.body.data() + (server.file ? 0 : server.received);
        wanted = server.file ? std::min(left, server.body.size()) : left;
      }
      std::size_t got = 0;
      const auto received = server.stream->read(into, wanted, got);
      if (received == ports::Transfer::closed)
        return on_connection_lost(server, "the shuffle server closed the connection");
      if (received == ports::Transfer::blocked) {
        server.has_more = false;
        return true;
      }
      got_in_turn += got;
      server.moved = std::chrono::steady_clock::now();
      server.is_reused = false;
      if (server.is_in_body) {
        if (!handle_body(server, got)) return false;
      } else {
        server.head.append(head, got);
        if (server.head.size() == sizeof head && !handle_header(server)) return false;
      }
    }
    return true;
  }

  bool handle_header(Server& server) {
    if (!read_response_header(server.head, server.segment) || server.segment.map != server.requested.front() ||
        server.segment.length > segment_bytes_max) {
      return fail(server, "the shuffle server sent an unexpected response");
    }
    server.head.clear();
    if (!server.segment.is_present) return fail(server, "the shuffle server does not have the map output");
    const bool has_waiting =
        std::any_of(active_.begin(), active_.end(), [](const Server& each) { return each.waits_for_room(); });
    server.is_in_body = true;
    server.is_admitted = false;
    server.turn = ++turns_;
    if (server.segment.length == 0) return deliver(server);
    return has_waiting || admit(server);
  }

  bool handle_body(Server& server, std::size_t got) {
    if (server.file) {
      if (auto put = server.file->write(reinterpret_cast<const char*>(server.body.data()), got); !put)
        return fail(server, put.error().text, false);
    }
    server.received += static_cast<std::int64_t>(got);
    return server.received < server.segment.length || deliver(server);
  }

  bool deliver(Server& server) {
    ports::FetchedSegment segment;
    segment.map = server.segment.map;
    segment.length = server.segment.length;
    if (server.file) {
      segment.path = server.file->path();
      segment.is_owned = true;
      if (auto closed = server.file->close(); !closed) return fail(server, closed.error().text, false);
      server.file.reset();
    } else {
      segment.bytes = std::move(server.body);
    }
    if (server.is_admitted) in_flight_ -= room_of(server);
    server.body = {};
    server.is_in_body = server.is_admitted = false;
    server.requested.pop_front();
    server.retries_left = settings_.retries;
    if (!on_segment_(std::move(segment))) return false;
    if (!server.requested.empty()) return true;
    if (!server.waiting.empty()) return send_requests(server, false);
    connections_.release(server.location->address, std::move(server.stream));
    return true;
  }

  const ShuffleClientSettings& settings_;
  ShuffleConnections& connections_;
  std::int32_t partition_;
  int stop_;  // readable: the caller cancelled the fetch
  const OnSegment& on_segment_;
  ports::FetchFailure& failure_;
  std::deque<Server> active_;
  std::int64_t in_flight_ = 0;
  std::int64_t turns_ = 0;
};

/// Returns the segment as a range of a local file.
Result<ports::FetchedSegment> find_local(const MapOutputLocation& location, ShuffleId shuffle, std::int32_t map,
                                         std::int32_t partition) {
  const auto index = read_shuffle_index(location.directory, shuffle, map);
  if (!index) return index.error();
  if (partition >= index->partitions()) return Error{Errc::corrupt, "the map output has fewer partitions"};
  ports::FetchedSegment segment;
  segment.map = map;
  segment.path = index->data_path;
  segment.offset = index->offsets[static_cast<std::size_t>(partition)];
  segment.length = index->length(partition);
  return segment;
}

/// Another node can have the same paths with outputs of other attempts, so paths do not identify a node.
bool is_own_node(const ShuffleClientSettings& settings, const MapOutputLocation& location) {
  if (location.address.empty()) return true;  // local mode, without servers
  return settings.use_local_files && !location.node.is_none() && location.node == settings.node &&
         location.epoch == settings.node_epoch;
}

}  // namespace

ShuffleClient::ShuffleClient(ShuffleClientSettings settings)
    : settings_{std::move(settings)},
      connections_{std::make_unique<ShuffleConnections>(shuffle_key(settings_.application, settings_.token))} {}

ShuffleClient::~ShuffleClient() = default;

bool ShuffleClient::fetch(const ports::FetchRequest& request,
                          const std::function<bool(ports::FetchedSegment)>& on_segment, ports::FetchFailure& failure) {
  const auto& locations = request.locations;
  std::map<std::pair<std::int32_t, std::int32_t>, Server> by_source;  // by location and attempt
  for (std::size_t i = 0; i < locations.place_of_map.size(); ++i) {
    const auto map = static_cast<std::int32_t>(i);
    const std::int32_t number = locations.place_of_map[i];
    if (number == ports::ShuffleLocations::not_wanted || number == ports::ShuffleLocations::expected) continue;
    if (number < 0) {
      failure = {
          map,
          {},
          "no location of map " + std::to_string(map) + " of shuffle " + to_string(locations.shuffle) + " is known",
          true};
      return false;
    }
    const auto& location = locations.places[static_cast<std::size_t>(number)];
    const std::int32_t attempt = locations.attempt_of(i);
    const ShuffleId stored_shuffle{locations.shuffle.value + settings_.first_shuffle + attempt};
    Result<ports::FetchedSegment> local = Error{Errc::not_found, "the location has no server address"};
    if (is_own_node(settings_, location) && !location.directory.empty())
      local = find_local(location, stored_shuffle, map, request.partition);
    if (local) {
      if (!on_segment(std::move(local).value())) return false;
    } else if (location.address.empty()) {
      failure = {map, location, local.error().text, local.error().code != Errc::io};
      return false;
    } else {
      auto& server = by_source[{number, attempt}];
      server.location = &location;
      server.shuffle = stored_shuffle;
      server.waiting.push_back(map);
    }
  }
  std::deque<Server> servers;
  for (auto& [source, server] : by_source) servers.push_back(std::move(server));
  if (settings_.order_seed) {
    RandomStream random{*settings_.order_seed + static_cast<std::uint64_t>(request.partition)};
    random.shuffle(servers);
  }
  return Fetch{settings_, *connections_, request, on_segment, failure}.run(std::move(servers));
}

}  // namespace heddle::work
