// Linked into every test of the tsan preset. What happens inside Debian's
// libraries the sanitizer does not see, as they are not built for it: the
// locks of oneDNN, and the count of a Status's owners in Abseil. Of threads
// that share an error, the last to drop it frees it, and only that count tells
// that the others were done.
extern "C" const char* __tsan_default_suppressions();
extern "C" __attribute__((visibility("default"))) const char*
__tsan_default_suppressions() {
  return "race:libdnnl.so\n"
         "race:absl::debian3::Status::Unref\n"
         "race:absl::debian3::status_internal::Payload\n";
}
