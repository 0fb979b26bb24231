// Answers of a NameNode in safe mode: no file exists, and nothing can be changed.
#pragma once

#include "interop/hadoop/proto/hdfs.pb.h"
#include "tests/support/fake_rpc_server.hpp"

namespace heddle::tests {

inline FakeAnswer in_safe_mode(const FakeCall& call) {
  if (call.method == "getFileInfo") return answer_of(interop::proto::GetFileInfoResponse{});
  return exception_of("org.apache.hadoop.hdfs.server.namenode.SafeModeException", "Name node is in safe mode.");
}

}  // namespace heddle::tests
