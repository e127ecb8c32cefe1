# Finds what the tests need and declares how tests are added: GoogleTest programs, Python scripts,
# and one test per folder of lit tests.

include(GoogleTest)
find_package(GTest REQUIRED)

# The Python of scripts/install.sh, else that of an activated environment, else any on PATH.
find_program(UDNN_PYTHON python3 DOC "Python that runs the tests"
  HINTS ${PROJECT_SOURCE_DIR}/.venv/bin ENV VIRTUAL_ENV PATH_SUFFIXES bin)
if(NOT UDNN_PYTHON)
  message(FATAL_ERROR "no Python found: run scripts/install.sh or set UDNN_PYTHON")
endif()
execute_process(COMMAND ${UDNN_PYTHON} -c "import numpy, onnx, onnxruntime"
  RESULT_VARIABLE UDNN_PYTHON_RESULT OUTPUT_QUIET ERROR_QUIET)
if(NOT UDNN_PYTHON_RESULT EQUAL 0)
  message(WARNING "${UDNN_PYTHON} lacks numpy, onnx or onnxruntime: tests that need them are left "
    "out; run scripts/install.sh")
endif()

# udnn_add_unit_test(NAME SOURCES... [LINK libs...] [LIBRARY_PATH folder]): a GoogleTest program,
# a test per case; the dynamic loader looks into the folder first.
function(udnn_add_unit_test name)
  cmake_parse_arguments(ARG "" "LIBRARY_PATH" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE UdnnFlags ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set(properties LABELS unit)
  if(ARG_LIBRARY_PATH)
    list(APPEND properties
      ENVIRONMENT_MODIFICATION "LD_LIBRARY_PATH=path_list_prepend:${ARG_LIBRARY_PATH}")
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

# udnn_add_python_test(NAME SCRIPT [ARGS...] [LABEL label] [TIMEOUT seconds]): a script with the
# onnx and onnxruntime packages; left out where Python lacks them.
function(udnn_add_python_test name script)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "" ${ARGN})
  if(NOT UDNN_PYTHON_RESULT EQUAL 0)
    return()
  endif()
  add_test(NAME ${name}
    COMMAND ${UDNN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARG_UNPARSED_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABEL}")
  if(ARG_TIMEOUT)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()

# udnn_add_lit_tests(): every folder below the current one that holds .mlir or .test files becomes
# a test, and once more with each module printed and parsed again.
function(udnn_add_lit_tests)
  configure_file(lit.site.cfg.py.in lit.site.cfg.py @ONLY)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.mlir *.test)
  list(FILTER files EXCLUDE REGEX "(^|/)Inputs/")
  set(folders)
  foreach(file ${files})
    get_filename_component(folder ${file} DIRECTORY)
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    # Subfolders are tests of their own, so only this folder's files are listed.
    set(members ${files})
    list(FILTER members INCLUDE REGEX "^${folder}/[^/]+$")
    list(TRANSFORM members PREPEND ${CMAKE_CURRENT_BINARY_DIR}/)
    string(REPLACE "/" "." label ${folder})
    set(lit ${LLVM_EXTERNAL_LIT_TOOL} -v -j2)
    add_test(NAME lit.${label} COMMAND ${lit} ${members})
    set_tests_properties(lit.${label} PROPERTIES LABELS lit)
    set(members_roundtrip ${members})
    list(FILTER members_roundtrip INCLUDE REGEX "\\.mlir$")
    if(members_roundtrip)
      add_test(NAME roundtrip.${label} COMMAND ${lit} --param roundtrip=1 ${members_roundtrip})
      set_tests_properties(roundtrip.${label} PROPERTIES LABELS roundtrip)
    endif()
  endforeach()
endfunction()
