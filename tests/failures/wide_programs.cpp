// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Programs that use several devices, launch options, a library's handle, and the switches of the
// debug tools.

#include "injector.hpp"
#include "library.hpp"
#include "programs.hpp"
#include <warpsafe/all.hpp>
#include <warpsafe/debug/data/launch_dump.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/launch/kernel_report.hpp>
#include <warpsafe/print/formatters.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace failures {

namespace {

using namespace warpsafe;

WARPSAFE_KERNEL void increment(int* values, std::size_t n) {
  for (auto i : grid_stride(n)) values[i] += 1;
}
WARPSAFE_KERNEL void increment_later(int* values, std::size_t n) {
  wait_for_predecessor();
  for (auto i : grid_stride(n)) values[i] += 1;
}
/// Lasts longer than a timeout of a millisecond.
WARPSAFE_KERNEL void increment_slowly(int* values, std::size_t n) {
  for (int i = 0; i < 2000; ++i) sync_block();
  for (auto i : grid_stride(n)) values[i] += 1;
}
void increment_on_host(int* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] += 1;
}

/// Launches on the stream of the library's handle.
LibraryStatus library_increment(Context* handle, std::size_t n, int* values) noexcept {
  return library_run("increment", handle, [&](const auto& stream) {
    return launch<CheckLevel::off>(stream, small, kernel<increment>, trust(values), n);
  });
}

}  // namespace

result<bool> library_handles() {
  WARPSAFE_TRY(const auto first, Stream::create());
  WARPSAFE_TRY(const auto second, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(first, std::span(zeros)));
  WARPSAFE_TRY(auto handle, StreamBound<Context*>::create(first));
  WARPSAFE_TRYV(handle.call<library_increment>(size, buffer.view()));
  WARPSAFE_TRY(const auto added, first.record());
  WARPSAFE_TRYV(wait(second, added));
  WARPSAFE_TRYV(buffer.used_on(second));
  WARPSAFE_TRY(auto moved, std::move(handle).rebind(second));
  WARPSAFE_TRYV(moved.call<library_increment>(size, buffer.view()));
  WARPSAFE_TRY(const auto values, buffer.to_host(second).get());
  WARPSAFE_TRYV(moved.close());
  return all_are(values, 2);
}

