#include "core/machine/lane_inputs.h"

#include <vector>

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

constexpr LaneId kA(1);
constexpr LaneId kB(2);

class LaneInputsTest : public ::testing::Test {
 protected:
  bool Push(LaneId lane, Tick stamp) {
    return inputs_.Push({.ticket = Ticket(++last_ticket_),
                         .lane = lane,
                         .stamp = stamp,
                         .operation = Launch{.args = "1234"}});
  }
  std::vector<uint64_t> PopAll() {
    std::vector<uint64_t> tickets;
    while (!inputs_.empty()) tickets.push_back(inputs_.Pop().ticket.value());
    return tickets;
  }

  LaneInputs inputs_;
  uint64_t last_ticket_ = 0;
};

TEST_F(LaneInputsTest, OneLaneComesInTicketOrder) {
  for (const Tick stamp : {10, 20, 20, 30}) Push(kA, stamp);
  EXPECT_EQ(PopAll(), (std::vector<uint64_t>{1, 2, 3, 4}));
}

TEST_F(LaneInputsTest, AmongLanesTheSmallerStampComesFirst) {
  Push(kA, 10);
  Push(kA, 30);
  Push(kB, 5);
  Push(kB, 20);
  EXPECT_EQ(PopAll(), (std::vector<uint64_t>{3, 1, 4, 2}));
}

TEST_F(LaneInputsTest, TheFirstTicketIsTheSmallestOfAllLanes) {
  Push(kA, 30);
  Push(kA, 40);
  Push(kB, 5);
  EXPECT_EQ(inputs_.FirstTicket(), Ticket(1));
  inputs_.Pop();
  EXPECT_EQ(inputs_.FirstTicket(), Ticket(1));
  inputs_.Pop();
  EXPECT_EQ(inputs_.FirstTicket(), Ticket(2));
}

TEST_F(LaneInputsTest, AStampThatGoesBackDoesNotOvertakeItsOwnLane) {
  Push(kA, 30);
  Push(kA, 10);
  Push(kB, 20);
  EXPECT_EQ(PopAll(), (std::vector<uint64_t>{3, 1, 2}));
}

TEST_F(LaneInputsTest, EqualStampsGoByRankNotByTicket) {
  inputs_.SetRank(kA, 1);
  inputs_.SetRank(kB, 0);
  Push(kA, 10);
  Push(kB, 10);
  EXPECT_EQ(PopAll(), (std::vector<uint64_t>{2, 1}));
  inputs_.ForgetRanks();
  Push(kB, 10);
  Push(kA, 10);
  EXPECT_EQ(PopAll(), (std::vector<uint64_t>{4, 3}));
}

TEST_F(LaneInputsTest, SaysWhetherTheFirstIsAnother) {
  EXPECT_TRUE(Push(kA, 10));
  EXPECT_FALSE(Push(kA, 20));
  EXPECT_FALSE(Push(kB, 15));
  inputs_.Pop();
  EXPECT_EQ(inputs_.First().stamp, 15);
}

TEST_F(LaneInputsTest, CountsCommandsAndTheirPayload) {
  Push(kA, 10);
  Push(kB, 10);
  EXPECT_EQ(inputs_.size(), 2u);
  EXPECT_EQ(inputs_.payload_bytes(), 8u);
  inputs_.Pop();
  EXPECT_EQ(inputs_.size(), 1u);
  EXPECT_EQ(inputs_.payload_bytes(), 4u);
  inputs_.Clear();
  EXPECT_TRUE(inputs_.empty());
  EXPECT_EQ(inputs_.payload_bytes(), 0u);
}

TEST_F(LaneInputsTest, ManyLanesComeAndGo) {
  for (uint32_t i = 0; i < 10'000; ++i) {
    Push(LaneId(i + 1), 10'000 - Tick{i});
    if (i % 2 == 1) inputs_.Pop();
  }
  Tick last = 0;
  while (!inputs_.empty()) {
    const Tick stamp = inputs_.Pop().stamp;
    EXPECT_GE(stamp, last);
    last = stamp;
  }
}

}  // namespace
}  // namespace ascend::core
