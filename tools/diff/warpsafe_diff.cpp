// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compares two recorded runs, for example one that works and one that does not:
//
//   warpsafe-diff A B                 prints a table of the differences
//   warpsafe-diff A B --report FILE   also writes a report, to continue the investigation
//   warpsafe-diff A --limits NAME     prints the launches of A that a GPU of that architecture
//                                     would refuse
//
// A and B are journals (docs/tools/compare-runs.md). Exit code: 0 for no difference or no refused
// launch, 1 for some, 2 with one line of text if a file cannot be read or is no journal, or the
// output cannot be written.

#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/launch/validate.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/tool_api.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace ws = warpsafe;
using Json = nlohmann::json;

namespace {

/// A journal: the JSON objects of its lines, sorted by kind.
struct Run {
  Json environment = Json::object();
  std::vector<Json> devices, launches, waits, errors;
  bool is_cut_off = false;  ///< the program ended while it wrote the last line
};

/// The arguments or a file cannot be used, and why: one line.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Text of a file as a terminal may get it: control characters are escaped, so that they neither
/// move the cursor nor make a second line.
[[nodiscard]] std::string visible(const std::string& text, bool keep_lines = false) {
  constexpr const char* digits = "0123456789abcdef";
  std::string shown;
  const auto escape = [&](unsigned byte) {
    shown += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // The second half of the control characters begins with 0xc2 in UTF-8.
    const bool second_half =
        byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (second_half) {
      escape(static_cast<unsigned char>(text[++i]));
    } else if ((byte < 0x20 || byte == 0x7f) && !(keep_lines && byte == '\n')) {
      escape(byte);
    } else {
      shown += text[i];
    }
  }
  return shown;
}

/// What the fields of a journal contain (docs/tools/compare-runs.md).
struct Kind {
  const char* text;
  bool (*holds)(const Json&);
};
template <class Number>
[[nodiscard]] bool is_whole(const Json& value) {
  if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>() <=
           static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
  }
  return value.is_number_integer() && std::is_signed_v<Number> &&
         value.get<std::int64_t>() >= static_cast<std::int64_t>(std::numeric_limits<Number>::min());
}
template <class Number>
[[nodiscard]] bool are_axes(const Json& value) {
  return value.is_array() && value.size() == 3 &&
         std::all_of(value.begin(), value.end(), is_whole<Number>);
}
constexpr Kind a_text{"a text", [](const Json& value) { return value.is_string(); }};
constexpr Kind a_flag{"true or false", [](const Json& value) { return value.is_boolean(); }};
constexpr Kind a_time{"a number", [](const Json& value) { return value.is_number(); }};
constexpr Kind a_count{"a whole number from 0 to 2^64 - 1", is_whole<std::uint64_t>};
constexpr Kind a_size{"a whole number from 0 to 2^32 - 1", is_whole<std::uint32_t>};
constexpr Kind a_number{"a whole number of 32 bits", is_whole<std::int32_t>};
constexpr Kind a_level{"a whole number from -128 to 127", is_whole<std::int8_t>};
constexpr Kind an_extent{"three whole numbers from 0 to 2^32 - 1", are_axes<std::uint32_t>};
constexpr Kind a_cluster{"three whole numbers from 0 to 255", are_axes<std::uint8_t>};
constexpr Kind some_texts{"an object of strings", [](const Json& value) {
                            return value.is_object() &&
                                   std::all_of(value.begin(), value.end(),
                                               [](const Json& one) { return one.is_string(); });
                          }};
// Of the limits of a device, by their types.
namespace detail = warpsafe::detail;
[[nodiscard]] constexpr Kind kind_of(bool) { return a_flag; }
[[nodiscard]] constexpr Kind kind_of(std::uint32_t) { return a_size; }
[[nodiscard]] constexpr Kind kind_of(std::uint64_t) { return a_count; }
[[nodiscard]] constexpr Kind kind_of(const detail::Axes&) { return an_extent; }

