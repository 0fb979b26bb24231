// Makes each start of a thread fail, as if the limit of processes were reached.
#pragma once

#include <pthread.h>

#include <cstddef>

#include "model/assert.hpp"

namespace heddle::tests {

/// Threads of this process cannot start: no stack is as large as their default.
class NoThreads {
public:
  NoThreads() {
    pthread_attr_t huge;
    HEDDLE_ASSERT(::pthread_getattr_default_np(&before_) == 0 && ::pthread_getattr_default_np(&huge) == 0,
                  "no attributes of threads");
    HEDDLE_ASSERT(::pthread_attr_setstacksize(&huge, std::size_t{1} << 50U) == 0, "no such stack size");
    HEDDLE_ASSERT(::pthread_setattr_default_np(&huge) == 0, "no such attributes of threads");
    ::pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

private:
  pthread_attr_t before_{};
};

}  // namespace heddle::tests
