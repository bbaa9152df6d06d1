// Loads libascendcl.so, uses a device, unloads it; twice.
//
//   dlopen_program LIBRARY finalize|leave
#include <acl/acl.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace {

template <typename Function>
Function* Find(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

bool UseOnce(const char* path, bool finalizes) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return false;
  }
  const auto set_device =
      Find<decltype(aclrtSetDevice)>(library, "aclrtSetDevice");
  const auto allocate = Find<decltype(aclrtMalloc)>(library, "aclrtMalloc");
  const auto fill = Find<decltype(aclrtMemset)>(library, "aclrtMemset");
  const auto call =
      Find<decltype(aclrtLaunchHostFunc)>(library, "aclrtLaunchHostFunc");
  const auto synchronize =
      Find<decltype(aclrtSynchronizeStream)>(library, "aclrtSynchronizeStream");
  const auto init = Find<decltype(aclInit)>(library, "aclInit");
  const auto finalize = Find<decltype(aclFinalize)>(library, "aclFinalize");
  void* memory = nullptr;
  bool works = finalizes ? init(nullptr) == ACL_SUCCESS : true;
  works = works && set_device(0) == ACL_SUCCESS &&
          allocate(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS &&
          fill(memory, 4096, 1, 4096) == ACL_SUCCESS &&
          // Its thread goes on when the library is unloaded.
          call(
              nullptr, [](void*) {}, nullptr) == ACL_SUCCESS &&
          synchronize(nullptr) == ACL_SUCCESS;
  if (finalizes) works = works && finalize() == ACL_SUCCESS;
  return ::dlclose(library) == 0 && works;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool finalizes = std::strcmp(argv[2], "finalize") == 0;
  return UseOnce(argv[1], finalizes) && UseOnce(argv[1], finalizes) ? 0 : 1;
}
