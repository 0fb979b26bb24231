# Flags that every room is built with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(HEDDLE_WERROR "our own warnings are errors" ON)
set(HEDDLE_SANITIZE "" CACHE STRING "sanitizers to build with, such as address,undefined")

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "" FORCE)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(heddle_flags INTERFACE)
# -ffp-contract=off: a fused multiply-add would round decisions differently from machine to machine.
# -Wno-maybe-uninitialized: likewise false about what std::optional and std::variant hold (GCC bug 105562).
# -Wno-restrict: g++ 12 takes an inlined "text" + string for an overlapping copy (GCC bug 105651).
target_compile_options(heddle_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)
option(HEDDLE_FUZZ "build tests/fuzz as libFuzzer programs (clang)" OFF)
if(HEDDLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
endif()

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
endif()
find_program(HEDDLE_MOLD mold)
if(HEDDLE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
