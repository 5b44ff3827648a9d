// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The host time of each operation on a GPU: by CUDA's runtime, and by warpsafe with checks off and
// on. Prints a table of medians in nanoseconds, with the ratio to raw CUDA. The ways of one
// operation take turns at random, so that a drift of the machine does not count for one of them.

#include "operation.hpp"

#include <map>
#include <vector>

namespace {

class Table : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    PrintBasicContext(&GetErrorStream(), context);
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.aggregate_name != "median") continue;
      const std::string name = run.run_name.function_name;
      const std::size_t slash = name.rfind('/');
      const std::string operation = name.substr(0, slash);
      if (medians_[operation].empty()) order_.push_back(operation);
      medians_[operation][name.substr(slash + 1)] = run.GetAdjustedRealTime();
    }
  }
  void Finalize() override {
    std::printf("| operation | raw, ns | off | on |\n| --- | ---: | ---: | ---: |\n");
    for (const std::string& operation : order_) {
      auto& of = medians_[operation];
      for (const char* raw : {"raw", "raw, a new event"}) {
        if (of.count(raw) == 0) continue;
        std::printf("| %s%s | %.0f | %.2f | %.2f |\n", operation.c_str(), raw + 3, of[raw],
                    of["off"] / of[raw], of["on"] / of[raw]);
      }
    }
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::map<std::string, double>> medians_;
};

}  // namespace

int main(int count, char** words) {
  std::vector<char*> all(words, words + count);
  std::string shuffled = "--benchmark_enable_random_interleaving=true";
  all.push_back(shuffled.data());
  int size = static_cast<int>(all.size());
  all.push_back(nullptr);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("operations: needs a GPU\n");
    return 0;
  }
  operations::add_raw();
  operations::add_off();
  operations::add_on();
  benchmark::Initialize(&size, all.data());
  Table table;
  benchmark::RunSpecifiedBenchmarks(&table);
}
