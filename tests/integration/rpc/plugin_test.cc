// The plug-in as libascendcl.so loads it. This program itself has neither gRPC
// nor protobuf.
#include <dlfcn.h>

#include <memory>

#include "client/runtime/transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/rpc/recording_sink.h"
#include "tests/testing/daemon_process.h"

namespace ascend {
namespace {

using ::testing::HasSubstr;

client::TransportFactory LoadFactory() {
  int flags = RTLD_NOW | RTLD_LOCAL;
#ifndef ASCEND_RTD_SANITIZE_BUILD
  flags |= RTLD_DEEPBIND;  // the sanitizers' run-time refuses it
#endif
  void* library = ::dlopen(ASCEND_TEST_PLUGIN, flags);
  EXPECT_NE(library, nullptr) << ::dlerror();
  return reinterpret_cast<client::TransportFactory>(
      ::dlsym(library, client::kTransportFactorySymbol));
}

TEST(Plugin, SaysHelloToADaemon) {
  const testing::DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--devices=2"});
  const client::TransportFactory factory = LoadFactory();
  ASSERT_NE(factory, nullptr);
  for (const std::string& address :
       {daemon.unix_address(), daemon.tcp_address()}) {
    testing::RecordingSink sink;
    const client::TransportOptions options{
        .address = address, .client_version = "test", .program = "plugin_test"};
    const std::unique_ptr<client::Transport> transport(
        factory(client::kTransportAbi, &options, &sink));
    ASSERT_NE(transport, nullptr);
    const auto server = transport->Open();
    ASSERT_TRUE(server.ok()) << server.status();
    ASSERT_EQ(server->devices.size(), 2u);
    EXPECT_EQ(server->devices[0].soc_name, "Ascend910A");
    EXPECT_GT(server->streams_max, 0u);
    transport->Close();
    EXPECT_EQ(sink.lost_count(), 0);
  }
}

TEST(Plugin, RefusesALibraryOfAnotherAbi) {
  const client::TransportFactory factory = LoadFactory();
  ASSERT_NE(factory, nullptr);
  testing::RecordingSink sink;
  const client::TransportOptions options;
  EXPECT_EQ(factory(client::kTransportAbi + 1, &options, &sink), nullptr);
}

TEST(Plugin, ExportsItsFactoryOnly) {
  const auto symbols =
      testing::RunProgram({"/usr/bin/nm", "-D", "--defined-only",
                           "--format=posix", ASCEND_TEST_PLUGIN});
  ASSERT_EQ(symbols.exit_code, 0) << symbols.err;
  EXPECT_EQ(std::count(symbols.out.begin(), symbols.out.end(), '\n'), 1)
      << symbols.out;
  EXPECT_THAT(symbols.out, HasSubstr(client::kTransportFactorySymbol));
}

}  // namespace
}  // namespace ascend
