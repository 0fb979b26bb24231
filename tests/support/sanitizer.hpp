// HEDDLE_HAS_ASAN: 1 if this program is built with AddressSanitizer, by g++ or clang.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_HAS_ASAN 1
#endif
#endif
#if !defined(HEDDLE_HAS_ASAN)
#define HEDDLE_HAS_ASAN 0
#endif
