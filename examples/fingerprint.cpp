// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Computes the fingerprint of a file on a GPU: how often each byte occurs, and its Adler-32
// checksum. Then makes some launches that are wrong on purpose and prints their errors. The same
// source compiles with nvcc, hipcc, and g++ or clang++ (host backend).
//
//   fingerprint [FILE]    the default is README.md
//
// Exit code: 0 if the GPU and a plain loop on the CPU agree, 1 if not, 2 if it could not run.

#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ws = warpsafe;

using Count = unsigned long long;  // the 64-bit type with atomic addition on both vendors
using Byte = unsigned char;

constexpr std::size_t byte_values = 256;
// The program reads a file in chunks, so memory does not limit the file's size. A chunk of 1 MiB
// stays in a CPU's cache, which matters on the host backend. The sums of `sum_bytes` cannot
// overflow for chunks up to 256 MiB: 255 * 2^28 * 2^28 / 2 is below 2^63.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20U;
constexpr auto threads = ws::block<256>;

// --- On the device -------------------------------------------------------------------------------

// Counts per block in shared memory first, so that most atomic additions stay on one
// multiprocessor.
WARPSAFE_KERNEL void count_bytes(const Byte* data, std::size_t n, Count* counts) {
  auto* const mine = ws::shared_array<unsigned, byte_values>([] {});
  const unsigned thread = ws::thread_in_block().x;
  const unsigned block_threads = ws::block_size().x;
  for (unsigned value = thread; value < byte_values; value += block_threads) mine[value] = 0;
  ws::sync_block();
  for (auto i : ws::grid_stride(n)) ws::atomic_add(&mine[data[i]], 1U);
  ws::sync_block();
  for (unsigned value = thread; value < byte_values; value += block_threads) {
    if (mine[value] != 0) ws::atomic_add(&counts[value], Count{mine[value]});
  }
}

// The sums that Adler-32 needs for a chunk of n bytes: plain, and weighted by n, n-1, …, 1.
struct Sums {
  Count plain;
  Count weighted;
};

// Every thread sums its share. The block then halves the number of partial sums until one is left;
// its number of threads is a power of two.
WARPSAFE_KERNEL void sum_bytes(const Byte* data, std::size_t n, Sums* sums) {
  auto* const partial = ws::dynamic_shared<Sums>();
  const unsigned thread = ws::thread_in_block().x;
  Sums own{0, 0};
  for (auto i : ws::grid_stride(n)) {
    own.plain += data[i];
    own.weighted += (n - i) * data[i];
  }
  partial[thread] = own;
  for (unsigned half = ws::block_size().x / 2; half > 0; half /= 2) {
    ws::sync_block();
    if (thread < half) {
      partial[thread].plain += partial[thread + half].plain;
      partial[thread].weighted += partial[thread + half].weighted;
    }
  }
  if (thread == 0) {
    ws::atomic_add(&sums->plain, partial[0].plain);
    ws::atomic_add(&sums->weighted, partial[0].weighted);
  }
}

// The kernel of the wrong launches.
WARPSAFE_KERNEL void fill(float* values, std::size_t n) {
  for (auto i : ws::grid_stride(n)) values[i] = 1;
}

// The kernels with their needs. The library compares each launch with them. A launch of `summing`
// without shared memory does not compile.
constexpr auto counting = ws::kernel<count_bytes, ws::grid_stride_kernel>;
constexpr auto summing = ws::kernel<sum_bytes, ws::grid_stride_kernel, ws::needs_shared<Sums>>;

// --- On the host ---------------------------------------------------------------------------------

