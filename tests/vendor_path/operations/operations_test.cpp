// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The calls of the runtime that each operation makes, with checks off and on. The table of
// docs/reference/driver-calls.md is made by this test, which prints the right one if the page
// differs.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory.hpp>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using ws::CheckLevel;
using Calls = std::vector<std::string>;

constexpr std::size_t elements = 64;
constexpr ws::LaunchConfig once{ws::grid<1>, ws::block<64>};

/// An operation, the number of calls that a careful program makes for it by hand, and its calls
/// with checks off and on.
struct Row {
  std::string what;
  std::size_t by_hand;
  Calls calls[2];
};

/// The rows, with the calls of one level after those of another.
class Table {
 public:
  explicit Table(int column) : column_(column) {}
  template <class Work>
  void add(const std::string& what, std::size_t by_hand, const Work& work) {
    if (column_ == 0) rows().push_back({what, by_hand, {}});
    Row& row = rows().at(next_++);
    ASSERT_EQ(row.what, what);
    row.calls[column_] = calls_of(work);
  }
  static std::vector<Row>& rows() {
    static std::vector<Row> all;
    return all;
  }

 private:
  int column_;
  std::size_t next_ = 0;
};

/// The number of calls; a run of one function is one entry, "EventQuery x2".
std::size_t number_of(const Calls& calls) {
  std::size_t number = 0;
  for (const std::string& call : calls) {
    const std::size_t times = call.find(" x");
    number += times == std::string::npos ? 1 : std::stoul(call.substr(times + 2));
  }
  return number;
}
std::string cell(const Calls& calls) {
  std::string text;
  for (const std::string& call : calls) {
    const std::size_t space = call.find(' ');
    text += (text.empty() ? "`" : ", `") + prefix + call.substr(0, space) + '`';
    if (space != std::string::npos) text += call.substr(space);
  }
  return text.empty() ? "none" : text;
}
std::string table_of(const std::vector<Row>& rows) {
  std::string text =
      "| operation | by hand | checks off | checks on |\n| --- | ---: | --- | --- |\n";
  for (const Row& row : rows) {
    text += "| " + row.what + " | " + std::to_string(row.by_hand) + " | " + cell(row.calls[0]) +
            " | " + cell(row.calls[1]) + " |\n";
  }
  return text;
}
/// The table below this heading of the page.
std::string table_on_page(const std::string& heading) {
  std::ifstream file(VENDOR_TEST_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t section = page.find("\n" + heading + "\n");
  if (section == std::string::npos) return "";
  const std::size_t begin = page.find("\n|", section) + 1;
  const std::size_t end = page.find("\n\n", begin);
  return page.substr(begin, end == std::string::npos ? end : end + 1 - begin);
}

template <class Result>
void succeed(const Result& outcome) {
  EXPECT_THAT(outcome, Succeeds());
}

/// Does each operation, the second time in the process: what the library asks once is known.
template <CheckLevel Level>
void measure(Table& table) {
  const ws::Stream stream = ws::Stream::create<Level>().value();
  const ws::Stream other = ws::Stream::create<Level>().value();
  std::vector<float> host(elements, 1.0F);
  using Buffer = ws::DeviceBuffer<float>;
  auto buffer = Buffer::create<Level>(stream, elements).value();
  auto second = Buffer::create<Level>(stream, elements).value();
  const auto launch_on = [&](const ws::Stream& on) {
    succeed(ws::launch<Level>(on, once, ws::kernel<captured>, buffer.view()));
  };
  launch_on(stream);

  std::optional<ws::Stream> made_stream;
  table.add("`Stream::create`", 1,
            [&] { made_stream.emplace(ws::Stream::create<Level>().value()); });
  table.add("`stream.close()`", 1, [&] { succeed(made_stream->close()); });
  std::optional<Buffer> made;
  table.add("`DeviceBuffer::create`", 1,
            [&] { made.emplace(Buffer::create<Level>(stream, elements).value()); });
  table.add("`buffer.close()`", 1, [&] { succeed(made->close()); });
  table.add("`DeviceBuffer::from`, from pageable memory", 3,
            [&] { made.emplace(Buffer::from<Level>(stream, host).value()); });
  succeed(made->close());
  table.add("`copy_and_wait` from pageable memory", 2,
            [&] { succeed(ws::copy_and_wait<Level>(stream, ws::from(host), ws::to(buffer))); });
  table.add("`copy_and_wait` to pageable memory", 2,
            [&] { succeed(ws::copy_and_wait<Level>(stream, ws::from(buffer), ws::to(host))); });
  table.add("`to_host(stream).get()`", 2,
            [&] { succeed(buffer.template to_host<Level>(stream).template get<Level>()); });
  table.add("`copy` on the device", 1,
            [&] { succeed(ws::copy<Level>(stream, ws::from(second), ws::to(buffer))); });
  table.add("`zero(stream)`", 1, [&] { succeed(buffer.template zero<Level>(stream)); });
  std::optional<ws::PinnedBuffer<float>> pinned;
  table.add("`PinnedBuffer::create`", 1,
            [&] { pinned.emplace(ws::PinnedBuffer<float>::create<Level>(elements).value()); });
  table.add("`copy` to pinned memory, and `get()`", 5, [&] {
    pinned.emplace(ws::copy<Level>(stream, ws::from(buffer), ws::to(*std::move(pinned)))
                       .template get<Level>()
                       .value());
  });
  table.add("a `PinnedBuffer` is destroyed", 1, [&] { pinned.reset(); });

  std::optional<ws::Event> event;
  table.add("`stream.record()`", 2, [&] { event.emplace(stream.record<Level>().value()); });
  table.add("`wait(other, event)`", 1, [&] { succeed(ws::wait<Level>(other, *event)); });
  table.add("`event.record(stream)`", 1, [&] { succeed(event->template record<Level>(stream)); });
  table.add("`event.synchronize()`", 1, [&] { succeed(event->synchronize<Level>()); });
  table.add("`event.ready()`", 1, [&] { succeed(event->ready<Level>()); });
  table.add("an `Event` is destroyed", 1, [&] { event.reset(); });

  table.add("a launch with a buffer of its stream", 1, [&] { launch_on(stream); });
  table.add("the first launch with a buffer of another stream", 1, [&] { launch_on(other); });
  table.add("every later launch of that stream with the buffer", 1, [&] { launch_on(other); });
  table.add("`close()` of the buffer that another stream used", 5,
            [&] { succeed(buffer.close()); });

  auto capture = ws::Capture::begin<Level>(stream).value();
  succeed(second.template zero<Level>(stream));
  auto graph = std::move(capture).template end<Level>().value();
  auto executable = graph.template instantiate<Level>().value();
  table.add("a graph's `launch(stream)`", 1,
            [&] { succeed(executable.template launch<Level>(stream)); });
  table.add("`stream.synchronize()`", 1, [&] { succeed(stream.synchronize<Level>()); });
  table.add("`stream.ready()`", 1, [&] { succeed(stream.ready<Level>()); });
}

TEST(Operations, MakeTheCallsOfThePage) {
  reset();
  set_device_count(1);
  for (const bool again : {false, true}) {
    Table::rows().clear();
    Table off(0), on(1);
    measure<CheckLevel::off>(off);
    measure<CheckLevel::full>(on);
    if (!again) continue;
    for (const Row& row : Table::rows()) {
      // The library asks whether the other stream captures.
      const bool asks = row.what.find("that another stream used") != std::string::npos;
      EXPECT_LE(number_of(row.calls[0]), row.by_hand + (asks ? 1 : 0)) << row.what;
    }
    const std::string right = table_of(Table::rows());
    EXPECT_TRUE(table_on_page("## Other operations of CUDA") == right)
        << "the page needs this table:\n"
        << right;
  }
}

}  // namespace
}  // namespace vendor_test
