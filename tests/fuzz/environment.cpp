// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The environment variables: WARPSAFE_LOG, _ON_ERROR, _SYNC, _BREAK, _TIMEOUT, the vendors'
// switches, the filters of WARPSAFE_REFERENCE, _SHADOW and _TRACE, WARPSAFE_HOST_STACK, and the
// options of warpsafe-run. The input is their values, each ended by the byte 0xff. Claims: a value
// has the meaning of its documented grammar, which is written here a second time; any other value
// changes nothing, and its warning is one line. A filter selects a kernel that it lists, and no
// other.

#include "fuzz.hpp"
#include "tools/run/core/options.hpp"
#include <warpsafe/backend/host/detail/fibre.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/host.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace warpsafe;
using fuzz::require;

// Environment::get() reads once in a process. An explicit instantiation may name a private member.
template <auto Member>
struct Reached {
  friend debug::Environment read_again() { return Member(); }
};
debug::Environment read_again();
template struct Reached<&debug::Environment::read>;

namespace {

/// A whole number of 64 bits, written in digits alone.
std::optional<std::uint64_t> number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  __extension__ unsigned __int128 value = 0;
  for (const char letter : text) {
    if (letter < '0' || letter > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(letter - '0');
    if (value > ~std::uint64_t{0}) return std::nullopt;
  }
  return static_cast<std::uint64_t>(value);
}

/// WARPSAFE_TIMEOUT: SECONDS[.FRACTION][,stop].
std::optional<std::pair<std::uint64_t, bool>> timeout(std::string_view text) {
  const bool stops = text.size() >= 5 && text.substr(text.size() - 5) == ",stop";
  if (stops) text.remove_suffix(5);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
  const auto digits = [](std::string_view all) {
    return std::all_of(all.begin(), all.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() || !digits(whole) || !digits(fraction)) return std::nullopt;
  constexpr std::uint64_t most = 1'000'000'000'000;
  const std::uint64_t seconds = std::min(number(whole).value_or(most), most);
  fraction.resize(3, '0');
  return std::pair{seconds * 1000 + *number(fraction), stops};
}

/// The parts of a filter: names[:skip[:count]]. A colon of "::", and one in brackets, belong to a
/// name.
struct Filter {
  std::string names;
  std::uint64_t skip = 0;
  std::uint64_t count = ~std::uint64_t{0};
};
std::optional<Filter> filter(std::string_view text) {
  std::size_t end = 0;
  for (int depth = 0; end < text.size(); ++end) {
    const char letter = text[end];
    depth += letter == '<' || letter == '(' ? 1 : letter == '>' || letter == ')' ? -1 : 0;
    if (letter != ':' || depth > 0) continue;
    if (end + 1 == text.size() || text[end + 1] != ':') break;
    ++end;
  }
  Filter found{std::string(text.substr(0, end))};
  std::string_view rest = text.substr(std::min(end, text.size()));
  for (std::uint64_t* const value : {&found.skip, &found.count}) {
    if (rest.empty()) break;
    rest.remove_prefix(1);
    const std::size_t next = rest.find(':');
    const auto given = number(rest.substr(0, next));
    if (!given) return std::nullopt;
    *value = *given;
    rest = next == std::string_view::npos ? std::string_view() : rest.substr(next);
  }
  if (!rest.empty()) return std::nullopt;
  return found;
}

void check_line(void*, debug::LogLevel, const char* text, std::size_t size) noexcept {
  require(!fuzz::has_control({text, size}, false), "a warning is not one line");
}

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

void check_filter(const std::string& text) {
  debug::LaunchFilter made;
  const bool accepted = made.set(text.c_str());
  require(accepted == debug::LaunchFilter::is_valid(text.c_str()), "set and is_valid differ");
  const auto expected = filter(text);
  require(accepted == expected.has_value(),
          "a filter that is not in the grammar, or refused in it");
  require(made.on() == (accepted && !text.empty()),
          "a filter is on without a text, or off with one");
  if (!made.on()) return;
  // The first name of the list is selected, after `skip` launches, `count` times.
  std::string first;
  for (int depth = 0; const char letter : expected->names) {
    depth += letter == '<' || letter == '(' ? 1 : letter == '>' || letter == ')' ? -1 : 0;
    if (letter == ',' && depth <= 0) break;
    first += letter;
  }
  require(expected->skip > 3 || !first.empty() || made.on(), "never");
  const Name kernel{first.data(), first.size()};
  if (first.empty()) return;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const bool wanted = i >= expected->skip && i - expected->skip < expected->count;
    require(made.selects(kernel) == wanted, "a filter selects another launch than it says");
  }
}

/// WARPSAFE_RUN: a line "name=value" or "name" for each option. Empty lines mean nothing, and the
/// first line of another name is told.
void check_options(const std::string& text) {
  std::map<std::string, std::vector<std::string>> values;
  std::string unknown;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    static constexpr const char* names[] = {
        "quiet",  "stop-on-error", "races",        "guard",       "arguments",      "no-handlers",
        "kernel", "journal",       "timeline",     "report",      "error-exitcode", "addr2line",
        "cupti",  "rerun",         "rerun-folder", "share-cupti", "no-libraries"};
    const std::string name = line.substr(0, line.find('='));
    if (std::find(std::begin(names), std::end(names), name) != std::end(names)) {
      values[name].push_back(name.size() == line.size() ? "" : line.substr(name.size() + 1));
    } else if (unknown.empty()) {
      unknown = line;
    }
  }
  const watch::Options parsed = watch::Options::parse(text.c_str());
  const auto given = [&](const char* name) { return values.contains(name); };
  const auto last = [&](const char* name) { return given(name) ? values[name].back() : ""; };
  const auto expect = [](bool as_given, const char* name) {
    require(as_given, (std::string("the option ") + name).c_str());
  };
  expect(parsed.quiet == given("quiet"), "quiet");
  expect(parsed.stop_on_error == given("stop-on-error"), "stop-on-error");
  expect(parsed.races == given("races"), "races");
  expect(parsed.arguments == given("arguments"), "arguments");
  expect(parsed.no_handlers == given("no-handlers"), "no-handlers");
  expect(parsed.no_libraries == given("no-libraries"), "no-libraries");
  expect(parsed.share_cupti == given("share-cupti"), "share-cupti");
  expect(parsed.rerun_folder == last("rerun-folder"), "rerun-folder");
  std::string kernels;
  for (const std::string& list : values["kernel"]) kernels += (kernels.empty() ? "" : ",") + list;
  expect(parsed.kernels == kernels, "kernel");
  expect(parsed.cupti == values["cupti"], "cupti");
  expect(parsed.lines_tool == last("addr2line"), "addr2line");
  // Without the process's number, which %p stands for, these are file names as they are.
  const auto is_file = [](const std::string& name, const std::string& value) {
    return name == value || value.find('%') != std::string::npos;
  };
  expect(is_file(parsed.journal, last("journal")), "journal");
  expect(is_file(parsed.timeline, last("timeline")), "timeline");
  expect(std::equal(parsed.reports.begin(), parsed.reports.end(), values["report"].begin(),
                    values["report"].end(), is_file),
         "report");
  expect(given("guard") || parsed.guard == 0, "guard");
  expect(given("error-exitcode") || parsed.error_status == -1, "error-exitcode");
  expect(parsed.unknown == unknown, "of an unknown name");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const debug::LogSink sink{&check_line, nullptr};
  debug::set_log_sink(&sink);
  fuzz::Input input(data, size);
  const char* const names[] = {"WARPSAFE_LOG",        "WARPSAFE_ON_ERROR",   "WARPSAFE_SYNC",
                               "WARPSAFE_BREAK",      "WARPSAFE_TIMEOUT",    "WARPSAFE_REFERENCE",
                               "WARPSAFE_SHADOW",     "WARPSAFE_TRACE",      "CUDA_LAUNCH_BLOCKING",
                               "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL"};
  std::array<std::string, std::size(names)> values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::string(input.text());
    values[i] = values[i].c_str();  // a variable ends at a zero
    set(names[i], values[i]);
  }
  const auto& [log, on_error, sync, stop, limit, reference, shadow, trace, cuda, hip, amd] = values;
  const debug::Environment found = read_again();

  const char* const levels[] = {"off", "error", "warn", "debug", "trace"};
  const auto* const level = std::find(std::begin(levels), std::end(levels), log);
  const bool named = level != std::end(levels);
  require(found.log == static_cast<debug::LogLevel>(named ? level - levels : 0), "WARPSAFE_LOG");
  require((found.log_unknown != nullptr) == (!named && !log.empty()), "WARPSAFE_LOG's warning");
  require(found.warn_only == (on_error == "warn"), "WARPSAFE_ON_ERROR");
  require((found.on_error_unknown != nullptr) ==
              (!on_error.empty() && on_error != "warn" && on_error != "error"),
          "WARPSAFE_ON_ERROR's warning");
  const auto at = number(stop);
  require(found.break_at == at.value_or(0), "WARPSAFE_BREAK");
  require((found.break_unknown != nullptr) == (!stop.empty() && !at), "WARPSAFE_BREAK's warning");
  const auto wait = timeout(limit);
  require(found.timeout == (wait ? wait->first : ~std::uint64_t{0}), "WARPSAFE_TIMEOUT");
  require(found.timeout_stops == (wait && wait->second), "WARPSAFE_TIMEOUT's stop");
  require((found.timeout_unknown != nullptr) == (!limit.empty() && !wait), "its warning");
  const auto is_true = [](const std::string& text) {
    return text == "1" || text == "true" || text == "TRUE" || text == "True";
  };
  const bool by_sync = !sync.empty() && sync != "0" && sync != "one-stream";
  require(found.one_stream == (sync == "one-stream"), "WARPSAFE_SYNC=one-stream");
  require((found.blocking != nullptr) == (by_sync || is_true(cuda) || is_true(hip) ||
                                          is_true(amd) || amd == "2" || amd == "3"),
          "blocking launches");
  require((found.blocking_names != nullptr) == (by_sync && sync != "all" && !is_true(sync)),
          "the names of WARPSAFE_SYNC");
  debug::detail::log_active_switches(found);
  for (const std::string* one : {&reference, &shadow, &trace}) check_filter(*one);

  const std::string kernel(input.text());
  static_cast<void>(debug::is_listed({kernel.data(), kernel.size()}, sync.c_str()));
  if (!kernel.empty() && kernel.find_first_of("<>(),:") == std::string::npos &&
      kernel.find('\0') == std::string::npos) {
    require(debug::is_listed({kernel.data(), kernel.size()}, (kernel + ",b").c_str()) &&
                debug::is_listed({kernel.data(), kernel.size()}, ("b," + kernel).c_str()),
            "a plain name in a list is not found");
  }

  const std::string stack = std::string(input.text()).c_str();
  const std::size_t bytes = host::parse_stack_bytes(stack.c_str());
  require(bytes == 0 || (bytes >= host::least_stack_bytes && bytes <= host::most_stack_bytes),
          "WARPSAFE_HOST_STACK outside of its limits");
  const bool unit = !stack.empty() && (stack.back() == 'K' || stack.back() == 'M');
  const auto plain = number(unit ? stack.substr(0, stack.size() - 1) : stack);
  const unsigned shift = !unit ? 0 : stack.back() == 'K' ? 10 : 20;
  const bool in_range = plain && *plain <= host::most_stack_bytes >> shift &&
                        *plain << shift >= host::least_stack_bytes;
  require(bytes == (in_range ? *plain << shift : 0), "WARPSAFE_HOST_STACK");

  check_options(std::string(input.text()).c_str());
  return 0;
}
