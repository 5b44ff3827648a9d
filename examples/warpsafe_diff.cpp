// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compares two recorded runs, for example one that works and one that does not:
//
//   warpsafe-diff A B                 prints a table of the differences
//   warpsafe-diff A B --report FILE   also writes a report, to continue the investigation
//   warpsafe-diff A --limits NAME     prints the launches of A that a GPU of that architecture
//                                     would refuse
//
// A and B are journals (docs/tools/journal.md). Exit code: 0 for no difference or no refused
// launch, 1 for some, 2 if a file cannot be read.

#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/debug/run/revalidate.hpp>
#include <warpsafe/print.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ws = warpsafe;
using Json = nlohmann::json;

namespace {

/// A journal: the JSON objects of its lines, sorted by kind.
struct Run {
  Json environment = Json::object();
  std::vector<Json> devices, launches, waits, errors;
};

[[nodiscard]] Run read(const std::string& path) {
  Run run;
  std::ifstream file(path);
  std::string text;
  std::size_t number = 0;
  while (std::getline(file, text)) {
    ++number;
    Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) {
      std::cerr << path << ':' << number << ": no JSON object\n";
      std::exit(2);
    }
    const auto put = [&](const char* key, std::vector<Json>& list) {
      if (line.contains(key)) list.push_back(line);
    };
    if (line.contains("warpsafe")) run.environment = line;
    put("device", run.devices);
    put("launch", run.launches);
    put("wait", run.waits);
    put("error", run.errors);
  }
  // Launches and waits name their device too; only a device's own line has its limits.
  std::erase_if(run.devices, [](const Json& line) { return !line.contains("max_grid"); });
  if (run.environment.value("format", 0) != 1) {
    std::cerr << path << ": no journal of format 1\n";
    std::exit(2);
  }
  return run;
}

[[nodiscard]] std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string axes;
  for (const Json& one : value) axes += (axes.empty() ? "(" : ",") + one.dump();
  return axes + ')';
}
[[nodiscard]] std::string field(const Json& line, const char* key) {
  return line.contains(key) ? text_of(line.at(key)) : "(not told)";
}
[[nodiscard]] std::string site_of(const Json& line) {
  if (!line.contains("file")) return "(not told)";
  const auto file = line.at("file").get<std::string>();
  return file.substr(file.rfind('/') + 1) + ':' + line.at("line").dump();
}
/// CUDA's 13000 is 13.0. HIP's numbers are not converted.
[[nodiscard]] std::string version(const Json& environment, const char* key) {
  const int number = environment.value(key, 0);
  if (number == 0) return "(not told)";
  if (environment.value("backend", "") != "CUDA") return std::to_string(number);
  return std::to_string(number / 1000) + '.' + std::to_string(number % 1000 / 10);
}

/// Names streams in the order of their first use, because their addresses differ between runs.
[[nodiscard]] std::vector<std::string> streams_of(const Run& run) {
  std::map<std::string, std::string> names;
  std::vector<std::string> found;
  for (const Json& launch : run.launches) {
    const std::string key =
        field(launch, "vendor") + field(launch, "device") + field(launch, "stream");
    found.push_back(names.try_emplace(key, "stream " + std::to_string(names.size())).first->second);
  }
  return found;
}

/// Joins the different values of a kernel's launches for one cell of the table.
[[nodiscard]] std::string joined(const std::set<std::string>& values) {
  if (values.empty()) return "(not launched)";
  if (values.size() > 4) return std::to_string(values.size()) + " different ones";
  std::string all;
  for (const std::string& one : values) all += (all.empty() ? "" : ", ") + one;
  return all;
}

struct Row {
  std::string factor, a, b;
};