result<bool> peers() {
  const auto work = []() -> result<bool> {
    WARPSAFE_TRY(const auto devices, device_count());
    WARPSAFE_TRY(const auto here, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(const auto there, Stream::create(DeviceId(1)));
    WARPSAFE_TRY(auto source, DeviceBuffer<int>::from(here, std::span(zeros)));
    WARPSAFE_TRY(auto guard, DeviceGuard::create(DeviceId(1)));
    WARPSAFE_TRY(auto target, DeviceBuffer<int>::create(there, size));
    WARPSAFE_TRYV(copy(there, from(source), to(target)));
    WARPSAFE_TRYV(launch(there, small, kernel<increment>, target.view(), size));
    WARPSAFE_TRY(const auto values, target.to_host(there).get());
    WARPSAFE_TRYV(guard.close());
    WARPSAFE_TRYV(source.close());  // makes the other stream's device current
    return devices == 2 && all_are(values, 1);
  };
  const auto done = work();
  // If another device stays current, an error has said so.
  int device = 0;
  if (host_backend::current_device(device) != 0) {
    return LaunchError::make(Errc::runtime_failed, Stage::runtime_call);
  }
  if (device == 0) return done;
  static_cast<void>(host_backend::set_device(0));
  return done.has_value() ? result<bool>(false) : done;
}

result<bool> launch_options() {
  WARPSAFE_TRY(const auto stream, Stream::create(priority(-1)));
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
  constexpr LaunchConfig clusters{grid<4>, block<8>, cluster<2>, priority(-1)};
  constexpr LaunchConfig large{grid<16>, block<8>, non_portable_cluster<16>};
  constexpr LaunchConfig early{grid<4>, block<8>, dependent_launch};
  WARPSAFE_TRYV(launch(stream, clusters, kernel<increment>, buffer.view(), size));
  WARPSAFE_TRYV(launch(stream, large, kernel<increment>, buffer.view(), size));
  WARPSAFE_TRYV(
      launch(stream, early, kernel<increment_later, waits_for_predecessor>, buffer.view(), size));
  WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
  return all_are(values, 3);
}

/// A wait that is polled and ends in time, and a wait that is overdue, logged and goes on.
result<bool> timeouts() {
  const auto work = []() -> result<bool> {
    WARPSAFE_TRY(const auto stream, Stream::create());
    WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
    debug::set_timeout(60'000, true);
    WARPSAFE_TRYV(launch(stream, small, kernel<increment>, buffer.view(), size));
    WARPSAFE_TRY(const auto done, stream.record());
    WARPSAFE_TRYV(done.synchronize());
    WARPSAFE_TRYV(stream.synchronize());
    debug::set_timeout(1);
    WARPSAFE_TRYV(launch(stream, small, kernel<increment_slowly>, buffer.view(), size));
    WARPSAFE_TRYV(stream.synchronize());
    WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
    return all_are(values, 2);
  };
  const auto done = work();
  debug::clear_timeout();
  return done;
}

result<bool> references() {
  debug::set_reference("all");
  const auto work = []() -> result<bool> {
    WARPSAFE_TRY(const auto stream, Stream::create());
    WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
    WARPSAFE_TRYV(launch(stream, small, kernel<increment, reference<increment_on_host>>,
                         buffer.view(), size));
    WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
    return all_are(values, 1);
  };
  const auto done = work();
  debug::set_reference(nullptr);
  return done;
}

/// The program's `guard` says which of the model's guards this process has.
result<bool> guarded_memory() {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto device, DeviceBuffer<int>::from(stream, std::span(zeros)));
  WARPSAFE_TRY(auto other, DeviceBuffer<int>::create(stream, size));
  WARPSAFE_TRY(auto pinned, PinnedBuffer<int>::create(size));
  WARPSAFE_TRY(auto managed, ManagedBuffer<int>::create(stream, size));
  WARPSAFE_TRYV(launch(stream, small, kernel<increment>, device.view(), size));
  WARPSAFE_TRYV(copy(stream, from(device), to(other)));
  WARPSAFE_TRY(const auto values, other.to_host(stream).get());
  WARPSAFE_TRYV(other.close());
  WARPSAFE_TRYV(device.close());
  WARPSAFE_TRYV(pinned.close());
  WARPSAFE_TRY(const auto on_host, std::move(managed).to_host(stream).get());
  return all_are(values, 1) && on_host.span().size() == size;
}

/// Reports about a kernel and a run, as text.
result<bool> reports() {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
  WARPSAFE_TRY(const auto resident, occupancy(stream, small, kernel<increment>));
  WARPSAFE_TRY(const auto limits, kernel_limits(stream, kernel<increment>));
  WARPSAFE_TRYV(check(kernel<increment>, 1U, 32U, 0, stream.native()));
  WARPSAFE_TRYV(launch(stream, small, kernel<increment>, buffer.view(), size));
  std::ostringstream text;
  text << resident << limits << stream << buffer;
  WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
  // Without memory for its copy, a reader is empty. The newest launch is the one above.
  const debug::JournalReader launches;
  if (!launches.empty() && launches[launches.size() - 1].block[0] != 32) return false;
  // A stream of text without memory is bad and says so.
  return all_are(values, 1) && (text.bad() || !text.str().empty());
}

/// Reads a dump of a launch.
result<bool> dumps() {
  const std::string folder = "failures-dump";
  {
    const Own not_counted;
    std::filesystem::create_directory(folder);
  }
  const auto failed = LaunchError::make(Errc::execution_failed, Stage::completion);
  constexpr std::uint32_t three[3] = {4, 5, 6};
  constexpr std::uint64_t bytes = 7;
  const auto wrote = [&folder](const char* name, ElementType type, std::size_t of_one,
                               std::size_t count, const void* data) {
    return debug::write_npy((folder + "/" + name).c_str(), type, of_one, count, false, data) == 0;
  };
  if (!wrote("grid.npy", ElementType::uint32, 4, 3, three) ||
      !wrote("block.npy", ElementType::uint32, 4, 3, three) ||
      !wrote("shared.npy", ElementType::uint64, 8, 1, &bytes) ||
      !wrote("arg1.in.npy", ElementType::int32, 4, size, zeros)) {
    return failed;
  }
  debug::LaunchDump dump;
  std::string problem;
  std::vector<int> values;
  if (!dump.open(folder, problem) || !dump.input(1, values, problem)) {
    // The text names the cause, not a file of a wrong form.
    const auto says = [&problem](const char* text) {
      return problem.find(text) != std::string::npos;
    };
    if (says("cannot be read") || says("no host memory") || says(std::strerror(EMFILE)))
      return failed;
    return false;
  }
  return dump.grid[2] == 6 && dump.dynamic_shared == 7 && values.size() == size;
}

/// Texts of an error. They throw where there is no memory for the text.
result<bool> texts() {
  const auto error = LaunchError::make(Errc::cluster_too_large, Stage::validation, 9, 8);
  std::ostringstream text;
  text << error;
  return message(error).find('9') != std::string::npos &&
         detail::printed(error) == message(error) && (text.bad() || text.str() == message(error)) &&
         !make_error_code(error).message().empty();
}

}  // namespace failures
