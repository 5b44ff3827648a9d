// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Runs for as long as it is told, with faults at random, on the device that it is compiled for:
//   long_run [SECONDS [SEED]]     10 seconds and a seed of the clock without arguments
//
// Rounds of several kinds follow each other at random: the streams program, cut short or not, with
// calls that fail or kernels that fault (the host model), launches and allocations that are
// refused, checks in kernels that fail, graphs, captures that break, objects that come and go. It
// fails if a round gives wrong numbers or hangs, if a fault is not reported, if the recorder and
// the journal disagree about the launches, or if the process or the device holds more memory at
// the end than near the beginning.

#include "../gpu/streams_program/streams_program.hpp"
#include <warpsafe/all.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/device_check.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/host.hpp>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace warpsafe;
using Clock = std::chrono::steady_clock;

constexpr bool on_host = std::is_same_v<default_backend, host_backend>;
constexpr unsigned iterations = 60;
constexpr std::size_t size = 1024;
constexpr unsigned seconds_until_hung = 120;
constexpr std::size_t growth_allowed = std::size_t{on_host ? 1 : 32} << 20;

WARPSAFE_KERNEL void product(const float* a, const float* b, float* c) {
  constexpr std::size_t n = streams_program::order;
  for (const std::size_t i : grid_stride(n * n)) {
    float sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += a[i % n + k * n] * b[k + i / n * n];
    c[i] = sum;
  }
}
WARPSAFE_KERNEL void add_one(int* values, std::size_t n) {
  for (const std::size_t i : grid_stride(n)) values[i] += 1;
}
WARPSAFE_KERNEL void checked(int* values, std::size_t bad) {
  const std::size_t i = thread_index().x;
  WARPSAFE_DEVICE_CHECK(i != bad, "no bad element");
  values[i] = 1;
}

using Random = std::mt19937_64;
/// What a round ended with. A round that met a fault of its own choice checks the error itself.
using Outcome = result<bool>;

/// The streams program. Gives up after `stop` iterations, with work in flight, as after an error.
result<std::vector<std::uint64_t>> streams_run(std::size_t count, unsigned seed, unsigned stop) {
  WARPSAFE_TRY(auto first, Stream::create());
  std::vector<Stream> streams;
  streams.push_back(std::move(first));
  while (streams.size() < count) {
    WARPSAFE_TRY(auto stream, Stream::create());
    streams.push_back(std::move(stream));
  }
  unsigned done = 0;
  return streams_program::run(
      streams, iterations, seed,
      [&](std::size_t lane, auto& x, auto& before, auto& y) -> result<void> {
        if (done++ == stop) return LaunchError::make(Errc::execution_failed, Stage::completion);
        return launch(streams[lane % streams.size()], LaunchConfig{grid<8>, block<256>},
                      kernel<product>, x.view(), before.view(), y.view());
      });
}
const std::vector<std::uint64_t>& serial_run() {
  static const std::vector<std::uint64_t> numbers = streams_run(1, 0, ~0U).value();
  return numbers;
}
unsigned any_seed(Random& random) { return static_cast<unsigned>(random()) | 1U; }

Outcome right_numbers(Random& random) {
  WARPSAFE_TRY(const auto numbers, streams_run(streams_program::lanes, any_seed(random), ~0U));
  return streams_program::wrong(numbers, serial_run()) == 0;
}
Outcome cut_short(Random& random) {
  const auto numbers = streams_run(streams_program::lanes, any_seed(random),
                                   static_cast<unsigned>(random() % iterations));
  return numbers.has_error() && numbers.error().code == Errc::execution_failed;
}

