// Encrypted and authenticated connections between processes of heddle. Both ends prove that they know the secret of a
// key; the secret is never sent. work/transport implements this with TLS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "model/result.hpp"

namespace heddle::ports {

/// What a process says about itself after the handshake. The processes of a key trust each other's words.
struct PeerHello {
  std::uint32_t protocol = 0;          // number of the message layouts; both ends must have the same
  std::string cluster;                 // both ends must name the same
  std::string role;                    // "node-manager"
  std::uint64_t incarnation_high = 0;  // random bits, new for each process; its CAF node id is made of them
  std::uint64_t incarnation_low = 0;
  bool operator==(const PeerHello&) const = default;
};

/// The other end of a connection. `key` is proven: it is the name of the key of the handshake.
struct Peer {
  std::string key;
  PeerHello hello;
};

enum class Transfer : std::uint8_t { done, blocked, closed };

/// Decrypted bytes of a connection. Not thread-safe; never blocks.
class SecureStream {
public:
  SecureStream() = default;
  virtual ~SecureStream() = default;
  SecureStream(const SecureStream&) = delete;
  SecureStream& operator=(const SecureStream&) = delete;

  /// Reads up to `size` bytes. blocked: wait until the descriptor is readable.
  [[nodiscard]] virtual Transfer read(void* into, std::size_t size, std::size_t& got) = 0;
  /// Writes up to `size` bytes. blocked: wait until the descriptor is writable, then pass the same bytes again.
  [[nodiscard]] virtual Transfer write(const void* from, std::size_t size, std::size_t& put) = 0;
  /// True if bytes are here already, which waiting for the descriptor does not show.
  [[nodiscard]] virtual bool has_buffered() const = 0;
  /// The destructor closes the descriptor, unless it was released: its new owner closes it after the stream.
  [[nodiscard]] virtual int release_descriptor() = 0;
};

struct SecureConnection {
  std::unique_ptr<SecureStream> stream;
  Peer peer;
};

/// A port on which a transport listens.
struct ListeningPort {
  int descriptor = -1;  // owned by the transport
  std::uint16_t port = 0;
  std::string address;  // for other processes: host:port
};

class SecureTransport {
public:
  using OnConnected = std::function<void(Result<SecureConnection>)>;
  using OnAccepted = std::function<void(SecureConnection)>;

  SecureTransport() = default;
  virtual ~SecureTransport() = default;
  SecureTransport(const SecureTransport&) = delete;
  SecureTransport& operator=(const SecureTransport&) = delete;

  /// Connects to "host:port" and calls `on_connected` once, on a thread of the transport.
  virtual void connect(const std::string& address, OnConnected on_connected) = 0;
  /// Opens a port; `wanted`: 0 for any port that the settings allow. `is_reusable`: a later process can have the port
  /// at once, as long as each process before it said so too. Calls `on_accepted` on a thread of the transport.
  [[nodiscard]] virtual Result<ListeningPort> listen(std::uint16_t wanted, bool is_reusable,
                                                     OnAccepted on_accepted) = 0;
  /// Closes the ports and ends the thread; no function is called after it. Connections that were handed out stay open.
  virtual void stop() = 0;
};

}  // namespace heddle::ports
