#include "interop/hadoop/rpc_fault.hpp"

#include <fmt/format.h>

namespace heddle::interop {

bool RpcFault::is(std::string_view simple_class) const {
  if (!java_class.ends_with(simple_class)) return false;
  return java_class.size() == simple_class.size() || java_class[java_class.size() - simple_class.size() - 1] == '.';
}

const char* to_string(RpcFault::Kind kind) {
  switch (kind) {
    case RpcFault::Kind::unreachable: return "unreachable";
    case RpcFault::Kind::unknown_host: return "unknown_host";
    case RpcFault::Kind::refused: return "refused";
    case RpcFault::Kind::timed_out: return "timed_out";
    case RpcFault::Kind::connection_lost: return "connection_lost";
    case RpcFault::Kind::remote_exception: return "remote_exception";
    case RpcFault::Kind::protocol: return "protocol";
    case RpcFault::Kind::cancelled: return "cancelled";
  }
  return "unknown";
}

std::string describe(const RpcFault& fault, std::string_view service) {
  const std::string simple_class = fault.java_class.substr(fault.java_class.rfind('.') + 1);
  const std::string reason = simple_class.empty() ? fault.text : fmt::format("{}: {}", simple_class, fault.text);
  switch (fault.kind) {
    case RpcFault::Kind::unreachable:
    case RpcFault::Kind::unknown_host:
      return fmt::format("cannot reach the {} at {}: {}; check the address and that the service runs", service,
                         fault.address, reason);
    case RpcFault::Kind::refused:
      return fmt::format("the {} at {} refused the connection: {}", service, fault.address, reason);
    case RpcFault::Kind::timed_out:
      return fmt::format("the {} at {} did not answer in time: {}", service, fault.address, reason);
    case RpcFault::Kind::connection_lost:
      return fmt::format("the connection to the {} at {} ended: {}", service, fault.address, reason);
    case RpcFault::Kind::remote_exception:
      return fmt::format("the {} at {} answered with {}", service, fault.address, reason);
    case RpcFault::Kind::protocol:
      return fmt::format("{} is no {}: {}; check the port", fault.address, service, reason);
    case RpcFault::Kind::cancelled: return fmt::format("the call of the {} was cancelled", service);
  }
  return reason;
}

Error to_error(const RpcFault& fault, std::string_view service) {
  auto code = Errc::failed;
  switch (fault.kind) {
    case RpcFault::Kind::unreachable:
    case RpcFault::Kind::unknown_host:
    case RpcFault::Kind::connection_lost:
    case RpcFault::Kind::protocol: code = Errc::unreachable; break;
    case RpcFault::Kind::refused: code = Errc::refused; break;
    case RpcFault::Kind::timed_out: code = Errc::timed_out; break;
    case RpcFault::Kind::cancelled: code = Errc::cancelled; break;
    case RpcFault::Kind::remote_exception:
      if (fault.is("AccessControlException")) code = Errc::refused;
      if (fault.is("FileNotFoundException") || fault.is("ApplicationNotFoundException")) code = Errc::not_found;
      break;
  }
  return Error{code, describe(fault, service)};
}

}  // namespace heddle::interop
