// Thread of the sockets and timers of RpcClients. All callbacks of these clients run on it, so they must not block.
#pragma once

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace heddle::interop {

class RpcThread {
public:
  RpcThread();
  /// Waits until all callbacks have run. Precondition: the clients of this thread have been destroyed.
  ~RpcThread();
  RpcThread(const RpcThread&) = delete;
  RpcThread& operator=(const RpcThread&) = delete;

  /// Runs the function on the thread. May be called from any thread.
  void post(std::function<void()> function);
  [[nodiscard]] bool is_current() const;
  [[nodiscard]] boost::asio::io_context& context();

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::interop
