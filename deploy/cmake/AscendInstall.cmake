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
              ${PROJECT_SOURCE_DIR}/client/TOOLS.md
        DESTINATION share/doc/ascend-rtd)
# The daemon has its profiles built in; these are to read and to start from.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/deploy/soc/
        DESTINATION share/ascend-rtd/soc
        FILES_MATCHING PATTERN "*.textproto" PATTERN "README.md")
install(FILES ${PROJECT_SOURCE_DIR}/proto/ascend/rtd/v1/soc.proto
        DESTINATION share/ascend-rtd/soc)

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

configure_file(${CMAKE_CURRENT_LIST_DIR}/ascendcl.pc.in
               ${PROJECT_BINARY_DIR}/ascendcl.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ascendcl.pc DESTINATION lib64/pkgconfig)

# ascend_install_link(TARGET NAME DESTINATION): a symbolic link.
function(ascend_install_link target name destination)
  set(link ${PROJECT_BINARY_DIR}/links/${destination}/${name})
  cmake_path(GET link PARENT_PATH directory)
  file(MAKE_DIRECTORY ${directory})
  file(CREATE_LINK ${target} ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION ${destination})
endfunction()

# Where Debian's CMake and pkg-config look by themselves: they know lib, not
# lib64.
ascend_install_link(../../${ascend_package_dir} AscendRtd lib/cmake)
ascend_install_link(../../lib64/pkgconfig/ascendcl.pc ascendcl.pc lib/pkgconfig)

# The names under which programs ask for the vendor's runtime.
ascend_install_link(libascendcl.so libacl_rt.so lib64)
ascend_install_link(libascendcl.so libruntime.so lib64)