Outcome refusals(Random& random) {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::create(stream, size));
  WARPSAFE_TRYV(buffer.zero(stream));
  const auto refused = [](const auto& done, Errc wanted) {
    return done.has_error() && done.error().code == wanted;
  };
  const auto many = 1025 + static_cast<unsigned>(random() % 100'000);
  const auto bytes = (std::size_t{1} << 20) + random() % (std::size_t{1} << 40);
  for (int i = 0; i < 20; ++i) {
    const auto wide = check(kernel<add_one>, 1U, many, 0, stream.native());
    if (!refused(wide, Errc::block_too_large)) return false;
    const auto deep = launch(stream, LaunchConfig{grid<1>, block<32>, shared(Bytes(bytes))},
                             kernel<add_one>, buffer.view(), size);
    if (!refused(deep, Errc::shared_too_large)) return false;
    const auto large = DeviceBuffer<int>::create(stream, std::size_t{1} << 46);
    if (!refused(large, Errc::out_of_memory)) return false;
    WARPSAFE_TRYV(
        launch(stream, LaunchConfig{grid<2>, block<64>}, kernel<add_one>, buffer.view(), size));
  }
  WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
  return std::count(values.begin(), values.end(), 20) == static_cast<std::ptrdiff_t>(size);
}

Outcome failed_checks(Random& random) {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::create(stream, size));
  const std::size_t bad = random() % 64;
  WARPSAFE_TRYV(
      launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<checked>, buffer.view(), bad));
  const auto waited = stream.synchronize();
  return bad < 32 ? waited.has_error() && waited.error().code == Errc::device_check_failed
                  : waited.has_value();
}

Outcome graphs(Random& random) {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::create(stream, size));
  WARPSAFE_TRYV(buffer.zero(stream));
  const auto nodes = 1 + random() % 16;
  const auto body = [&]() -> result<void> {
    for (std::size_t i = 0; i < nodes; ++i) {
      WARPSAFE_TRYV(
          launch(stream, LaunchConfig{grid<2>, block<64>}, kernel<add_one>, buffer.view(), size));
    }
    return success();
  };
  const auto whole = [&](Capture& capture) -> result<void> {
    WARPSAFE_TRYV(capture.keep(buffer.keep()));
    return body();
  };
  WARPSAFE_TRY(const auto graph, capture(stream, whole));
  WARPSAFE_TRY(auto exec, graph.instantiate());
  for (int i = 0; i < 20; ++i) WARPSAFE_TRYV(exec.launch(stream));
  // A wait breaks the capture.
  const auto broken = capture(stream, [&](Capture&) -> result<void> {
    WARPSAFE_TRYV(body());
    return stream.synchronize();
  });
  if (broken.has_value()) return false;
  WARPSAFE_TRYV(recapture(exec, stream, whole));
  for (int i = 0; i < 20; ++i) WARPSAFE_TRYV(exec.launch(stream));
  WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
  return std::count(values.begin(), values.end(), static_cast<int>(40 * nodes)) ==
         static_cast<std::ptrdiff_t>(size);
}

