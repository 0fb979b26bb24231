# Finds CAF and its components: CAF::core, CAF::io, CAF::openssl. Debian ships no CMake package files of CAF, so this
# module searches for headers and libraries.
find_path(CAF_INCLUDE_DIR caf/all.hpp)
if(CAF_INCLUDE_DIR)
  foreach(header IN ITEMS caf/config.hpp caf/detail/build_config.hpp)
    if(NOT CAF_VERSION AND EXISTS ${CAF_INCLUDE_DIR}/${header})
      file(STRINGS ${CAF_INCLUDE_DIR}/${header} line REGEX "#define CAF_VERSION [0-9]+")
      string(REGEX MATCH "[0-9]+" number "${line}")
      if(number)                      # 1706 is 0.17.6
        math(EXPR major "${number} / 10000")
        math(EXPR minor "${number} / 100 % 100")
        math(EXPR patch "${number} % 100")
        set(CAF_VERSION "${major}.${minor}.${patch}")
      endif()
    endif()
  endforeach()
endif()

find_package(Threads REQUIRED)
foreach(component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_LIBRARY_${component} NAMES caf_${component})
  if(CAF_LIBRARY_${component})
    set(CAF_${component}_FOUND TRUE)
    if(NOT TARGET CAF::${component})
      add_library(CAF::${component} UNKNOWN IMPORTED)
      set_target_properties(CAF::${component} PROPERTIES
        IMPORTED_LOCATION ${CAF_LIBRARY_${component}}
        INTERFACE_INCLUDE_DIRECTORIES ${CAF_INCLUDE_DIR}
        INTERFACE_LINK_LIBRARIES Threads::Threads)
    endif()
  endif()
endforeach()
if(TARGET CAF::io)
  set_property(TARGET CAF::io APPEND PROPERTY INTERFACE_LINK_LIBRARIES CAF::core)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_INCLUDE_DIR VERSION_VAR CAF_VERSION HANDLE_COMPONENTS)
