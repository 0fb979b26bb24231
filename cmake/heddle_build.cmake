# Compiler flags of all rooms.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(HEDDLE_WERROR "treat warnings as errors" ON)
set(HEDDLE_SANITIZE "" CACHE STRING "sanitizers to build with, such as address,undefined")

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "" FORCE)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(heddle_flags INTERFACE)
# -ffp-contract=off: a fused multiply-add would round differently on different machines, and so change decisions.
# -Wno-maybe-uninitialized: false warnings about the content of std::optional and std::variant (GCC bug 105562).
# -Wno-subobject-linkage: in a unity build g++ treats each .cpp file as a header, and warns of its local types.
# -Wno-restrict: g++ 12 reports an overlapping copy for an inlined "text" + string (GCC bug 105651).
target_compile_options(heddle_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
  $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)
# The default garbage collection of g++ is too frequent for present machines; these limits save 10 % of the compile
# time.
target_compile_options(heddle_flags INTERFACE
  "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-expand=200 --param ggc-min-heapsize=4000000>")
# Rooms are optimised, tests are not: optimising tests costs compile time only. Files of tests share names in a unity
# build.
add_library(heddle_test_flags INTERFACE)
target_compile_options(heddle_test_flags INTERFACE -Wno-shadow $<$<NOT:$<CONFIG:Debug>>:-O0>)
option(HEDDLE_FUZZ "build tests/fuzz as libFuzzer programs (clang)" OFF)
if(HEDDLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
  if(NOT HEDDLE_FUZZ)
    # Of what these four find, AddressSanitizer finds the access to null, to objects that have ended and past their end. They take
    # 40 % of the compile time of a room; the fuzz programs, which parse external bytes, keep them.
    add_compile_options(-fno-sanitize=null,alignment,vptr,object-size)
  endif()
endif()

# Unity build: batches of .cpp files of a room are compiled together. Headers of CAF and of the standard library take
# most of the compile time and are read once per batch. `-DHEDDLE_UNITY=OFF` compiles each file on its own.
option(HEDDLE_UNITY "compile the files of a room in batches" ON)
set(CMAKE_UNITY_BUILD ${HEDDLE_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
if(HEDDLE_SANITIZE)  # built whole, seldom after a change
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
endif()

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE)
  # What ccache needs to serve files that start from precompiled headers. CCACHE_DEPEND: it asks the compiler for the
  # headers of a file instead of preprocessing it first.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros
    ${HEDDLE_CCACHE})
  add_compile_options("$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
find_program(HEDDLE_MOLD mold)
if(HEDDLE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
