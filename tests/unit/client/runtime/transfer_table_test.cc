#include "client/runtime/transfer_table.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/testing/thread_state.h"

namespace ascend::client {
namespace {

// A page whose first write stands still until the test lets it go on.
class SlowPage {
 public:
  static constexpr size_t kBytes = 4096;

  SlowPage() {
    page_ = static_cast<std::byte*>(
        ::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(::pipe(touched_), 0);
    EXPECT_EQ(::pipe(let_go_), 0);
    struct sigaction action {};
    action.sa_handler = [](int) {
      char byte = 0;
      (void)!::write(touched_[1], &byte, 1);
      (void)!::read(let_go_[0], &byte, 1);
      ::mprotect(page_, kBytes, PROT_READ | PROT_WRITE);
    };
    EXPECT_EQ(::sigaction(SIGSEGV, &action, &before_), 0);
  }
  ~SlowPage() {
    ::sigaction(SIGSEGV, &before_, nullptr);
    ::munmap(page_, kBytes);
    for (const int fd : touched_) ::close(fd);
    for (const int fd : let_go_) ::close(fd);
  }

  std::span<std::byte> bytes() const { return {page_, kBytes}; }
  void AwaitTouch() {
    char byte = 0;
    ASSERT_EQ(::read(touched_[0], &byte, 1), 1);
  }
  void LetGo() { ASSERT_EQ(::write(let_go_[1], "", 1), 1); }

 private:
  // The handler's.
  static inline std::byte* page_ = nullptr;
  static inline int touched_[2];
  static inline int let_go_[2];

  struct sigaction before_ {};
};

// A session that is lost wakes the caller of a copy while another thread still
// writes what came of it; the caller's memory is the caller's again only after.
TEST(TransferTableTest, RemoveWaitsForTheWriteThatGoesOn) {
  constexpr core::Ticket kTicket(7);
  SlowPage page;
  TransferTable table;
  table.AddDownload(
      kTicket,
      core::PitchedBytes::OneRow(page.bytes().data(), page.bytes().size()),
      nullptr, {});
  const std::string bytes(SlowPage::kBytes, 'd');
  std::thread writer(
      [&] { table.OnHostData(kTicket, 0, std::as_bytes(std::span(bytes))); });
  page.AwaitTouch();
  std::atomic<pid_t> remover_id{0};
  std::atomic<bool> is_removed{false};
  std::thread remover([&] {
    remover_id = ::gettid();
    table.Remove(kTicket);
    is_removed = true;
  });
  while (!is_removed && (remover_id == 0 || !testing::IsAsleep(remover_id))) {
  }
  EXPECT_FALSE(is_removed);
  page.LetGo();
  writer.join();
  remover.join();
  EXPECT_EQ(page.bytes()[SlowPage::kBytes - 1], std::byte{'d'});
}

TEST(TransferTableTest, RemovingWhatIsNotThereDoesNothing) {
  TransferTable table;
  table.Remove(core::Ticket(1));
  EXPECT_FALSE(table.has_queued_downloads());
}

}  // namespace
}  // namespace ascend::client
