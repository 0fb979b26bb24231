# heddle_protobuf(target folder): a library of all .proto files in the folder. Their headers are included as
# "<folder>/<name>.pb.h". All files are compiled as one.
function(heddle_protobuf target folder)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})
  file(GLOB definitions CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.proto)
  foreach(definition IN LISTS definitions)
    get_filename_component(name ${definition} NAME_WE)
    list(APPEND sources ${generated}/${folder}/${name}.pb.cc)
    list(APPEND headers ${generated}/${folder}/${name}.pb.h)
  endforeach()
  add_custom_command(OUTPUT ${sources} ${headers}
    COMMAND protobuf::protoc --cpp_out=${generated} --proto_path=${CMAKE_SOURCE_DIR} ${definitions}
    DEPENDS ${definitions} VERBATIM)
  add_library(${target} STATIC ${sources})
  target_compile_options(${target} PRIVATE -w $<$<NOT:$<CONFIG:Debug>>:-O1>)
  if(HEDDLE_SANITIZE)  # not our code
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
  endif()
  # SYSTEM: generated headers do not follow our warnings.
  target_include_directories(${target} SYSTEM PUBLIC ${generated})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf-lite)
endfunction()
