# Compile flags shared by every target, and the two functions that declare them.

add_library(UdnnFlags INTERFACE)
target_include_directories(UdnnFlags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
target_compile_options(UdnnFlags INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(UDNN_WERROR)
  target_compile_options(UdnnFlags INTERFACE -Werror)
endif()
if(UDNN_SANITIZE)
  # LLVM_USE_SANITIZER would give only the address sanitizer; vptr needs RTTI of LLVM's classes.
  set(UDNN_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize=vptr
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # GCC takes variables for uninitialized where a sanitizer's checks stand in the way.
  target_compile_options(UdnnFlags INTERFACE ${UDNN_SANITIZE_FLAGS} -Wno-maybe-uninitialized)
  target_link_options(UdnnFlags INTERFACE ${UDNN_SANITIZE_FLAGS})
endif()

# udnn_add_library(NAME SOURCES... [LINK libs...]): a static library without MLIR.
function(udnn_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC UdnnFlags ${ARG_LINK})
endfunction()

# udnn_add_tool(NAME SOURCES... [LINK libs...]): an executable without MLIR.
function(udnn_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE UdnnFlags ${ARG_LINK})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