constexpr std::pair<const char*, Kind> fields[] = {
    {"warpsafe", a_text},
    {"format", a_size},
    {"started", a_text},
    {"host", a_text},
    {"compiler", a_text},
    {"checks", a_number},
    {"backend", a_text},
    {"driver", a_number},
    {"runtime", a_number},
    {"toolkit", a_number},
    {"launches", a_count},
    {"lost", a_count},
    {"incomplete", a_flag},
    {"variables", some_texts},
    {"device", a_number},
    {"name", a_text},
    {"vendor", a_text},
#define WARPSAFE_DEVICE_LIMIT(type, name, cuda, hip) {#name, kind_of(type{})},
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_DEVICE_LIMIT
    {"floored", a_flag},
    {"launch", a_count},
    {"kernel", a_text},
    {"grid", an_extent},
    {"block", an_extent},
    {"dynamic_shared", a_count},
    {"static_shared", a_size},
    {"registers", a_size},
    {"stream", a_text},
    {"stream_number", a_count},
    {"state", a_text},
    {"cluster", a_cluster},
    {"non_portable_cluster", a_flag},
    {"priority", a_level},
    {"cooperative", a_flag},
    {"programmatic", a_flag},
    {"thread", a_size},
    {"begin_us", a_time},
    {"end_us", a_time},
    {"gpu_begin_us", a_time},
    {"gpu_end_us", a_time},
    {"file", a_text},
    {"line", a_size},
    {"function", a_text},
    {"wait", a_text},
    {"status", a_number},
    {"error", a_text},
    {"code", a_size},
    {"text", a_text},
    {"after_launch", a_count},
    {"at_us", a_time},
};
/// The known fields of the line. Throws BadInput if one of them holds something else. Unknown
/// fields are dropped: copies are recursive, and an array may be nested deeper than the stack.
[[nodiscard]] Json known_fields(Json line, const std::string& place) {
  Json known = Json::object();
  for (const auto& [name, kind] : fields) {
    const auto found = line.find(name);
    if (found == line.end()) continue;
    if (kind.holds(*found)) {
      known[name] = std::move(*found);
      continue;
    }
    // dump() is recursive, and an array may be nested deeper than the stack.
    std::string is = found->is_structured()
                         ? std::string("an ") + found->type_name()
                         : found->dump(-1, ' ', true, Json::error_handler_t::replace);
    if (is.size() > 60) is = is.substr(0, 60) + "...";
    throw BadInput(place + ": the field '" + name + "' is " + is + ", not " + kind.text +
                   "; record the run again");
  }
  return known;
}

enum class Line { whole, unended, none };
/// Reads a line without its end.
[[nodiscard]] Line read_line(std::istream& file, std::string& line, const std::string& place) {
  constexpr std::size_t most = std::size_t{16} << 20U;
  std::streambuf& buffer = *file.rdbuf();
  line.clear();
  for (;;) {
    const int letter = buffer.sbumpc();
    if (letter == std::char_traits<char>::eof()) {
      return line.empty() ? Line::none : Line::unended;
    }
    if (letter == '\n') return Line::whole;
    // A device such as /dev/zero has no end.
    if (line.size() == most) {
      throw BadInput(place + ": longer than " + std::to_string(most) +
                     " bytes, the limit of a line; the file is not a journal");
    }
    line += static_cast<char>(letter);
  }
}

