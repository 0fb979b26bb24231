// A token of Hadoop: proves to a service who its holder is. Identifier and password are opaque bytes.
#pragma once

#include <string>

namespace heddle::interop {

struct CredentialToken {
  std::string identifier;
  std::string password;
  std::string kind;     // "YARN_AM_RM_TOKEN", "NMToken", "ContainerToken"
  std::string service;  // "ip:port", or empty
  bool operator==(const CredentialToken&) const = default;
};

}  // namespace heddle::interop