namespace {

struct Fingerprint {
  std::uint64_t bytes = 0;
  std::array<Count, byte_values> counts{};
  std::uint64_t low = 1;  // the two halves of Adler-32 (RFC 1950, section 8.2)
  std::uint64_t high = 0;
  bool operator==(const Fingerprint&) const = default;
};
constexpr std::uint64_t adler_modulus = 65521;

// The standard's algorithm, byte by byte.
void add_on_cpu(Fingerprint& print, std::span<const Byte> chunk) {
  print.bytes += chunk.size();
  while (!chunk.empty()) {
    const auto part =
        chunk.first(std::min<std::size_t>(chunk.size(), 5552));  // no overflow of 32 bits
    for (const Byte byte : part) {
      ++print.counts[byte];
      print.low += byte;
      print.high += print.low;
    }
    print.low %= adler_modulus;
    print.high %= adler_modulus;
    chunk = chunk.subspan(part.size());
  }
}

// As many blocks as the device runs at once. Each thread loops over its share of the elements.
struct Plan {
  ws::max_blocks counting_blocks;
  ws::max_blocks summing_blocks;
};
ws::result<Plan> make_plan(ws::StreamRef stream) {
  WARPSAFE_TRY(const auto counting_blocks, ws::max_resident_blocks(stream, counting, threads));
  WARPSAFE_TRY(
      const auto summing_blocks,
      ws::max_resident_blocks(stream, summing, threads, ws::Bytes(threads.count() * sizeof(Sums))));
  return Plan{counting_blocks, summing_blocks};
}
auto counting_config(std::size_t n, const Plan& plan) {
  return ws::configure(ws::SafeGrid<>::grid_stride(n, threads, plan.counting_blocks));
}
auto summing_config(std::size_t n, const Plan& plan) {
  return ws::configure(ws::SafeGrid<>::grid_stride(n, threads, plan.summing_blocks),
                       ws::shared<Sums>(threads.count()));
}

ws::result<void> add_on_gpu(Fingerprint& print, std::span<const Byte> chunk, ws::StreamRef stream,
                            const Plan& plan) {
  const std::size_t n = chunk.size();
  WARPSAFE_TRY(auto data, ws::DeviceBuffer<Byte>::from(stream, chunk));
  WARPSAFE_TRY(auto counts, ws::DeviceBuffer<Count>::create(stream, byte_values));
  WARPSAFE_TRY(auto sums, ws::DeviceBuffer<Sums>::create(stream, 1));
  WARPSAFE_TRYV(counts.zero(stream));
  WARPSAFE_TRYV(sums.zero(stream));
  WARPSAFE_TRYV(
      ws::launch(stream, counting_config(n, plan), counting, data.view(), n, counts.view()));
  WARPSAFE_TRYV(ws::launch(stream, summing_config(n, plan), summing, data.view(), n, sums.view()));

  // get() waits and returns the results; they cannot be read earlier.
  WARPSAFE_TRY(const auto counted, counts.to_host(stream).get());
  WARPSAFE_TRY(const auto summed, sums.to_host(stream).get());
  for (std::size_t value = 0; value < byte_values; ++value) print.counts[value] += counted[value];
  // Each byte of the chunk adds the sum from before the chunk once more.
  print.high = (print.high + print.low * (n % adler_modulus) + summed[0].weighted) % adler_modulus;
  print.low = (print.low + summed[0].plain) % adler_modulus;
  print.bytes += n;
  return ws::success();
}

// --- Mistakes ------------------------------------------------------------------------------------

template <class T>
void show(const char* mistake, const ws::result<T>& outcome) {
  std::cout << "\n* " << mistake << '\n';
  if (outcome.has_value()) {
    std::cout << "accepted\n";
  } else {
    std::cout << outcome.error() << '\n';
  }
}

// Only with full checks: without them, the device would receive the host pointer.
template <ws::CheckLevel Level = ws::current_level>
ws::result<void> show_mistakes(ws::StreamRef stream) {
  if constexpr (Level != ws::CheckLevel::full) {
    std::cout << "\nMistakes are found by checked builds, and this one has its checks off.\n";
    return ws::success();
  }
  std::cout << "\nMistakes that only show at run time, and what they answer\n";
  WARPSAFE_TRY(auto values, ws::DeviceBuffer<float>::create(stream, 1000));
  const auto launch = [&](const auto& config) {
    return ws::launch(stream, config, ws::kernel<fill>, values.view(), values.size());
  };
  const auto good = ws::configure(ws::SafeGrid<>::cover(values.size(), threads));

  show("a block of 64 x 64 threads", ws::BlockDim::create(64, 64));
  show("70000 blocks along y", ws::GridDim::from_blocks(1, 70000));
  show("a negative size", launch(ws::configure(ws::SafeGrid<>::cover(-1, threads))));
  show("2^48 elements, one thread each: 2^40 blocks",
       launch(ws::configure(ws::SafeGrid<>::cover(std::uint64_t{1} << 48U, threads))));
  show("4 MiB of shared memory",
       launch(ws::configure(ws::SafeGrid<>::cover(1000, threads), ws::shared<float>(1 << 20))));
  std::vector<float> on_host(values.size());
  show("a host pointer, said to be device memory",
       ws::launch(stream, good, ws::kernel<fill>, ws::trust(on_host.data()), on_host.size()));
  show("a negative number of elements",
       ws::launch(stream, good, ws::kernel<fill>, values.view(), -1000));
  on_host.resize(3);
  show("a copy of 3 elements into 1000",
       ws::copy_and_wait(stream, ws::from(on_host), ws::to(values)));
  show("and the same launch, done right", launch(good));
  return stream.synchronize();
}

// --- The report ----------------------------------------------------------------------------------

std::string_view text(ws::Name name) { return {name.data, name.size}; }

void print_device(const ws::DeviceLimits& limits) {
  std::cout << "Device " << limits.device << ": " << text(limits.name) << " ("
            << text(ws::default_backend::name) << " backend)\n"
            << "  multiprocessors      " << limits.multiprocessors << ", each "
            << limits.max_threads_per_multiprocessor << " threads at once\n"
            << "  threads per block    at most " << limits.max_threads_per_block << "\n"
            << "  block                at most (" << limits.max_block[0] << ','
            << limits.max_block[1] << ',' << limits.max_block[2] << ")\n"
            << "  grid                 at most (" << limits.max_grid[0] << ',' << limits.max_grid[1]
            << ',' << limits.max_grid[2] << ")\n"
            << "  shared memory        " << limits.shared_per_block << " bytes per block, "
            << limits.shared_per_block_optin << " with opt-in\n";
}

ws::result<void> print_configurations(std::size_t n, const Plan& plan) {
  WARPSAFE_TRY(const auto count, counting_config(n, plan));
  WARPSAFE_TRY(const auto sum, summing_config(n, plan));
  std::cout
      << "\nLaunches for " << n << " bytes\n"
      << "  count_bytes  " << count << "\n"
      << "  sum_bytes    " << sum << "\n"
      << "  " << count.grid() << ":\n"
      << "  at most as many blocks as the device keeps at once; each thread walks its share.\n"
      << "  sum_bytes keeps a partial sum of " << sizeof(Sums)
      << " bytes per thread in shared memory.\n";
  return ws::success();
}

void print_fingerprint(const Fingerprint& print) {
  std::cout << "\nFingerprint\n  bytes      " << print.bytes << "\n  Adler-32   " << std::hex
            << std::setfill('0') << std::setw(8) << (print.high << 16U | print.low) << std::dec
            << std::setfill(' ') << "\n";
  std::vector<std::size_t> order;
  for (std::size_t value = 0; value < byte_values; ++value) {
    if (print.counts[value] != 0) order.push_back(value);
  }
  std::cout << "  values     " << order.size() << " of " << byte_values << " occur\n";
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return print.counts[a] > print.counts[b]; });
  order.resize(std::min<std::size_t>(order.size(), 5));
  for (const std::size_t value : order) {
    const bool printable = value > ' ' && value < 127;
    std::cout << "  0x" << std::hex << std::setfill('0') << std::setw(2) << value << std::dec
              << std::setfill(' ') << ' ' << (printable ? static_cast<char>(value) : ' ')
              << std::setw(14) << print.counts[value] << '\n';
  }
}

