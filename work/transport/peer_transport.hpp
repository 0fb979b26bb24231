// Connections between the actor systems of heddle's processes: connects, accepts and handshakes on a thread of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ports/secure_transport.hpp"
#include "ports/transport_key.hpp"
#include "work/transport/tls_context.hpp"

namespace heddle::work {

struct PeerTransportSettings {
  ports::TransportKey key;
  ports::PeerHello hello;                  // of this process
  std::string bind_address = "127.0.0.1";  // listens there
  std::string advertised_host;             // for other processes; empty: bind_address
  std::uint16_t first_port = 0;            // of the ports that it may listen on; 0: any
  std::uint16_t ports = 1;                 // number of these ports
  std::int64_t handshake_timeout_ms = 3'000;
  std::int32_t handshakes_max = 256;
};

class PeerTransport final : public ports::SecureTransport {
public:
  [[nodiscard]] static Result<std::unique_ptr<PeerTransport>> start(PeerTransportSettings settings);
  /// Calls stop().
  ~PeerTransport() override;

  void connect(const std::string& address, OnConnected on_connected) override;
  [[nodiscard]] Result<ports::ListeningPort> listen(std::uint16_t wanted, bool is_reusable,
                                                    OnAccepted on_accepted) override;
  void stop() override;

private:
  class Service;
  explicit PeerTransport(std::unique_ptr<Service> service);
  std::unique_ptr<Service> service_;
};

}  // namespace heddle::work
