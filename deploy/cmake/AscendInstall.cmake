# The tree that `cmake --install` lays out is the one an Ascend user knows:
# include/acl, lib64/libascendcl.so, bin/ascend-rtd, lib64/cmake/AscendRtd. The
# library finds the daemon and its gRPC plug-in relative to itself, so the tree
# may be moved as a whole.

if(NOT ASCEND_RTD_GRPC)
  return()
endif()

include(CMakePackageConfigHelpers)

set(ascend_package_dir lib64/cmake/AscendRtd)

install(TARGETS ascendcl EXPORT AscendRtdTargets
        LIBRARY DESTINATION lib64 INCLUDES DESTINATION include)
install(TARGETS ascendcl_grpc LIBRARY DESTINATION lib64)
install(TARGETS ascend-rtd ascend-rtctl RUNTIME DESTINATION bin)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/client/include/ DESTINATION include
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/client/FUNCTIONS.md
        DESTINATION share/doc/ascend-rtd)

install(EXPORT AscendRtdTargets NAMESPACE AscendRtd::
        DESTINATION ${ascend_package_dir})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/AscendRtdConfig.cmake.in
  ${PROJECT_BINARY_DIR}/AscendRtdConfig.cmake
  INSTALL_DESTINATION ${ascend_package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/AscendRtdConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/AscendRtdConfig.cmake
              ${PROJECT_BINARY_DIR}/AscendRtdConfigVersion.cmake
        DESTINATION ${ascend_package_dir})

# Where Debian's CMake looks by itself: it knows lib, not lib64.
file(CREATE_LINK ../../${ascend_package_dir} ${PROJECT_BINARY_DIR}/AscendRtd
     SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/AscendRtd DESTINATION lib/cmake)