class Comparison {
 public:
  Comparison(const Run& a, const Run& b) : a_(a), b_(b) {
    environment();
    order();
    kernels();
    waits_and_errors();
  }
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// Prints a table of the differences, and a line of what is the same.
  void print(std::ostream& out, const std::string& name_a, const std::string& name_b) const {
    std::array<std::size_t, 3> widths{30, 29, 32};
    for (const Row& row : rows_) {
      widths[0] = std::max(widths[0], row.factor.size());
      widths[1] = std::max(widths[1], row.a.size());
      widths[2] = std::max(widths[2], row.b.size());
    }
    const auto line = [&](const std::string& factor, const std::string& a, const std::string& b) {
      out << std::left << std::setw(static_cast<int>(widths[0]) + 2) << factor
          << std::setw(static_cast<int>(widths[1]) + 2) << a << b << '\n';
    };
    line("Factor", name_a, name_b);
    line(std::string(widths[0], '-'), std::string(widths[1], '-'), std::string(widths[2], '-'));
    for (const Row& row : rows_) line(row.factor, row.a, row.b);
    if (rows_.empty()) out << "no difference\n";
    std::string same;
    for (const std::string& one : same_) same += (same.empty() ? "" : ", ") + one;
    if (!same.empty()) out << "\nSame in both: " << same << '\n';
  }

 private:
  void compare(const std::string& factor, const std::string& a, const std::string& b) {
    if (a != b) rows_.push_back({factor, a, b});
    if (a == b) same_.push_back(factor);
  }

  void environment() {
    const auto gpu = [](const Run& run) {
      std::string names;
      for (const Json& device : run.devices) {
        names += (names.empty() ? "" : ", ") + field(device, "name");
      }
      return names.empty() ? "(not told)" : names;
    };
    compare("GPU", gpu(a_), gpu(b_));
    for (const char* key : {"backend", "warpsafe", "checks", "compiler"}) {
      compare(key, field(a_.environment, key), field(b_.environment, key));
    }
    for (const char* key : {"driver", "runtime", "toolkit"}) {
      compare(key, version(a_.environment, key), version(b_.environment, key));
    }
    const Json none = Json::object();
    const Json in_a = a_.environment.value("variables", none);
    const Json in_b = b_.environment.value("variables", none);
    std::set<std::string> names;
    for (const auto& [name, value] : in_a.items()) names.insert(name);
    for (const auto& [name, value] : in_b.items()) names.insert(name);
    for (const std::string& name : names) {
      compare(name, in_a.value(name, "(not set)"), in_b.value(name, "(not set)"));
    }
  }

  void order() {
    const auto count = [](const Run& run) {
      const auto lost = run.environment.value("lost", std::uint64_t{0});
      return std::to_string(run.launches.size()) +
             (lost == 0 ? "" : " (and " + std::to_string(lost) + " before)");
    };
    compare("launches", count(a_), count(b_));
    const auto streams_a = streams_of(a_);
    const auto streams_b = streams_of(b_);
    const auto different = [](const std::vector<std::string>& all) {
      return std::to_string(std::set<std::string>(all.begin(), all.end()).size());
    };
    compare("streams", different(streams_a), different(streams_b));
    // Finds the first launch that differs in its kernel or its stream.
    const auto at = [](const Run& run, const std::vector<std::string>& streams, std::size_t i) {
      return i < run.launches.size() ? field(run.launches[i], "kernel") + " on " + streams[i]
                                     : std::string("(ended)");
    };
    std::size_t i = 0;
    while (i < a_.launches.size() && i < b_.launches.size() &&
           at(a_, streams_a, i) == at(b_, streams_b, i)) {
      ++i;
    }
    const bool all = i == a_.launches.size() && i == b_.launches.size();
    compare(all ? "order" : "order: launch " + std::to_string(i + 1), at(a_, streams_a, i),
            at(b_, streams_b, i));
  }

