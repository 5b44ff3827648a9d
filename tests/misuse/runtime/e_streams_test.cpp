// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Group E, streams and library handles.
#include "library.hpp"
#include "misuse.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/stream/event.hpp>

#include <optional>
#include <thread>
#include <utility>

namespace misuse_test {
namespace {

using MisuseE01 = Misuse;
using MisuseE02 = Misuse;
using MisuseE03 = Misuse;
using MisuseE04 = Misuse;
using MisuseE05 = Misuse;
using MisuseE06 = Misuse;
using MisuseE12 = Misuse;

/// The numbers of calls that reached the runtime.
struct Asked {
#if defined(WARPSAFE_BACKEND_HOST)
  static auto destroyed_streams() {
    return ws::host::calls_made(ws::host::call_of<&ws::host_backend::stream_destroy>);
  }
  static auto waits() {
    return ws::host::calls_made(ws::host::call_of<&ws::host_backend::stream_wait>);
  }
#else
  static auto destroyed_streams() { return vendor_test::count("StreamDestroy"); }
  static auto waits() { return vendor_test::count("StreamWaitEvent"); }
#endif
};

TEST_F(MisuseE01, HandleIsOnItsStreamFromTheStart) {
  auto library = Library::create(stream);
  ASSERT_TRUE(library.has_value());
  EXPECT_EQ(library.value().native()->stream, stream.native());
  note_impossible("StreamBound<cublasHandle_t> has no other constructor than create(stream)");
}

TEST_F(MisuseE02, InnerHandleThatIsNotReachedIsFound) {
  solver_forgets = true;
  const ws::LaunchError error = error_in(Solver::create(stream));
  solver_forgets = false;
  EXPECT_EQ(error.code, Errc::handle_partly_bound);
  EXPECT_EQ(error.stage, Stage::validation);
  EXPECT_EQ(error.value, 2U);
  EXPECT_EQ(error.limit, 2U);
  EXPECT_THAT(
      message(error),
      testing::StartsWith("solver set stream not called: inner handle 2 of 2 is still on another "
                          "stream"));
  note("call", message(error));

  auto whole = Solver::create(stream);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole.value().native()->sparse.stream, stream.native());
  expect_fine(whole.value().call<solver_work>(1));
  whole.value().native()->sparse.stream = nullptr;
  const auto called = whole.value().call<solver_work>(1);
  if (!checked) return expect_fine(called);
  EXPECT_EQ(error_in(called).code, Errc::handle_stream_changed);
}

TEST_F(MisuseE03, StreamOutlivesWhatIsBoundToIt) {
  auto own = ws::Stream::create();
  ASSERT_TRUE(own.has_value());
  const auto before = Asked::destroyed_streams();
  {
    auto library = Library::create(own.value());
    ASSERT_TRUE(library.has_value());
    ASSERT_TRUE(own.value().close().has_value());
    EXPECT_EQ(Asked::destroyed_streams(), before) << "the handle still runs on it";
    expect_fine(library.value().call<library_work>(1));
  }
  EXPECT_EQ(Asked::destroyed_streams(), before + 1) << "with the last that was bound to it";
  note_impossible("a stream is destroyed with the last handle or buffer that is bound to it");
}

TEST_F(MisuseE03, StreamOutlivesWhatIsBoundByReference) {
  auto own = ws::Stream::create();
  ASSERT_TRUE(own.has_value());
  const auto before = Asked::destroyed_streams();
  {
    const ws::StreamRef passed_on = own.value();
    auto library = Library::create(passed_on);
    ASSERT_TRUE(library.has_value());
    ASSERT_TRUE(own.value().close().has_value());
    EXPECT_EQ(Asked::destroyed_streams(), before) << "the handle still runs on it";
    expect_fine(library.value().call<library_work>(1));
  }
  EXPECT_EQ(Asked::destroyed_streams(), before + 1);
}

TEST_F(MisuseE03, StreamDestroyedBehindAReferenceIsFound) {
  if (!checked) return;  // nothing looks, and the vendor's behaviour is undefined
  auto own = ws::Stream::create();
  ASSERT_TRUE(own.has_value());
  const ws::StreamRef left = own.value();
  expect_fine(left.synchronize());
  ASSERT_TRUE(own.value().close().has_value());
  const auto next = ws::Stream::create();  // may get the old one's handle
  ASSERT_TRUE(next.has_value());
  const Finding destroyed = at_launch(Errc::stream_null, 0, 0);
  const auto launched = ws::launch(left, as_written({1, 1, 1}, {32, 1, 1}), ws::kernel<nothing>);
  EXPECT_EQ(finding(error_in(launched)), destroyed);
  EXPECT_THAT(message(error_in(launched)),
              testing::StartsWith("Kernel 'nothing' not launched: the Stream that this StreamRef "
                                  "refers to was destroyed"));
  EXPECT_EQ(finding(error_in(left.synchronize())), destroyed);
  EXPECT_EQ(finding(error_in(Library::create(left))), destroyed);
  EXPECT_EQ(finding(error_in(left.record())), destroyed);
  expect_fine(next.value().synchronize());
}

TEST_F(MisuseE04, RebindOrdersTheNewStreamAfterTheOld) {
  const auto other = ws::Stream::create();
  ASSERT_TRUE(other.has_value());
  auto library = Library::create(stream);
  ASSERT_TRUE(library.has_value());
  const auto before = Asked::waits();
  auto moved = std::move(library).value().rebind(other.value());
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(Asked::waits(), before + 1);
  EXPECT_EQ(moved.value().native()->stream, other.value().native());
  EXPECT_NE(moved.value().native()->workspace, nullptr) << "and has its workspace again";
  note_impossible("rebind makes the new stream wait for the old one's work");
}

TEST_F(MisuseE04, StreamChangedBehindItsBackIsFound) {
  const auto other = ws::Stream::create();
  auto library = Library::create(stream);
  ASSERT_TRUE(library.has_value());
  library_set_stream(library.value().native(), other.value().native());
  const auto called = library.value().call<library_work>(1);
  if (!checked) return expect_fine(called);
  EXPECT_EQ(error_in(called).code, Errc::handle_stream_changed);
}

TEST_F(MisuseE05, TwoThreadsInOneHandleAreFound) {
  auto library = Library::create(stream);
  ASSERT_TRUE(library.has_value());
  library_may_return = false, library_is_in = false, library_waits = true;
  std::optional<ws::result<void>> first;
  std::thread other([&] { first = library.value().call<library_work>(1); });
  while (!library_is_in) std::this_thread::yield();
  const auto second = library.value().call<library_work>(2);
  library_may_return = true;
  other.join();
  if (!checked) {
    expect_let_through(second);
  } else {
    const ws::LaunchError error = error_in(second);
    EXPECT_EQ(error.code, Errc::handle_busy);
    EXPECT_EQ(ws::core_test::text(error.operation), "misuse_test::library_work");
    note("call", message(error));
  }
}

TEST_F(MisuseE06, HandleAndStreamOfTwoDevicesAreFound) {
  two_devices();
  const auto there = ws::Stream::create(ws::DeviceId(1));
  ASSERT_TRUE(there.has_value());
  const int before = library_handles;
  const auto wrong = [](const ws::LaunchError& error) {
    EXPECT_EQ(error.code, Errc::stream_wrong_device);
    EXPECT_EQ(error.value, 0U);
    EXPECT_EQ(error.limit, 1U);
    EXPECT_THAT(message(error),
                testing::HasSubstr("the stream belongs to device 1, but device 0 is current"));
  };
  const ws::LaunchError error = error_in(Library::create(there.value()));
  wrong(error);
  EXPECT_EQ(library_handles, before);
  LibraryHandle raw = nullptr;
  library_create(&raw);
  wrong(error_in(Library::adopt(raw, there.value())));
  library_destroy(raw);
  auto library = Library::create(stream);
  ASSERT_TRUE(library.has_value());
  EXPECT_EQ(error_in(std::move(library).value().rebind(there.value())).code,
            Errc::stream_wrong_device);
  note("call", message(error));
}

#if !defined(WARPSAFE_BACKEND_HOST)
TEST_F(MisuseE12, NoHandleIsMadeInACapture) {
  ASSERT_EQ(vendor_test::begin_capture(stream.native()), vendor_test::code::success);
  const ws::LaunchError error = error_in(Library::create(stream));
  EXPECT_EQ(error.code, Errc::stream_capturing);
  EXPECT_GE(vendor_test::end_capture(stream.native()), 0) << "and the capture is whole";
  note("call", message(error));
}

TEST_F(MisuseE12, WorkspaceIsThereBeforeTheCapture) {
  auto library = Library::create(stream);
  ASSERT_TRUE(library.has_value());
  const int missing = library_workspaces_missing;
  ASSERT_EQ(vendor_test::begin_capture(stream.native()), vendor_test::code::success);
  const auto calls =
      vendor_test::calls_of([&] { expect_fine(library.value().call<library_work>(1)); });
  for (const std::string& call : calls) {
    EXPECT_THAT(call, testing::Not(testing::HasSubstr("Malloc")));
  }
  EXPECT_GE(vendor_test::end_capture(stream.native()), 0);
  EXPECT_EQ(library_workspaces_missing, missing);
}
#else
TEST_F(MisuseE12, NoHandleIsMadeInACapture) {
  auto capture = ws::Capture::begin(stream).value();
  expect_fine(launch(stream, LaunchConfig{ws::grid<1>, ws::block<32>}, ws::kernel<nothing>));
  const ws::LaunchError error = error_in(Library::create(stream));
  EXPECT_EQ(error.code, Errc::stream_capturing);
  EXPECT_TRUE(std::move(capture).end().has_value()) << "and the capture is whole";
  note("call", message(error));
}

TEST_F(MisuseE12, ACapturedCallAllocatesNothingInTheGraph) {
  auto library = Library::create(stream);
  ASSERT_TRUE(library.has_value());
  const int missing = library_workspaces_missing;
  auto capture = ws::Capture::begin(stream).value();
  expect_fine(launch(stream, LaunchConfig{ws::grid<1>, ws::block<32>}, ws::kernel<nothing>));
  expect_fine(library.value().call<library_work>(1));
  EXPECT_EQ(std::move(capture).end().value().node_count().value(), 1u)
      << "the launch, and no allocation";
  EXPECT_EQ(library_workspaces_missing, missing);
}
#endif

}  // namespace
}  // namespace misuse_test
