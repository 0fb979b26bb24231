#include "apps/roles/role_runtime.hpp"

#include <fmt/format.h>

#include "apps/roles/session_files.hpp"
#include "config/table/derived_settings.hpp"
#include "messages/registration.hpp"
#include "runtime/net/peer_connector.hpp"
#include "runtime/system_settings.hpp"

namespace heddle::apps {
namespace {

caf::actor_system_config& prepared(caf::actor_system_config& config, const config::Settings& settings) {
  register_messages(config);
  runtime::apply(config, network_settings(settings));
  return config;
}

}  // namespace

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

RoleRuntime::RoleRuntime(config::Settings settings, std::unique_ptr<ports::EventSink> events,
                         caf::actor_system* of_others)
    : settings_{std::move(settings)},
      events_{std::move(events)},
      own_{of_others == nullptr ? std::make_unique<caf::actor_system>(prepared(config_, settings_)) : nullptr},
      system_{own_ ? *own_ : *of_others},
      connector_{runtime::spawn_peer_connector(system_, to_milliseconds(settings_.network().retry_wait))} {}

void RoleRuntime::close_log() {
  events_->close();
  if (const auto why = events_->error(); !why.empty())
    fmt::print(stderr, "heddle: the event log is incomplete: {}\n", why);
}

runtime::ActorTools RoleRuntime::tools() {
  return {&clock_, events_.get(), RandomStream{random_bits()}, connector_, settings_.debug().check_invariants};
}

void RoleRuntime::end_with(const caf::actor& actor, ExitLatch& end, int exit_code) {
  actor->attach_functor([&end, exit_code] { end.set(exit_code); });
}

}  // namespace heddle::apps
