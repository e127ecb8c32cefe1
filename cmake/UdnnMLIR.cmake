# Finds Debian's MLIR/LLVM 22 and declares how libraries and tools link to it:
# always through the shared libMLIR and libLLVM, never through their archives.

find_program(LLVM_EXTERNAL_LIT_TOOL lit PATHS /usr/lib/llvm-22/bin NO_DEFAULT_PATH REQUIRED)
set(LLVM_EXTERNAL_LIT ${LLVM_EXTERNAL_LIT_TOOL})
find_package(MLIR 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22 NO_DEFAULT_PATH)
set(MLIR_LINK_MLIR_DYLIB ON)
set(LLVM_LINK_LLVM_DYLIB ON)
set(MLIR_BINARY_DIR ${CMAKE_BINARY_DIR})
set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)
# It keeps how archives are made in the cache, which counts from the second configuration on only: all
# libraries would be made once more.
foreach(language C CXX)
  foreach(step CREATE FINISH)
    set(CMAKE_${language}_ARCHIVE_${step} $CACHE{CMAKE_${language}_ARCHIVE_${step}})
  endforeach()
endforeach()
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

add_library(UdnnMLIRFlags INTERFACE)
target_link_libraries(UdnnMLIRFlags INTERFACE UdnnFlags
  ${MLIR_INSTALL_PREFIX}/lib/libMLIR.so ${MLIR_INSTALL_PREFIX}/lib/libLLVM.so)

# udnn_add_mlir_library(NAME SOURCES... [LINK libs...] [DEPENDS targets...])
function(udnn_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC UdnnMLIRFlags ${ARG_LINK})
  if(UDNN_SANITIZE)
    # Such a build is made rarely and whole: MLIR's headers, the larger part of the work, are
    # compiled once for several files.
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# udnn_add_mlir_tool(NAME SOURCES... [LINK libs...])
function(udnn_add_mlir_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE UdnnMLIRFlags ${ARG_LINK})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# udnn_add_doc(OUTPUT SOURCE ARGUMENTS...): the target udnn-doc writes <build>/docs/<OUTPUT>.md from
# <SOURCE>.td in the current folder.
add_custom_target(udnn-doc)
function(udnn_add_doc output source)
  set(LLVM_TARGET_DEFINITIONS ${source}.td)
  tablegen(MLIR ${output}.md ${ARGN})
  set(file ${CMAKE_BINARY_DIR}/docs/${output}.md)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/${output}.md ${file}
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output}.md)
  add_custom_target(udnn-doc-${output} DEPENDS ${file})
  add_dependencies(udnn-doc udnn-doc-${output})
endfunction()

# udnn_add_passes(STAGE): generates <STAGE>.h.inc from <STAGE>.td in the current folder, and the
# reference of its passes.
function(udnn_add_passes stage)
  set(LLVM_TARGET_DEFINITIONS ${stage}.td)
  mlir_tablegen(${stage}.h.inc -gen-pass-decls -name ${stage})
  add_public_tablegen_target(Udnn${stage}PassesIncGen)
  string(TOLOWER ${stage} name)
  udnn_add_doc(passes-${name} ${stage} -gen-pass-doc)
endfunction()
