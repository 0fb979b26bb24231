#include "apps/roles/role_runtime.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <stdexcept>
#include <utility>

#include "apps/roles/session_files.hpp"
#include "config/table/derived_settings.hpp"
#include "messages/protocol.hpp"
#include "messages/registration.hpp"
#include "ports/standard_error.hpp"
#include "runtime/net/peer_connector.hpp"
#include "runtime/system_settings.hpp"
#include "work/transport/peer_transport.hpp"

namespace heddle::apps {
namespace {

caf::actor_system_config& prepared(caf::actor_system_config& config, const config::Settings& settings) {
  register_messages(config);
  runtime::apply(config, network_settings(settings));
  return config;
}

/// Frames up to Spark's maximum of a message pass, and what heddle adds to it.
std::uint32_t frame_bytes_max(const config::Settings& settings) {
  constexpr std::int64_t least = 16 << 20;
  constexpr std::int64_t most = std::int64_t{2} << 30;
  const auto message = settings.driver().message_bytes_max;
  return static_cast<std::uint32_t>(message == 0 ? most : std::min(message + least, most));
}

/// With less address space a process can start, but each of its connections fails when it needs memory or a thread, and
/// its peers try again for minutes.
void require_address_space() {
  constexpr std::size_t needed = 32 << 20;
  void* const space = ::mmap(nullptr, needed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) throw NoNetwork{"no address space for connections"};
  ::munmap(space, needed);
}

std::unique_ptr<runtime::PeerNetwork> make_network(caf::actor_system& system, const config::Settings& settings,
                                                   const NetworkPlace& place) {
  const auto identity = runtime::identity_of(system);
  if (!identity) throw std::runtime_error{"the actor system has no identity of heddle: call heddle::configure first"};
  work::PeerTransportSettings made;
  made.key = place.key;
  made.hello = {protocol_number, place.key.name, place.role, identity->high, identity->low};
  if (place.has_driver) {
    const auto network = settings.network();
    if (!network.driver_bind_address.empty()) made.bind_address = network.driver_bind_address;
    made.advertised_host = network.driver_host;
    if (!place.host.empty()) made.bind_address = made.advertised_host = place.host;
    made.first_port = static_cast<std::uint16_t>(network.driver_port);
    made.ports = static_cast<std::uint16_t>(network.driver_port_retries + 1);
  }
  auto transport = work::PeerTransport::start(std::move(made));
  if (!transport) throw NoNetwork{transport.error().text};
  require_address_space();
  return std::make_unique<runtime::PeerNetwork>(system, std::move(*transport),
                                                runtime::PeerNetworkSettings{*identity, frame_bytes_max(settings)});
}

}  // namespace

NetworkPlace network_place(const LaunchSpec& spec, bool has_driver) {
  return {{spec.cluster, spec.cluster_secret}, std::string{role_name(spec)}, has_driver};
}

runtime::SystemSettings network_settings(const config::Settings& settings) {
  runtime::SystemSettings system;
  system.has_network = true;
  system.scheduler_threads = 1;  // handlers of roles are short: a second thread only adds wake-ups
  system.identity_high = random_bits();
  system.identity_low = random_bits();
  system.connection_timeout = config::connection_silence(settings);
  return system;
}

void ExitLatch::set(int exit_code) {
  {
    const std::lock_guard lock{mutex_};
    if (is_finished_) return;
    is_finished_ = true;
    exit_code_ = exit_code;
  }
  is_set_.notify_all();
}

int ExitLatch::wait() {
  std::unique_lock lock{mutex_};
  is_set_.wait(lock, [this] { return is_finished_; });
  return exit_code_;
}

RoleRuntime::RoleRuntime(config::Settings settings, std::unique_ptr<ports::EventSink> events, const NetworkPlace& place,
                         caf::actor_system* of_others)
    : settings_{std::move(settings)},
      events_{std::move(events)},
      own_{of_others == nullptr ? std::make_unique<caf::actor_system>(prepared(config_, settings_)) : nullptr},
      system_{own_ ? *own_ : *of_others},
      network_{make_network(system_, settings_, place)},
      own_connector_{runtime::spawn_peer_connector(
          system_, network_->dialler(), to_milliseconds(settings_.network().retry_wait), RandomStream{random_bits()})},
      connector_{own_connector_} {}

void RoleRuntime::stop_connecting() {
  for (const auto& connector : {connector_, own_connector_})
    caf::anon_send_exit(caf::actor_cast<caf::actor>(connector), caf::exit_reason::user_shutdown);
}

std::string RoleRuntime::address_or_empty(const Result<std::string>& address) {
  if (address) return *address;
  ports::write_error_line(address.error().text);
  return {};
}

void RoleRuntime::close_log() {
  events_->close();
  if (const auto why = events_->error(); !why.empty())
    fmt::print(stderr, "heddle: the event log is incomplete: {}\n", why);
}

runtime::ActorTools RoleRuntime::tools() {
  return {&clock_,       events_.get(), RandomStream{random_bits()}, connector_, settings_.debug().check_invariants,
          network_.get()};
}

void RoleRuntime::end_with(const caf::actor& actor, ExitLatch& end, int exit_code) {
  actor->attach_functor([&end, exit_code] { end.set(exit_code); });
}

}  // namespace heddle::apps
