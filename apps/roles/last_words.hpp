// How a process of heddle ends where the system gives it no thread or no memory: with a sentence, not with an abort.
#pragma once

namespace heddle::apps {

/// From now on an uncaught std::system_error or std::bad_alloc is told on stderr, what this process started is killed,
/// its working folders are removed, and it ends with code 70. Everything else still aborts. For programs of heddle's
/// own.
/// `before_end`, if given, is called before it ends; it must not allocate.
void end_with_a_sentence(void (*before_end)() = nullptr);

}  // namespace heddle::apps
