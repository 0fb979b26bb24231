// What a ResourceManager reports about applications, their attempts and their containers. Names of states are Hadoop's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.hpp"

namespace heddle {

struct ApplicationReport {
  ApplicationId id;
  std::string name;
  std::string type;  // HEDDLE, MAPREDUCE, SPARK
  std::string user;
  std::string queue;
  std::string state;         // NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINISHED, FAILED, KILLED
  std::string final_status;  // UNDEFINED, SUCCEEDED, FAILED, KILLED, ENDED
  bool is_over = false;      // the state is a final one
  double progress = 0;       // 0 to 1
  std::int32_t priority = 0;
  std::vector<std::string> tags;
  std::int64_t submitted_ms = 0;  // Unix time; 0: unknown
  std::int64_t started_ms = 0;    // the master container was started; 0: not yet
  std::int64_t ended_ms = 0;      // 0: not yet
  std::string page;               // URL
  std::string driver;             // "host:port" that the master has registered; empty: none
  std::string diagnostics;
  bool is_collecting_logs = false;  // the NodeManagers move the logs of its containers to the file system
};

struct ApplicationAttemptReport {
  std::int32_t attempt = 0;
  std::string state;      // SCHEDULED, RUNNING, FAILED, …
  std::string container;  // of the master; empty: none yet
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
  std::string diagnostics;
};

struct ContainerReport {
  std::string name;  // "container_1700000000000_0007_01_000002"
  std::string host;
  std::string node_page;  // "http://host:8042" of its NodeManager; empty: unknown
  std::string state;      // NEW, RUNNING, COMPLETE
  std::string log;        // URL; empty: unknown
  std::int32_t exit_status = 0;
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
};

}  // namespace heddle
