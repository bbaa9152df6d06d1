// The one place of the tests that sleeps: what it stands for is a host that is
// busy elsewhere.
#include <chrono>
#include <thread>

#include "tests/integration/clock/clock_program.h"

void HostDelays::Sometimes(uint32_t us_max) {
  if (is_on_ && random_() % 4 == 0) Always(us_max);
}

void HostDelays::Always(uint32_t us_max) {
  if (!is_on_) return;
  std::this_thread::sleep_for(std::chrono::microseconds(random_() % us_max));
}