[[nodiscard]] Run read(const std::string& path) {
  Run run;
  std::ifstream file(path);
  if (!file) throw BadInput(path + ": it cannot be read");
  std::string text;
  std::size_t number = 1;
  const auto place = [&] { return path + ':' + std::to_string(number); };
  for (;; ++number) {
    const Line end = read_line(file, text, place());
    if (end == Line::none) break;
    Json line = Json::parse(text, nullptr, false);
    if (!line.is_object() && end == Line::unended) {
      run.is_cut_off = true;
      break;
    }
    if (!line.is_object()) {
      throw BadInput(place() + ": not a JSON object; the file is not a journal, or was cut off");
    }
    line = known_fields(std::move(line), place());
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
  if (run.environment.value("format", 0U) != 1) {
    throw BadInput(path + ": not a journal of format 1; record the run with this version");
  }
  // A journal that is written as things happen begins with 0 launches.
  const auto launches = run.environment.value("launches", std::uint64_t{0});
  if (run.launches.size() < launches) {
    throw BadInput(path + ": it was cut off: it has " + std::to_string(run.launches.size()) +
                   " of " + std::to_string(launches) + " launches; copy the whole file");
  }
  if (run.is_cut_off) {
    std::cerr << "warpsafe-diff: " << visible(place())
              << ": the last line is cut off, and left out; the program ended while it was "
                 "written\n";
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
  return line.contains(key) ? text_of(line.at(key)) : "(not recorded)";
}
[[nodiscard]] std::string site_of(const Json& line) {
  if (!line.contains("file") || !line.contains("line")) return "(not recorded)";
  const auto file = line.at("file").get<std::string>();
  return file.substr(file.rfind('/') + 1) + ':' + line.at("line").dump();
}
/// CUDA's 13000 is 13.0. HIP's numbers are not converted.
[[nodiscard]] std::string version(const Json& environment, const char* key) {
  const int number = environment.value(key, 0);
  if (number == 0) return "(not recorded)";
  if (environment.value("backend", "") != "CUDA") return std::to_string(number);
  return std::to_string(number / 1000) + '.' + std::to_string(number % 1000 / 10);
}

/// Names streams in the order of their first use, because their numbers differ between runs. Two
/// streams of a run may have one handle, one after another.
[[nodiscard]] std::vector<std::string> streams_of(const Run& run) {
  std::map<std::string, std::string> names;
  std::vector<std::string> found;
  for (const Json& launch : run.launches) {
    const std::string key = field(launch, "vendor") + field(launch, "device") +
                            field(launch, "stream") + ' ' + field(launch, "stream_number");
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
      out << std::left << std::setw(static_cast<int>(widths[0]) + 2) << visible(factor)
          << std::setw(static_cast<int>(widths[1]) + 2) << visible(a) << visible(b) << '\n';
    };
    line("Factor", name_a, name_b);
    line(std::string(widths[0], '-'), std::string(widths[1], '-'), std::string(widths[2], '-'));
    for (const Row& row : rows_) line(row.factor, row.a, row.b);
    if (rows_.empty()) out << "no difference\n";
    std::string same;
    for (const std::string& one : same_) same += (same.empty() ? "" : ", ") + visible(one);
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
      return names.empty() ? "(not recorded)" : names;
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
    // One pass over the launches, however many kernels there are.
    std::vector<std::string> names;
    std::map<std::string, std::array<std::vector<std::size_t>, 2>> launches;
    const std::array<const Run*, 2> runs{&a_, &b_};
    const std::array streams{streams_of(a_), streams_of(b_)};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      for (std::size_t i = 0; i < runs[side]->launches.size(); ++i) {
        const std::string name = field(runs[side]->launches[i], "kernel");
        const auto [found, added] = launches.try_emplace(name);
        if (added) names.push_back(name);
        found->second[side].push_back(i);
      }
    }
    for (const std::string& name : names) {
      const auto& of_name = launches.at(name);
      const auto values = [&](std::size_t side, const auto& value) {
        std::set<std::string> found;
        for (const std::size_t i : of_name[side]) {
          found.insert(value(runs[side]->launches[i], streams[side][i]));
        }
        return joined(found);
      };
      const auto both = [&](const std::string& what, const auto& value) {
        compare(name + ": " + what, values(0, value), values(1, value));
      };
      compare(name + ": launches", std::to_string(of_name[0].size()),
              std::to_string(of_name[1].size()));
      for (const auto& [key, what] : {std::pair{"grid", "grid"}, std::pair{"block", "block"},
                                      std::pair{"registers", "registers"},
                                      std::pair{"max_threads_per_block", "most threads per block"},
                                      std::pair{"static_shared", "static shared memory"},
                                      std::pair{"dynamic_shared", "dynamic shared memory"},
                                      std::pair{"device", "device"}, std::pair{"state", "state"}}) {
        both(what,
             [wanted = key](const Json& one, const std::string&) { return field(one, wanted); });
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
    compare("wait locations", places(a_), places(b_));
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
    out << "In " << name_b << ":\n\n```text\n"
        << visible(field(b.errors.front(), "text"), true) << "\n```\n\n";
  } else if (!unfinished.empty()) {
    out << "In " << name_b
        << " these kernels are not known to have ended: " << visible(joined(unfinished)) << "\n";
  } else {
    out << "<What goes wrong — no error is in " << name_b << ", and each launch has ended>\n";
  }
  out << "**Environment:** ";
  for (const Json& device : b.devices) out << visible(field(device, "name")) << ", ";
  out << "driver " << version(b.environment, "driver") << ", runtime "
      << version(b.environment, "runtime") << ", toolkit " << version(b.environment, "toolkit")
      << ", " << visible(field(b.environment, "compiler")) << ", warpsafe "
      << visible(field(b.environment, "warpsafe")) << " (checks " << field(b.environment, "checks")
      << ", " << visible(field(b.environment, "backend")) << ")\n**Related files:** ";
  for (const std::string& file : files) out << visible(file) << ", ";
  out << name_a << ", " << name_b
      << "\n\n---\n\n#### Attempt 1: <short description>\n\n**Hypothesis:** <Why you think this "
         "might work>\n**What you did:** <Exact commands, code changes>\n**Result:** <What happened "
         "— exact output>\n**Conclusion:** <What this tells us>\n\n---\n\n#### Key Differences: "
      << name_a << " vs " << name_b << "\n\n```\n";
  differences.print(out, name_a, name_b);
  out << "```\n\n---\n\n#### What to Try Next\n\n1. Remove the differences above one at a time, "
         "from the top.\n";
  if (!b.errors.empty() || !unfinished.empty()) {
    out << "2. `WARPSAFE_SYNC=all`: each launch waits for its kernel, and the launch whose kernel "
           "fails returns the error.\n3. `WARPSAFE_TIMEOUT=10`: a wait that exceeds 10 seconds "
           "prints the work in flight.\n";
  } else {
    out << "2. <...>\n";
  }
}

/// Reads the options that a launch requested besides its sizes.
void put_options(ws::LaunchRecord& record, const Json& line) {
  using ws::LaunchOption;
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
    throw BadInput("no table for " + name +
                   "; there are sm_75, sm_80, sm_90, sm_100, gfx90a, gfx942, gfx1100");
  }
  std::size_t refused = 0;
  for (const Json& line : run.launches) {
    for (const char* const key : {"kernel", "grid", "block", "dynamic_shared", "static_shared",
                                  "max_threads_per_block", "vendor"}) {
      if (line.contains(key)) continue;
      throw BadInput("launch " + line.at("launch").dump() + " has no field '" + key +
                     "'; record the run again");
    }
    ws::LaunchRecord record{};
    const auto kernel = visible(line.at("kernel").get<std::string>());
    const std::string file = visible(line.value("file", ""));
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
    const auto outcome = ws::revalidate(record, *found);
    if (outcome.has_value()) continue;
    ++refused;
    std::cout << '#' << line.at("launch") << ' ' << outcome.error() << '\n';
  }
  std::cout << refused << " of " << run.launches.size() << " launches would be refused on " << name
            << '\n';
  return refused == 0 ? 0 : 1;
}

/// Whether the path names an open descriptor, as /dev/stdout does.
[[nodiscard]] bool is_descriptor(const std::string& path) {
  return path.starts_with("/dev/fd/") || path.starts_with("/dev/std") || path.starts_with("/proc/");
}
/// Throws BadInput if the report would replace that file. Devices and pipes replace nothing.
void refuse_one_file(const std::string& report, const std::string& file, const std::string& what) {
  std::error_code none;  // one of them does not exist
  if (!std::filesystem::is_regular_file(file, none) ||
      !std::filesystem::equivalent(report, file, none)) {
    return;
  }
  throw BadInput("--report " + report + " is the same file as " + what +
                 ", and would replace it; choose another name");
}

/// Writes a report, in place of an older one when it is complete. Throws BadInput if it cannot.
void write_report(const std::string& path, const std::string& text) {
  std::error_code none;
  if (std::filesystem::is_fifo(path, none)) {
    std::ofstream pipe(path);
    if (!(pipe << text).flush()) throw BadInput(path + ": it cannot be written");
    return;
  }
  // A link stays a link.
  const bool is_link = std::filesystem::is_symlink(path, none) && !is_descriptor(path);
  const std::string file = is_link ? std::filesystem::weakly_canonical(path, none).string() : path;
  const int failed = ws::tool::write_to(file.c_str(), [&](std::FILE* to) {
    ws::tool::OutputFile out(to);
    out.write(text.data(), text.size());
    return out.finish();
  });
  if (failed != 0) {
    throw BadInput(path + ": it cannot be written: " + ws::tool::file_problem(failed));
  }
}

/// main, with an exit code; throws if a file cannot be used.
[[nodiscard]] int compare(const std::vector<std::string>& arguments) {
  if (arguments.size() == 3 && arguments[1] == "--limits") {
    return revalidate(read(arguments[0]), arguments[2]);
  }
  const bool reports = arguments.size() == 4 && arguments[2] == "--report";
  if (arguments.size() != 2 && !reports) {
    std::cerr << "usage: warpsafe-diff A B [--report FILE]\n       warpsafe-diff A --limits NAME\n";
    return 2;
  }
  if (reports) {
    for (const std::string& input : {arguments[0], arguments[1]}) {
      refuse_one_file(arguments[3], input, "the journal " + input);
    }
    if (!is_descriptor(arguments[3])) {
      refuse_one_file(arguments[3], "/dev/stdout", "standard output");
    }
  }
  const Run a = read(arguments[0]);
  const Run b = read(arguments[1]);
  const Comparison differences(a, b);
  if (reports) {
    std::ostringstream text;
    report(text, differences, b, arguments[0], arguments[1]);
    write_report(arguments[3], text.str());
  }
  differences.print(std::cout, arguments[0], arguments[1]);
  return differences.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    const int status = compare({words + 1, words + count});
    if (!std::cout.flush()) throw BadInput("standard output cannot be written");
    return status;
  } catch (const std::exception& problem) {
    std::cerr << "warpsafe-diff: " << visible(problem.what()) << '\n';
    return 2;
  }
}
