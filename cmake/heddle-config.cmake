# find_package(heddle) defines the target heddle::heddle. FindCAF.cmake in this folder finds CAF, which has no CMake
# package files.
include(CMakeFindDependencyMacro)
set(heddle_module_path "${CMAKE_MODULE_PATH}")
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
find_dependency(CAF 0.17.6 COMPONENTS core io)
set(CMAKE_MODULE_PATH "${heddle_module_path}")
include("${CMAKE_CURRENT_LIST_DIR}/heddle-targets.cmake")