ws::result<bool> run(std::istream& file, ws::StreamRef stream) {
  WARPSAFE_TRY(const auto limits, ws::device_limits(stream.device()));
  WARPSAFE_TRY(const auto plan, make_plan(stream));
  print_device(limits);
  Fingerprint gpu;
  Fingerprint cpu;
  std::vector<Byte> chunk(chunk_bytes);
  while (file) {
    file.read(reinterpret_cast<char*>(chunk.data()), static_cast<std::streamsize>(chunk.size()));
    const auto read = std::span<const Byte>(chunk).first(static_cast<std::size_t>(file.gcount()));
    if (read.empty()) break;
    if (gpu.bytes == 0) {
      WARPSAFE_TRYV(print_configurations(read.size(), plan));
    }
    WARPSAFE_TRYV(add_on_gpu(gpu, read, stream, plan));
    add_on_cpu(cpu, read);
  }
  if (gpu.bytes == 0) std::cout << "\nAn empty file: nothing to launch.\n";
  print_fingerprint(gpu);
  std::cout << (gpu == cpu ? "  the CPU says the same\n" : "  NOT what the CPU says\n");
  return gpu == cpu;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    std::cerr << "usage: fingerprint [FILE]\n";
    return 2;
  }
  const std::string name = argc == 2 ? argv[1] : "README.md";
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    std::cerr << "fingerprint: cannot open '" << name << "'\n";
    return 2;
  }
  const auto stream = ws::Stream::create(ws::DeviceId(0));
  if (!stream.has_value()) {
    std::cerr << "fingerprint: " << stream.error() << '\n';
    return 2;
  }
  std::cout << "File " << name << '\n';
  const auto agreed = run(file, stream.value());
  if (!agreed.has_value()) {
    std::cerr << "fingerprint: " << agreed.error() << '\n';
    return 2;
  }
  if (file.bad()) {
    std::cerr << "fingerprint: cannot read '" << name << "'\n";
    return 2;
  }

  const auto shown = show_mistakes(stream.value());
  if (!shown.has_value()) {
    std::cerr << "fingerprint: " << shown.error() << '\n';
    return 2;
  }
  std::cout << "\nNext: README.md, then docs/reference/errors.md (each error: cause and remedy)\n"
               "and docs/guide/migration.md (checks for `<<<>>>` launches that exist). This\n"
               "program is examples/fingerprint.cpp.\n";
  return agreed.value() ? 0 : 1;
}
