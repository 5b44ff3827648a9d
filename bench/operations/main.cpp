// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The host time of each operation on a GPU: by CUDA's runtime, and by warpsafe with checks off and
// on. In each round all ways of an operation run once, in random order, and each is divided by
// raw's time of that round, so that a drift of the machine does not count for one of them. The
// table has the median of these ratios, and the half width of its 95 % interval. "raw again" is the
// same code with objects of its own: what differs there is no cost of warpsafe.

#include "operation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string_view>
#include <vector>

namespace {

struct Way {
  std::string name;
  std::function<double()> run;
  std::vector<double> times{};
};
struct Row {
  std::string operation;
  std::vector<Way> ways{};
};
std::vector<Row> rows;

struct Estimate {
  double median = 0;
  double half_width = 0;
};
/// The interval lies between order statistics, whatever the distribution.
Estimate estimate(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto size = static_cast<double>(values.size());
  const auto at = [&](double rank) {
    return values[static_cast<std::size_t>(std::clamp(rank, 0.0, size - 1))];
  };
  const double reach = 0.98 * std::sqrt(size);
  return {at(size / 2), (at(size / 2 + reach) - at(size / 2 - reach)) / 2};
}

const Way* find(const Row& row, std::string_view way) {
  for (const Way& each : row.ways) {
    if (each.name == way) return &each;
  }
  return nullptr;
}
Estimate ratio(const Way& way, const Way& raw) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < raw.times.size(); ++i) ratios.push_back(way.times[i] / raw.times[i]);
  return estimate(std::move(ratios));
}

void measure(int rounds) {
  std::mt19937 random(1);
  for (Row& row : rows) {
    for (Way& way : row.ways) way.run();  // what only the first call does
    std::vector<std::size_t> order(row.ways.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (int round = 0; round < rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) row.ways[i].times.push_back(row.ways[i].run());
    }
  }
}

void print_table() {
  std::printf("| operation | raw, ns | raw again | off | on |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: |\n");
  for (const Row& row : rows) {
    const Way& raw = *find(row, "raw");
    std::printf("| %s | %.0f |", row.operation.c_str(), estimate(raw.times).median);
    for (const char* way : {"raw again", "off", "on"}) {
      const Estimate it = ratio(*find(row, way), raw);
      std::printf(" %.3f ± %.3f |", it.median, it.half_width);
    }
    std::printf("\n");
  }
}
/// One line for each library that has a way to do an operation.
void print_library(const char* library, const char* missing) {
  if (missing != nullptr) {
    std::printf("%s: not measured: %s\n", library, missing);
    return;
  }
  for (const Row& row : rows) {
    const Way* const way = find(row, library);
    if (way == nullptr) continue;
    const Estimate it = ratio(*way, *find(row, "raw"));
    std::printf("%s: %s: %.3f ± %.3f of raw\n", library, row.operation.c_str(), it.median,
                it.half_width);
  }
}
void write_json(const char* path) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) {
    std::perror(path);
    std::exit(1);
  }
  const char* separator = "[\n";
  for (const Row& row : rows) {
    for (const Way& way : row.ways) {
      const Estimate it = ratio(way, *find(row, "raw"));
      std::fprintf(file,
                   "%s{\"operation\": \"%s\", \"way\": \"%s\", \"ns\": %.1f, \"ratio\": %.4f, "
                   "\"half_width\": %.4f}",
                   separator, row.operation.c_str(), way.name.c_str(), estimate(way.times).median,
                   it.median, it.half_width);
      separator = ",\n";
    }
  }
  std::fprintf(file, "\n]\n");
  std::fclose(file);
}

}  // namespace

void operations::add_way(const std::string& operation, const std::string& way,
                         std::function<double()> run) {
  auto row = std::find_if(rows.begin(), rows.end(),
                          [&](const Row& each) { return each.operation == operation; });
  if (row == rows.end()) row = rows.insert(row, Row{operation});
  row->ways.push_back({way, std::move(run)});
}

// Options: --rounds=N, and of Google Benchmark, as bench/run passes them, --benchmark_out=FILE.
int main(int count, char** words) {
  int rounds = 501;
  const char* out = nullptr;
  for (int i = 1; i < count; ++i) {
    const auto value_of = [&](const char* option) -> const char* {
      const std::size_t size = std::strlen(option);
      return std::strncmp(words[i], option, size) == 0 ? words[i] + size : nullptr;
    };
    if (const char* const given = value_of("--rounds=")) rounds = std::max(1, std::atoi(given));
    if (const char* const given = value_of("--benchmark_out=")) out = given;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("operations: needs a GPU\n");
    return 0;
  }
  operations::add_raw("raw");
  operations::add_raw("raw again");
  operations::add_off();
  operations::add_on();
  const char* const no_rmm = operations::add_rmm();
  const char* const no_cccl = operations::add_cccl();
  measure(rounds);
  print_table();
  print_library("rmm::device_uvector", no_rmm);
  print_library("cuda::buffer", no_cccl);
  if (out != nullptr) write_json(out);
}
