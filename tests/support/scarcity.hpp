// Short of something, for as long as the object lives: what a machine in trouble looks like to this process.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace heddle::work {

/// No file grows beyond `bytes`: a write that would fails as on a full disk.
class FullDisk {
public:
  explicit FullDisk(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

private:
  rlimit before_{};
};

/// No descriptor is left but `spare`; those that are open stay.
class NoDescriptors {
public:
  explicit NoDescriptors(int spare = 0) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest = ::dup(0);
    rlimit small = before_;
    small.rlim_cur = static_cast<rlim_t>(lowest + spare);
    ::close(lowest);
    // The lowest free number is the first that is refused.
    ::setrlimit(RLIMIT_NOFILE, &small);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

private:
  rlimit before_{};
};

/// No address space is left but `spare` bytes. Not for programs with AddressSanitizer, which ends them then.
class NoAddresses {
public:
  explicit NoAddresses(rlim_t spare) {
    ::getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    rlimit small = before_;
    small.rlim_cur = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + spare;
    ::setrlimit(RLIMIT_AS, &small);
  }
  ~NoAddresses() { ::setrlimit(RLIMIT_AS, &before_); }
  NoAddresses(const NoAddresses&) = delete;
  NoAddresses& operator=(const NoAddresses&) = delete;

private:
  rlimit before_{};
};

}  // namespace heddle::work
