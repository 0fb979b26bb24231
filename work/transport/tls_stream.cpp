// A BIO of our own sends with MSG_NOSIGNAL: a write to a closed connection must not raise SIGPIPE.
#include "work/transport/tls_stream.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace heddle::work {

struct TlsStream::State {
  TlsContext context;  // outlives the SSL object, whose callbacks use it
  int socket = -1;
  bool owns_socket = true;
  SSL* tls = nullptr;
  std::string key;
  std::string error;

  explicit State(TlsContext of) : context{std::move(of)} {}
};

namespace {

/// What the BIO needs of the state.
template <class State>
State& state_of(BIO* bio) {
  return *static_cast<State*>(BIO_get_data(bio));
}

bool would_block(int reason) { return reason == EAGAIN || reason == EWOULDBLOCK || reason == EINTR; }

template <class State>
int write_socket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t put = ::send(state_of<State>(bio).socket, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (put < 0 && would_block(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(put);
}

template <class State>
int read_socket(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(state_of<State>(bio).socket, bytes, static_cast<std::size_t>(size), 0);
  if (got < 0 && would_block(errno)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long control_socket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

template <class State>
BIO_METHOD* socket_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "heddle socket");
    BIO_meth_set_write(made, write_socket<State>);
    BIO_meth_set_read(made, read_socket<State>);
    BIO_meth_set_ctrl(made, control_socket);
    return made;
  }();
  return method;
}

std::string last_error(int tls_error) {
  const auto code = ERR_get_error();
  ERR_clear_error();
  if (code != 0) {
    const char* reason = ERR_reason_error_string(code);
    return reason != nullptr ? reason : "unknown TLS error";
  }
  if (tls_error == SSL_ERROR_ZERO_RETURN || errno == 0) return "the peer closed the connection";
  return std::strerror(errno);
}

int clamped(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max())); }

}  // namespace

TlsStream::TlsStream(TlsContext context, int socket) : state_{std::make_unique<State>(std::move(context))} {
  state_->socket = socket;
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  state_->tls = SSL_new(state_->context.get());
  BIO* bio = BIO_new(socket_method<State>());
  if (state_->tls == nullptr || bio == nullptr) {
    BIO_free(bio);
    state_->error = "no memory for a TLS connection";
    return;
  }
  BIO_set_data(bio, state_.get());
  BIO_set_init(bio, 1);
  SSL_set_bio(state_->tls, bio, bio);
  SSL_set_app_data(state_->tls, state_.get());
  if (state_->context.is_server()) SSL_set_accept_state(state_->tls);
  else SSL_set_connect_state(state_->tls);
}

TlsStream::~TlsStream() {
  SSL_free(state_->tls);
  if (state_->owns_socket) ::close(state_->socket);
}

TlsStream::Handshake TlsStream::shake_hands() {
  if (!state_->error.empty()) return Handshake::failed;
  ERR_clear_error();
  errno = 0;
  const int result = SSL_do_handshake(state_->tls);
  if (result == 1) {
    // Without the key nothing is proven, whatever else the handshake used.
    if (SSL_session_reused(state_->tls) == 1) return Handshake::done;
    state_->error = "the peer does not know the key";
    return Handshake::failed;
  }
  const int reason = SSL_get_error(state_->tls, result);
  if (reason == SSL_ERROR_WANT_READ) return Handshake::wants_read;
  if (reason == SSL_ERROR_WANT_WRITE) return Handshake::wants_write;
  state_->error = last_error(reason);
  return Handshake::failed;
}

const std::string& TlsStream::key() const { return state_->key; }
const std::string& TlsStream::error() const { return state_->error; }
int TlsStream::descriptor() const { return state_->socket; }

ports::Transfer TlsStream::read(void* into, std::size_t size, std::size_t& got) {
  got = 0;
  if (size == 0) return ports::Transfer::done;
  ERR_clear_error();
  errno = 0;
  const int result = SSL_read(state_->tls, into, clamped(size));
  if (result > 0) {
    got = static_cast<std::size_t>(result);
    return ports::Transfer::done;
  }
  const int reason = SSL_get_error(state_->tls, result);
  if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE) return ports::Transfer::blocked;
  state_->error = last_error(reason);
  return ports::Transfer::closed;
}

ports::Transfer TlsStream::write(const void* from, std::size_t size, std::size_t& put) {
  put = 0;
  const auto* bytes = static_cast<const char*>(from);
  while (put < size) {
    ERR_clear_error();
    errno = 0;
    const int result = SSL_write(state_->tls, bytes + put, clamped(size - put));
    if (result > 0) {
      put += static_cast<std::size_t>(result);
      continue;
    }
    const int reason = SSL_get_error(state_->tls, result);
    if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE)
      return put > 0 ? ports::Transfer::done : ports::Transfer::blocked;
    state_->error = last_error(reason);
    return ports::Transfer::closed;
  }
  return ports::Transfer::done;
}

bool TlsStream::has_buffered() const { return SSL_has_pending(state_->tls) == 1; }

int TlsStream::release_descriptor() {
  state_->owns_socket = false;
  return state_->socket;
}

void TlsStream::own_descriptor() { state_->owns_socket = true; }

void TlsStream::set_key(ssl_st* tls, std::string key) {
  static_cast<State*>(SSL_get_app_data(tls))->key = std::move(key);
}

}  // namespace heddle::work
