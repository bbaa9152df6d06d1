# Everything comes from Debian 12 (deploy/install_deps.sh); nothing is
# downloaded. Protobuf is found in module mode and before gRPC, since Debian
# ships no package configuration file for it.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
# Debian's dnnl-config.cmake insists on an OpenCL SDK that no program here uses,
# so the library is named directly.
find_path(ASCEND_RTD_DNNL_INCLUDE dnnl.hpp REQUIRED)
find_library(ASCEND_RTD_DNNL_LIBRARY dnnl REQUIRED)
add_library(ascend_dnnl INTERFACE)
target_include_directories(ascend_dnnl SYSTEM INTERFACE
                           ${ASCEND_RTD_DNNL_INCLUDE})
target_link_libraries(ascend_dnnl INTERFACE ${ASCEND_RTD_DNNL_LIBRARY})
add_library(ascend::dnnl ALIAS ascend_dnnl)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
if(ASCEND_RTD_GRPC)
  find_package(Protobuf MODULE REQUIRED)
  find_package(gRPC CONFIG REQUIRED)
endif()
if(ASCEND_RTD_TESTS)
  find_package(GTest CONFIG REQUIRED)
  find_package(benchmark CONFIG REQUIRED)
endif()
