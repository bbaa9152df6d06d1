#include "server/rpc/reply_pump.h"

#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "gtest/gtest.h"

namespace ascend::server {
namespace {

class Held final : public Pumped {
 public:
  explicit Held(std::shared_future<void> until) : until_(std::move(until)) {}
  void Pump() override {
    entered_.set_value();
    until_.wait();
  }
  void AwaitPumping() { entered_.get_future().wait(); }

 private:
  const std::shared_future<void> until_;
  std::promise<void> entered_;
};

class Nothing final : public Pumped {
 public:
  void Pump() override {}
};

// Calls share what owns the pump: one that it kept would keep both.
TEST(ReplyPump, WhatIsStillDueWhenItStopsIsLetGo) {
  ReplyPump pump;
  std::promise<void> release;
  const auto held = std::make_shared<Held>(release.get_future().share());
  pump.Schedule(held);
  held->AwaitPumping();
  auto due = std::make_shared<Nothing>();
  const std::weak_ptr<Nothing> seen = due;
  pump.Schedule(std::move(due));
  std::thread stopper([&] { pump.Stop(); });
  // Once it has begun to stop, it takes no more.
  for (bool is_taken = true; is_taken;) {
    const auto more = std::make_shared<Nothing>();
    pump.Schedule(more);
    is_taken = more.use_count() > 1;
  }
  release.set_value();
  stopper.join();
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace ascend::server
