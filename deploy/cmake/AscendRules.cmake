# Rules that every directory uses to declare its targets. Sources are listed,
# never globbed: a file that is in no target is a file that nobody tests.

include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib64)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(ASCEND_RTD_CCACHE ccache)
if(ASCEND_RTD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${ASCEND_RTD_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ASCEND_RTD_CCACHE})
endif()

# Flags of every target.
add_library(ascend_flags INTERFACE)
target_include_directories(ascend_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(ascend_flags INTERFACE
  -Wall -Wextra -Wshadow -Werror -fno-rtti
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(ascend_flags INTERFACE -Wthread-safety)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Sources that are joined are included, which makes headers of them: a class
  # of one may not have members of its anonymous namespace then.
  target_compile_options(ascend_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(ASCEND_RTD_SANITIZE STREQUAL "address")
  # The vptr check needs run-time type information, which our targets are built
  # without: it refuses objects that generated code is handed by ours.
  set(ascend_sanitize_flags -fsanitize=address,undefined -fno-sanitize=vptr
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(ASCEND_RTD_SANITIZE STREQUAL "thread")
  set(ascend_sanitize_flags -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT ASCEND_RTD_SANITIZE STREQUAL "")
  message(FATAL_ERROR "ASCEND_RTD_SANITIZE is '${ASCEND_RTD_SANITIZE}', "
                      "which is none of: empty, address, thread")
endif()
if(ascend_sanitize_flags)
  add_compile_options(${ascend_sanitize_flags})
  add_link_options(${ascend_sanitize_flags})
  add_compile_definitions(ASCEND_RTD_SANITIZE_BUILD=1)
endif()

# ascend_cc_library(NAME mem SRCS ... HDRS ... DEPS ... [STRICT] [INTERFACE])
# declares target ascend_<name> with alias ascend::<name>. STRICT adds
# -Wconversion and is used by core/ and proto/ipc.
function(ascend_cc_library)
  cmake_parse_arguments(A "STRICT;INTERFACE" "NAME" "SRCS;HDRS;DEPS" ${ARGN})
  if(A_INTERFACE)
    add_library(ascend_${A_NAME} INTERFACE)
    target_link_libraries(ascend_${A_NAME} INTERFACE ascend_flags ${A_DEPS})
  else()
    add_library(ascend_${A_NAME} STATIC ${A_SRCS} ${A_HDRS})
    target_link_libraries(ascend_${A_NAME} PUBLIC ascend_flags ${A_DEPS})
    if(A_STRICT)
      target_compile_options(ascend_${A_NAME} PRIVATE -Wconversion)
    endif()
  endif()
  add_library(ascend::${A_NAME} ALIAS ascend_${A_NAME})
endfunction()

# ascend_cc_test(NAME mem_ledger_test SRCS ... DEPS ... [LABELS unit]
#                [ENVIRONMENT A=b] [TIMEOUT seconds])
# One GoogleTest program, registered with ctest as one test.
function(ascend_cc_test)
  cmake_parse_arguments(A "" "NAME;TIMEOUT" "SRCS;DEPS;LABELS;ENVIRONMENT"
                        ${ARGN})
  if(NOT ASCEND_RTD_TESTS)
    return()
  endif()
  add_executable(${A_NAME} ${A_SRCS})
  if(ASCEND_RTD_SANITIZE STREQUAL "thread")
    target_sources(${A_NAME} PRIVATE
                   ${PROJECT_SOURCE_DIR}/tests/testing/thread_sanitizer.cc)
  endif()
  target_link_libraries(${A_NAME} PRIVATE ascend_flags ${A_DEPS}
                        GTest::gmock GTest::gtest_main)
  set_target_properties(${A_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/tests/bin)
  add_test(NAME ${A_NAME} COMMAND ${A_NAME})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 300)
  endif()
  set_tests_properties(${A_NAME} PROPERTIES TIMEOUT ${A_TIMEOUT}
    LABELS "${A_LABELS}" ENVIRONMENT "${A_ENVIRONMENT}")
endfunction()

# ascend_cc_bench(NAME bench_x SRCS ... DEPS ...): built, never run by ctest.
function(ascend_cc_bench)
  cmake_parse_arguments(A "" "NAME" "SRCS;DEPS" ${ARGN})
  if(NOT ASCEND_RTD_TESTS)
    return()
  endif()
  add_executable(${A_NAME} ${A_SRCS})
  target_link_libraries(${A_NAME} PRIVATE ascend_flags ${A_DEPS}
                        benchmark::benchmark)
  set_target_properties(${A_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/tests/bin)
endfunction()
