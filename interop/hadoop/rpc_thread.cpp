#include "interop/hadoop/rpc_thread.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <thread>

#include "model/assert.hpp"
#include "ports/standard_error.hpp"

namespace heddle::interop {

struct RpcThread::State {
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{io.get_executor()};
  std::thread thread;

  /// An exception, such as bad_alloc or a look-up that cannot start its thread, ends only its own callback.
  void run() {
    while (true) {
      try {
        io.run();
        return;
      } catch (const std::exception& fault) {
        ports::write_error_line("a callback of the Hadoop connections failed:");
        ports::write_error_line(fault.what());
      }
    }
  }
};

RpcThread::RpcThread() : state_{std::make_unique<State>()} {
  state_->thread = std::thread{[state = state_.get()] { state->run(); }};
}

RpcThread::~RpcThread() {
  HEDDLE_ASSERT(!is_current(), "a callback destroys its RpcThread");
  state_->guard.reset();
  state_->thread.join();
}

void RpcThread::post(std::function<void()> function) { boost::asio::post(state_->io, std::move(function)); }

bool RpcThread::is_current() const { return std::this_thread::get_id() == state_->thread.get_id(); }

boost::asio::io_context& RpcThread::context() { return state_->io; }

}  // namespace heddle::interop
