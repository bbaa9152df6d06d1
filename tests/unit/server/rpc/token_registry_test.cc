#include "server/rpc/token_registry.h"

#include <string>

#include "gtest/gtest.h"

namespace ascend::server {
namespace {

constexpr core::SessionId kSession(4);

TEST(TokenRegistry, TokensDiffer) {
  TokenRegistry registry;
  const std::string first = registry.Add(kSession);
  EXPECT_EQ(first.size(), 16u);
  EXPECT_NE(first, registry.Add(core::SessionId(5)));
}

TEST(TokenRegistry, AttachesWithTheRightTokenOnly) {
  TokenRegistry registry;
  const std::string token = registry.Add(kSession);
  std::string wrong = token;
  wrong[15] ^= 1;
  EXPECT_FALSE(registry.AttachBulk(kSession, wrong, [] {}).ok());
  EXPECT_FALSE(registry.AttachBulk(kSession, "", [] {}).ok());
  EXPECT_FALSE(registry.AttachBulk(core::SessionId(5), token, [] {}).ok());
  EXPECT_TRUE(registry.AttachBulk(kSession, token, [] {}).ok());
}

TEST(TokenRegistry, AttachesOneStreamAtATime) {
  TokenRegistry registry;
  const std::string token = registry.Add(kSession);
  ASSERT_TRUE(registry.AttachBulk(kSession, token, [] {}).ok());
  EXPECT_FALSE(registry.AttachBulk(kSession, token, [] {}).ok());
  registry.DetachBulk(kSession);
  EXPECT_TRUE(registry.AttachBulk(kSession, token, [] {}).ok());
}

TEST(TokenRegistry, EndsTheStreamWithItsSession) {
  TokenRegistry registry;
  const std::string token = registry.Add(kSession);
  int ended = 0;
  ASSERT_TRUE(registry.AttachBulk(kSession, token, [&] { ++ended; }).ok());
  registry.Remove(kSession);
  registry.Remove(kSession);
  EXPECT_EQ(ended, 1);
  EXPECT_FALSE(registry.AttachBulk(kSession, token, [] {}).ok());
}

}  // namespace
}  // namespace ascend::server