/// Objects that come and go in a random order, some moved, some closed.
Outcome objects(Random& random) {
  WARPSAFE_TRY(const auto stream, Stream::create());
  std::vector<Stream> streams;
  std::vector<DeviceBuffer<int>> buffers;
  std::vector<Event> events;
  for (int i = 0; i < 200; ++i) {
    const auto drop_one = [&](auto& all) {
      if (all.empty()) return;
      std::swap(all[random() % all.size()], all.back());
      all.pop_back();
    };
    switch (random() % 8) {
      case 0: {
        WARPSAFE_TRY(auto made, Stream::create());
        streams.push_back(std::move(made));
        break;
      }
      case 1:
        // Buffers come back on their stream, so that one must outlive them.
        WARPSAFE_TRYV(stream.synchronize());
        drop_one(streams);
        break;
      case 2:
      case 3: {
        WARPSAFE_TRY(auto made, DeviceBuffer<int>::create(stream, 1 + random() % 100'000));
        WARPSAFE_TRYV(made.zero(stream));
        buffers.push_back(std::move(made));
        break;
      }
      case 4:
        drop_one(buffers);
        break;
      case 5: {
        WARPSAFE_TRY(auto made, stream.record());
        events.push_back(std::move(made));
        break;
      }
      case 6:
        drop_one(events);
        break;
      default:
        if (streams.empty() || events.empty()) break;
        WARPSAFE_TRYV(wait(streams[random() % streams.size()], events[random() % events.size()]));
    }
  }
  for (auto& buffer : buffers) {
    WARPSAFE_TRYV(buffer.close());
  }
  return true;
}

/// A call of the model fails, or a kernel faults, somewhere in the streams program.
Outcome faults(Random& random) {
  using host::Call;
  using host::call_of;
  using host::HostStatus;
  const bool in_kernel = random() % 2 == 0;
  // The calls that the program makes, except those that release: where one of them fails, an object
  // of the model stays for ever, as on a device.
  static const std::vector<Call> calls = [&] {
    static_cast<void>(streams_run(streams_program::lanes, any_seed(random), ~0U));
    std::vector<Call> made;
    for (const auto& count : host::Runtime::get().book.counts()) {
      bool releases = false;
      for (const Call& release :
           {call_of<&host_backend::stream_destroy>, call_of<&host_backend::event_destroy>,
            call_of<&host_backend::deallocate>, call_of<&host_backend::deallocate_unordered>,
            call_of<&host_backend::host_deallocate>, call_of<&host_backend::graph_destroy>,
            call_of<&host_backend::graph_exec_destroy>, call_of<&host_backend::current_device>,
            call_of<&host_backend::event_synchronize>}) {
        releases = releases || release == count.call;
      }
      if (!releases) made.push_back(count.call);
    }
    return made;
  }();
  const Call call = calls[random() % calls.size()];
  const auto nth = 1 + static_cast<unsigned>(random() % 100);
  if (in_kernel) {
    host::fault_in_kernel(nth, HostStatus::illegal_address);
  } else {
    host::fail_next(call, nth, HostStatus::out_of_memory);
  }
  const auto numbers = streams_run(streams_program::lanes, any_seed(random), ~0U);
  const bool right =
      numbers.has_value() && streams_program::wrong(numbers.value(), serial_run()) == 0;
  host::reset();
  // The program has more than 100 launches, so that the fault is always met.
  return numbers.has_error() || (!in_kernel && right);
}

struct Kind {
  const char* name;
  Outcome (*round)(Random&);
  std::uint64_t rounds = 0;
};
Kind kinds[] = {{"right numbers", right_numbers},
                {"cut short", cut_short},
                {"refusals", refusals},
                {"failed checks", failed_checks},
                {"graphs", graphs},
                {"objects", objects},
                {"faults", faults}};

const char* running = "";
std::uint64_t running_number = 0;
std::uint64_t seed = 0;
[[noreturn]] void hung(int) {
  char text[256];
  const int length =
      std::snprintf(text, sizeof text, "FAILED: no end of round %llu (%s) after %u s; seed %llu\n",
                    static_cast<unsigned long long>(running_number), running, seconds_until_hung,
                    static_cast<unsigned long long>(seed));
  if (write(STDOUT_FILENO, text, static_cast<std::size_t>(length)) < 0) _exit(4);
  _exit(3);
}

/// Bytes that the process holds, and bytes of the device that are in use, by any process.
struct Held {
  std::size_t process = 0;
  std::size_t device = 0;
};
Held held() {
  Held now;
  malloc_trim(0);
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    unsigned long all = 0;
    unsigned long resident = 0;
    if (std::fscanf(file, "%lu %lu", &all, &resident) == 2) {
      now.process = resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    }
    std::fclose(file);
  }
  if (const auto info = memory_info(DeviceId(0)); info.has_value()) {
    now.device = info.value().total - info.value().free;
  }
  return now;
}

int failures = 0;
void fail(const std::string& text) {
  std::printf("FAILED: round %llu (%s), seed %llu: %s\n",
              static_cast<unsigned long long>(running_number), running,
              static_cast<unsigned long long>(seed), text.c_str());
  ++failures;
}

/// One round, recorded. Returns how many launches it made.
std::uint64_t run_round(Kind& kind) {
  Random random(seed + running_number);
  running = kind.name;
  ++kind.rounds;
  alarm(seconds_until_hung);
  const debug::Journal& journal = debug::Journal::get();
  debug::RunRecorder recorder;
  recorder.start();
  const std::uint64_t before = journal.last() - journal.skipped();
  const Outcome outcome = kind.round(random);
  const std::uint64_t made = journal.last() - journal.skipped() - before;
  recorder.stop();
  alarm(0);
  if (outcome.has_error()) {
    fail(message(outcome.error()));
  } else if (!outcome.value()) {
    fail("wrong numbers, or a fault that was not reported");
  }
  const debug::RunRecord record = recorder.run();
  if (record.incomplete || record.launches.size() != made) {
    fail(std::to_string(made) + " launches in the journal, " +
         std::to_string(record.launches.size()) + " in the record");
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const auto devices = device_count();
  if (!devices.has_value() || devices.value() == 0) {
    std::printf("needs a GPU: %s\n",
                devices.has_value() ? "no device" : message(devices.error()).c_str());
    return 77;
  }
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 10;
  seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10)
                  : static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  std::printf("long run: %.0f s on %s, seed %llu\n", seconds, default_backend::name.data,
              static_cast<unsigned long long>(seed));
  std::signal(SIGALRM, hung);
  // A program that is cut short drops copies that nobody waited for. The library says so each time.
  if (std::FILE* const nowhere = std::fopen("/dev/null", "w")) stderr = nowhere;
  serial_run();  // before any fault
  const auto begun = Clock::now();
  const auto gone = [&] { return std::chrono::duration<double>(Clock::now() - begun).count(); };
  Random random(seed);
  std::uint64_t launches = 0;
  // What a process holds goes up and down. So the least of the second tenth is compared with the
  // least of the last.
  constexpr Held most{~std::size_t{0}, ~std::size_t{0}};
  Held early = most;
  Held late = most;
  int next_sample = 0;  // in hundredths of the whole
  double next_line = 60;
  for (; gone() < seconds && failures < 10; ++running_number) {
    launches += run_round(kinds[random() % (std::size(kinds) - (on_host ? 0 : 1))]);
    const double part = 100 * gone() / seconds;
    if (part >= next_sample) {
      const Held now = held();
      Held& least = part < 90 ? early : late;
      if ((part >= 10 && part < 20) || part >= 90) {
        least = {std::min(least.process, now.process), std::min(least.device, now.device)};
      }
      next_sample = static_cast<int>(part) + 1;
    }
    if (gone() > next_line) {
      std::printf("%5.0f s: %llu rounds, %llu launches\n", gone(),
                  static_cast<unsigned long long>(running_number + 1),
                  static_cast<unsigned long long>(launches));
      std::fflush(stdout);
      next_line += 60;
    }
  }
  for (const Kind& kind : kinds) {
    std::printf("%8llu  %s\n", static_cast<unsigned long long>(kind.rounds), kind.name);
  }
  std::printf(
      "%llu rounds, %llu launches, each in the record\n"
      "at least in the second tenth: %zu kB in the process, %zu kB on the device\n"
      "at least in the last tenth:   %zu kB in the process, %zu kB on the device\n",
      static_cast<unsigned long long>(running_number), static_cast<unsigned long long>(launches),
      early.process / 1024, early.device / 1024, late.process / 1024, late.device / 1024);
  if (late.process > early.process + growth_allowed ||
      late.device > early.device + growth_allowed) {
    std::printf("FAILED: the memory has grown (the device's counts every process that uses it)\n");
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}
