# cmake --install: installs the program, the library, its headers, and the package files of find_package(heddle).
include(CMakePackageConfigHelpers)
set(heddle_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS heddle_library EXPORT heddle LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(CODE "set(HEDDLE_SOURCE \"${CMAKE_SOURCE_DIR}\")\nset(HEDDLE_INCLUDE \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT ${CMAKE_SOURCE_DIR}/cmake/install_headers.cmake)
install(EXPORT heddle FILE heddle-targets.cmake NAMESPACE heddle:: DESTINATION ${heddle_package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/heddle-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/heddle-config.cmake ${CMAKE_SOURCE_DIR}/cmake/FindCAF.cmake
  ${CMAKE_BINARY_DIR}/heddle-config-version.cmake DESTINATION ${heddle_package_folder})