  void kernels() {
    std::vector<std::string> names;
    for (const Run* run : {&a_, &b_}) {
      for (const Json& launch : run->launches) {
        const std::string name = field(launch, "kernel");
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    for (const std::string& name : names) {
      const auto values = [&](const Run& run, const auto& value) {
        std::set<std::string> found;
        const auto streams = streams_of(run);
        for (std::size_t i = 0; i < run.launches.size(); ++i) {
          if (field(run.launches[i], "kernel") == name) {
            found.insert(value(run.launches[i], streams[i]));
          }
        }
        return joined(found);
      };
      const auto both = [&](const std::string& what, const auto& value) {
        compare(name + ": " + what, values(a_, value), values(b_, value));
      };
      const auto count = [&](const Run& run) {
        return std::to_string(
            std::count_if(run.launches.begin(), run.launches.end(),
                          [&](const Json& one) { return field(one, "kernel") == name; }));
      };
      compare(name + ": launches", count(a_), count(b_));
      for (const auto& [key, what] : {std::pair{"grid", "grid"}, std::pair{"block", "block"},
                                      std::pair{"registers", "registers"},
                                      std::pair{"max_threads_per_block", "most threads per block"},
                                      std::pair{"static_shared", "static shared memory"},
                                      std::pair{"dynamic_shared", "dynamic shared memory"},
                                      std::pair{"device", "device"}, std::pair{"state", "state"}}) {
        both(what, [key = key](const Json& one, const std::string&) { return field(one, key); });
      }
      // A record has these fields only if its launch requests them.
      for (const char* const key :
           {"cluster", "non_portable_cluster", "priority", "cooperative", "programmatic"}) {
        both(key, [key](const Json& one, const std::string&) {
          return one.contains(key) ? text_of(one.at(key)) : "none";
        });
      }
      both("stream", [](const Json&, const std::string& stream) { return stream; });
      both("launched at", [](const Json& one, const std::string&) { return site_of(one); });
      // Summarises everything that is the same.
      const auto of_kernel = [&](const std::string& factor) {
        return factor.compare(0, name.size() + 2, name + ": ") == 0;
      };
      std::erase_if(same_, of_kernel);
      const bool differs = std::any_of(rows_.begin(), rows_.end(),
                                       [&](const Row& row) { return of_kernel(row.factor); });
      same_.push_back((differs ? "the rest of " : "all of ") + name);
    }
  }

  void waits_and_errors() {
    const auto places = [](const Run& run) {
      std::set<std::string> found;
      for (const Json& wait : run.waits) found.insert(site_of(wait));
      return found.empty() ? "none" : joined(found);
    };
    compare("waits", std::to_string(a_.waits.size()), std::to_string(b_.waits.size()));
    compare("waited at", places(a_), places(b_));
    const auto error = [](const Run& run) {
      return run.errors.empty() ? "none" : field(run.errors.front(), "error");
    };
    compare("errors", std::to_string(a_.errors.size()), std::to_string(b_.errors.size()));
    compare("first error", error(a_), error(b_));
  }

  const Run& a_;
  const Run& b_;
  std::vector<Row> rows_;
  std::vector<std::string> same_;
};

/// Writes a report with symptom, environment and differences filled in. The reader fills in the
/// attempts and their results.
void report(std::ostream& out, const Comparison& differences, const Run& b,
            const std::string& name_a, const std::string& name_b) {
  std::set<std::string> files, unfinished;
  for (const Json& launch : b.launches) {
    if (launch.contains("file")) files.insert(launch.at("file").get<std::string>());
    const std::string state = field(launch, "state");
    if (state == "submitted" || state == "started") unfinished.insert(field(launch, "kernel"));
  }
  out << "### <Issue Title>\n\n**Status:** Open\n**Symptom:** ";
  if (!b.errors.empty()) {
    out << "In " << name_b << ":\n\n```text\n" << field(b.errors.front(), "text") << "\n```\n\n";
  } else if (!unfinished.empty()) {
    out << "In " << name_b << " nobody has seen the end of: " << joined(unfinished) << "\n";
  } else {
    out << "<What goes wrong — no error is in " << name_b << ", and each launch has ended>\n";
  }
  out << "**Environment:** ";
  for (const Json& device : b.devices) out << field(device, "name") << ", ";
  out << "driver " << version(b.environment, "driver") << ", runtime "
      << version(b.environment, "runtime") << ", toolkit " << version(b.environment, "toolkit")
      << ", " << field(b.environment, "compiler") << ", warpsafe "
      << field(b.environment, "warpsafe") << " (checks " << field(b.environment, "checks") << ", "
      << field(b.environment, "backend") << ")\n**Related files:** ";
  for (const std::string& file : files) out << file << ", ";
  out << name_a << ", " << name_b
      << "\n\n---\n\n#### Attempt 1: <short description>\n\n**Hypothesis:** <Why you think this "
         "might work>\n**What you did:** <Exact commands, code changes>\n**Result:** <What happened "
         "— exact output>\n**Conclusion:** <What this tells us>\n\n---\n\n#### Key Differences: "
      << name_a << " vs " << name_b << "\n\n```\n";
  differences.print(out, name_a, name_b);
  out << "```\n\n---\n\n#### What to Try Next\n\n1. Take the differences above away one by one, the "
         "first of them first.\n";
  if (!b.errors.empty() || !unfinished.empty()) {
    out << "2. `WARPSAFE_SYNC=all`: each launch waits for its kernel, and the one that fails says "
           "so.\n3. `WARPSAFE_TIMEOUT=10`: a wait that hangs says what is in flight.\n";
  } else {
    out << "2. <...>\n";
  }
}

/// Reads the options that a launch requested besides its sizes.
void put_options(ws::debug::LaunchRecord& record, const Json& line) {
  using ws::debug::LaunchOption;
  const auto add = [&](bool asked, LaunchOption option) {
    if (asked)
      record.options = static_cast<std::uint8_t>(record.options | static_cast<int>(option));
  };
  add(line.contains("cluster"), LaunchOption::cluster);
  for (std::size_t axis = 0; line.contains("cluster") && axis < 3; ++axis) {
    record.cluster[axis] = line.at("cluster").at(axis).get<std::uint8_t>();
  }
  add(line.value("non_portable_cluster", false), LaunchOption::non_portable_cluster);
  add(line.contains("priority"), LaunchOption::priority);
  record.priority = line.value("priority", std::int8_t{0});
  add(line.value("cooperative", false), LaunchOption::cooperative);
  add(line.value("programmatic", false), LaunchOption::programmatic);
}

[[nodiscard]] int revalidate(const Run& run, const std::string& name) {
  const ws::DeviceLimits* found = nullptr;
  for (const auto* table :
       {&ws::limits::sm_75, &ws::limits::sm_80, &ws::limits::sm_90, &ws::limits::sm_100,
        &ws::limits::gfx90a, &ws::limits::gfx942, &ws::limits::gfx1100}) {
    if (std::string(table->name.data, table->name.size) == name) found = table;
  }
  if (found == nullptr) {
    std::cerr << "no table for " << name
              << "; there are sm_75, sm_80, sm_90, sm_100, gfx90a, gfx942, gfx1100\n";
    return 2;
  }
  std::size_t refused = 0;
  for (const Json& line : run.launches) {
    ws::debug::LaunchRecord record{};
    const auto kernel = line.at("kernel").get<std::string>();
    const std::string file = line.value("file", "");
    record.kernel = {kernel.data(), kernel.size()};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      record.grid[axis] = line.at("grid").at(axis).get<std::uint32_t>();
      record.block[axis] = line.at("block").at(axis).get<std::uint32_t>();
    }
    record.dynamic_shared = line.at("dynamic_shared").get<std::uint64_t>();
    record.static_shared = line.at("static_shared").get<std::uint32_t>();
    record.max_threads_per_block = line.at("max_threads_per_block").get<std::uint32_t>();
    put_options(record, line);
    record.vendor = line.at("vendor") == "nvidia" ? ws::Vendor::nvidia
                    : line.at("vendor") == "amd"  ? ws::Vendor::amd
                                                  : ws::Vendor::host;
    if (!file.empty()) record.site = {file.c_str(), "", line.value("line", 0U)};
    const auto outcome = ws::debug::revalidate(record, *found);
    if (outcome.has_value()) continue;
    ++refused;
    std::cout << '#' << line.at("launch") << ' ' << outcome.error() << '\n';
  }
  std::cout << refused << " of " << run.launches.size() << " launches would be refused on " << name
            << '\n';
  return refused == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() == 3 && arguments[1] == "--limits") {
    return revalidate(read(arguments[0]), arguments[2]);
  }
  const bool reports = arguments.size() == 4 && arguments[2] == "--report";
  if (arguments.size() != 2 && !reports) {
    std::cerr << "usage: warpsafe-diff A B [--report FILE]\n       warpsafe-diff A --limits NAME\n";
    return 2;
  }
  const Run a = read(arguments[0]);
  const Run b = read(arguments[1]);
  const Comparison differences(a, b);
  differences.print(std::cout, arguments[0], arguments[1]);
  if (reports) {
    std::ofstream file(arguments[3]);
    report(file, differences, b, arguments[0], arguments[1]);
    if (!file.flush()) {
      std::cerr << arguments[3] << ": cannot be written\n";
      return 2;
    }
  }
  return differences.empty() ? 0 : 1;
}
