// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Device memory that a kernel gets inside a structure: the detector compares what the kernel
// accesses through it, and says so where a type hides the memory.

#include "run_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpsafe::adversarial::structures {

using Floats = std::vector<float>;

/// The ways to put one span into a parameter. A kernel of each adds 1 to the elements.
template <class T>
struct Plain {
  int before = 0;
  DeviceSpan<T> x;
  explicit operator DeviceSpan<T>() const { return x; }
};
template <class T>
struct Nested {
  double before = 0;
  Plain<T> inside;
  explicit operator DeviceSpan<T>() const { return inside.x; }
};
template <class T>
struct Derived : Plain<T> {
  char behind = 0;
};
template <class T>
struct InArray {
  DeviceSpan<T> all[3];
  explicit operator DeviceSpan<T>() const { return all[2]; }
};
template <class T>
struct InOptional {
  std::optional<DeviceSpan<T>> x;
  explicit operator DeviceSpan<T>() const { return x.value(); }
};
template <class T>
struct AsPointer {
  device_ptr<T> x;
  explicit operator DeviceSpan<T>() const { return DeviceSpan<T>(x, 1); }
};
template <class T>
struct AsPlanes {  // named like a complex number's parts
  DeviceSpan<T> x;
  [[nodiscard]] DeviceSpan<T> real() const { return x; }
  [[nodiscard]] DeviceSpan<T> imag() const { return x; }
  explicit operator DeviceSpan<T>() const { return x; }
};
template <class T>
struct AsPair {
  std::pair<int, DeviceSpan<T>> x;
  explicit operator DeviceSpan<T>() const { return x.second; }
};

template <class S>
WARPSAFE_KERNEL void write_through(S given) {
  const auto x = static_cast<DeviceSpan<float>>(given);
  for (auto i : grid_stride(x.size())) x[i] += 1;
}
template <class S>
WARPSAFE_KERNEL void read_through(S given, float* sum) {
  const auto x = static_cast<DeviceSpan<const float>>(given);
  for (auto i : grid_stride(x.size())) *sum += x[i];
}
struct AddOne {
  DeviceSpan<float> x;
  void operator()(float by) const {
    for (auto i : grid_stride(x.size())) x[i] += by;
  }
};

template <template <class> class S, class T>
S<T> put(DeviceSpan<T> x) {
  S<T> made{};
  if constexpr (requires { made.all; }) {
    made.all[2] = x;
  } else if constexpr (requires { made.inside; }) {
    made.inside.x = x;
  } else if constexpr (requires { made.x.second; }) {
    made.x.second = x;
  } else if constexpr (std::is_same_v<S<T>, AsPointer<T>>) {
    made.x = x.pointer();
  } else {
    made.x = x;
  }
  return made;
}

/// A buffer that two streams use.
struct Two {
  Stream one, other;
  DeviceBuffer<float> x, sums;

  static result<Two> create() {
    WARPSAFE_TRY(auto one, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto other, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto x, DeviceBuffer<float>::from(one, Floats(8, 0.0F)));
    WARPSAFE_TRY(auto sums, DeviceBuffer<float>::from(one, Floats(2, 0.0F)));
    WARPSAFE_TRYV(one.synchronize());
    return Two{std::move(one), std::move(other), std::move(x), std::move(sums)};
  }
  [[nodiscard]] DeviceView<float> sum(std::size_t number) {
    return sums.view().subspan(number, 1).value();
  }
  result<void> end() {
    WARPSAFE_TRYV(one.synchronize());
    return other.synchronize();
  }
};

template <template <class> class S>
struct Structure {
  static result<void> race() {
    WARPSAFE_TRY(auto two, Two::create());
    const auto given = put<S>(two.x.view().span());
    WARPSAFE_TRYV(launch(two.one, once, kernel<write_through<S<float>>>, given));
    WARPSAFE_TRYV(launch(two.other, once, kernel<write_through<S<float>>>, given));
    return two.end();
  }
  static result<void> ordered() {
    WARPSAFE_TRY(auto two, Two::create());
    const auto given = put<S>(two.x.view().span());
    WARPSAFE_TRYV(launch(two.one, once, kernel<write_through<S<float>>>, given));
    WARPSAFE_TRY(const auto done, two.one.record());
    WARPSAFE_TRYV(wait(two.other, done));
    WARPSAFE_TRYV(launch(two.other, once, kernel<write_through<S<float>>>, given));
    return two.end();
  }
  static result<void> two_readers() {
    WARPSAFE_TRY(auto two, Two::create());
    const auto given = put<S>(DeviceSpan<const float>(two.x.view().span()));
    WARPSAFE_TRYV(launch(two.one, once, kernel<read_through<S<const float>>>, given, two.sum(0)));
    WARPSAFE_TRYV(launch(two.other, once, kernel<read_through<S<const float>>>, given, two.sum(1)));
    return two.end();
  }
  static result<void> read_and_write() {
    WARPSAFE_TRY(auto two, Two::create());
    const auto given = put<S>(DeviceSpan<const float>(two.x.view().span()));
    WARPSAFE_TRYV(launch(two.one, once, kernel<read_through<S<const float>>>, given, two.sum(0)));
    WARPSAFE_TRYV(
        launch(two.other, once, kernel<write_through<S<float>>>, put<S>(two.x.view().span())));
    return two.end();
  }
  static result<void> halves() {
    WARPSAFE_TRY(auto two, Two::create());
    WARPSAFE_TRY(const auto left, two.x.view().subspan(0, 4));
    WARPSAFE_TRY(const auto right, two.x.view().subspan(4, 4));
    WARPSAFE_TRYV(launch(two.one, once, kernel<write_through<S<float>>>, put<S>(left.span())));
    WARPSAFE_TRYV(launch(two.other, once, kernel<write_through<S<float>>>, put<S>(right.span())));
    return two.end();
  }
};

constexpr std::uint64_t seeds = 50;

template <class S>
class MemoryInside : public ::testing::Test {};
using Structures = ::testing::Types<Structure<Plain>, Structure<Nested>, Structure<Derived>,
                                    Structure<InArray>, Structure<InOptional>, Structure<AsPair>,
                                    Structure<AsPointer>, Structure<AsPlanes>>;
TYPED_TEST_SUITE(MemoryInside, Structures);

TYPED_TEST(MemoryInside, RacesWithWhatNothingOrders) {
  const auto report = run(seeds, &TypeParam::race);
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_EQ(report.findings[0].mistake, debug::Mistake::race);
  EXPECT_THAT(report.text(), testing::HasSubstr("writes 32 bytes"));
}
TYPED_TEST(MemoryInside, MayBeUsedInOrder) {
  const auto report = run(seeds, &TypeParam::ordered);
  EXPECT_TRUE(report.clean()) << report;
}
TYPED_TEST(MemoryInside, IsReadIfItsElementsAreConst) {
  const auto readers = run(seeds, &TypeParam::two_readers);
  EXPECT_TRUE(readers.clean()) << readers;
  const auto writer = run(seeds, &TypeParam::read_and_write);
  ASSERT_EQ(writer.findings.size(), 1U) << writer;
  EXPECT_EQ(writer.findings[0].mistake, debug::Mistake::race);
}
TYPED_TEST(MemoryInside, EndsWhereItsSpanEnds) {
  const auto report = run(seeds, &TypeParam::halves);
  // A device_ptr has no end.
  EXPECT_EQ(report.clean(), (!std::is_same_v<TypeParam, Structure<AsPointer>>)) << report;
}

TEST(MemoryInsideAFunctor, Races) {
  const auto report = run(seeds, []() -> result<void> {
    WARPSAFE_TRY(auto two, Two::create());
    const AddOne add_one{two.x.view().span()};
    WARPSAFE_TRYV(launch(two.one, once, functor(add_one), 1.0F));
    WARPSAFE_TRYV(launch(two.other, once, functor(add_one), 2.0F));
    return two.end();
  });
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_EQ(report.findings[0].mistake, debug::Mistake::race);
}

TEST(MemoryInsideAGraph, Races) {
  const auto report = run(seeds, []() -> result<void> {
    WARPSAFE_TRY(auto two, Two::create());
    const auto given = put<Plain>(two.x.view().span());
    WARPSAFE_TRY(auto graph, capture(two.one, [&](Capture&) {
                   return launch(two.one, once, kernel<write_through<Plain<float>>>, given);
                 }));
    WARPSAFE_TRY(auto executable, graph.instantiate());
    WARPSAFE_TRYV(executable.launch(two.one));
    WARPSAFE_TRYV(launch(two.other, once, kernel<write_through<Plain<float>>>, given));
    return two.end();
  });
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_EQ(report.findings[0].mistake, debug::Mistake::race);
}

TEST(AnAbsentOptionalSpan, IsNoMemory) {
  const auto report = run(seeds, []() -> result<void> {
    WARPSAFE_TRY(auto two, Two::create());
    auto given = put<InOptional>(two.x.view().span());
    given.x.reset();  // the address stays where it was
    WARPSAFE_TRYV(launch(two.one, once, functor([](InOptional<float>) {}), given));
    WARPSAFE_TRYV(launch(two.other, once, functor([](InOptional<float>) {}), given));
    return two.end();
  });
  EXPECT_TRUE(report.clean()) << report;
}

/// Hides its address, as a library's type may, or one so many elements away: the end, for a range
/// that goes backwards, or the place before the first, for an index from 1 on.
class Hiding {
 public:
  explicit Hiding(DeviceSpan<float> x, std::ptrdiff_t away = 0)
      : begin_(x.pointer().get() + away) {}
  [[nodiscard]] float* begin() const { return begin_; }

 private:
  float* begin_;
};
struct Changing {
  std::variant<int, DeviceSpan<float>> either;
};
template <class S>
struct Deep {
  double number;
  S hidden;
};

}  // namespace warpsafe::adversarial::structures
template <>
inline constexpr bool warpsafe::is_device_copyable<warpsafe::adversarial::structures::Hiding> =
    true;
namespace warpsafe::adversarial::structures {

/// Two kernels that race, and that get `given` as the second parameter.
template <class S, class Make>
result<void> race_with(const Make& make) {
  WARPSAFE_TRY(auto two, Two::create());
  const S given = make(two.x.view().span());
  const auto touch = functor([](float, S) {});
  WARPSAFE_TRYV(launch(two.one, once, touch, 1.0F, given));
  WARPSAFE_TRYV(launch(two.other, once, touch, 1.0F, given));
  return two.end();
}
template <class S, class Make>
void expect_unseen(const Make& make) {
  const auto report = run(seeds, [&] { return race_with<S>(make); });
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_FALSE(report.clean());
  EXPECT_EQ(report.seeds_run, seeds);
  EXPECT_EQ(report.findings[0].mistake, debug::Mistake::unseen_memory);
  // The functor is the first parameter.
  EXPECT_THAT(report.text(),
              testing::ContainsRegex("kernel '[^']+', parameter 3, holds an address"));
  EXPECT_THAT(report.text(), testing::Not(testing::HasSubstr("no race in")));
}
WARPSAFE_KERNEL void go_back(device_ptr<float> end) { end.get()[-1] = 1; }
TEST(MemoryByItsEnd, CountsAsTheWholeAllocation) {
  const auto report = run(seeds, []() -> result<void> {
    WARPSAFE_TRY(auto two, Two::create());
    WARPSAFE_TRY(const auto nothing, two.x.view().subspan(two.x.size()));
    WARPSAFE_TRYV(two.x.zero(two.one));
    WARPSAFE_TRYV(launch(two.other, once, kernel<go_back>, nothing.pointer()));
    return two.end();
  });
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_EQ(report.findings[0].mistake, debug::Mistake::race);
}
TEST(HiddenMemory, IsSaidInPlaceOfClean) {
  expect_unseen<Hiding>([](DeviceSpan<float> x) { return Hiding(x); });
  expect_unseen<Hiding>([](DeviceSpan<float> x) { return Hiding(x, std::ptrdiff_t(x.size())); });
  expect_unseen<Hiding>([](DeviceSpan<float> x) { return Hiding(x, -1); });
  expect_unseen<Deep<Hiding>>([](DeviceSpan<float> x) { return Deep<Hiding>{0, Hiding(x)}; });
  expect_unseen<Changing>([](DeviceSpan<float> x) { return Changing{x}; });
  using Twice = std::optional<std::optional<DeviceSpan<float>>>;
  expect_unseen<Twice>([](DeviceSpan<float> x) { return Twice(x); });
  using Many = std::array<DeviceSpan<float>, 70>;
  expect_unseen<Many>([](DeviceSpan<float> x) {
    Many many{};
    many.back() = x;
    return many;
  });
}
/// An address as a number, as the driver API's CUdeviceptr.
struct Numbered {
  int count;
  std::uintptr_t address;
};
TEST(HiddenMemory, IsSaidOfANumberThatIsAnAddress) {
  const auto number_of = [](DeviceSpan<float> x) {
    return reinterpret_cast<std::uintptr_t>(x.pointer().get());
  };
  expect_unseen<std::uintptr_t>(number_of);
  expect_unseen<Numbered>([&](DeviceSpan<float> x) { return Numbered{1, number_of(x)}; });
}
/// A table of one element, which a kernel reads on another stream than the one that fills the
/// memory at the address.
template <class Element, class Address>
void expect_unseen_table(const Address& address) {
  for (const bool in_graph : {false, true}) {
    const auto report = run(seeds, [&]() -> result<void> {
      WARPSAFE_TRY(auto two, Two::create());
      WARPSAFE_TRY(auto table, DeviceBuffer<Element>::from(
                                   two.other, std::vector<Element>{address(two.x.view().span())}));
      WARPSAFE_TRYV(two.x.zero(two.one));
      const auto touch = functor([](const Element* all) { static_cast<void>(all[0]); });
      const auto start = [&] { return launch(two.other, once, touch, table.view()); };
      if (in_graph) {
        WARPSAFE_TRY(auto graph, capture(two.other, [&](Capture&) { return start(); }));
        WARPSAFE_TRY(auto exec, graph.instantiate());
        WARPSAFE_TRYV(exec.launch(two.other));
        WARPSAFE_TRYV(two.other.synchronize());
      } else {
        WARPSAFE_TRYV(start());
      }
      return two.end();
    });
    ASSERT_EQ(report.findings.size(), 1U) << report;
    EXPECT_EQ(report.findings[0].mistake, debug::Mistake::unseen_memory);
    EXPECT_THAT(report.text(), testing::HasSubstr("', parameter 2, holds an address"));
  }
}
TEST(HiddenMemory, IsSaidOfATableOfAddresses) {
  expect_unseen_table<float*>([](DeviceSpan<float> x) { return x.pointer().get(); });
  expect_unseen_table<float*>([](DeviceSpan<float> x) { return x.pointer().get() + x.size(); });
  expect_unseen_table<AsPointer<float>>(
      [](DeviceSpan<float> x) { return AsPointer<float>{x.pointer()}; });
}
template <class T>
struct WithTable {
  int before;
  DeviceSpan<const T> table;
};
TEST(HiddenMemory, IsSaidOfATableInAStructure) {
  using Table = WithTable<DeviceSpan<float>>;
  const auto in_table = [](const auto& as) {
    return run(seeds, [&]() -> result<void> {
      WARPSAFE_TRY(auto two, Two::create());
      WARPSAFE_TRY(auto table, DeviceBuffer<DeviceSpan<float>>::from(
                                   two.other, std::vector<DeviceSpan<float>>{two.x.view().span()}));
      WARPSAFE_TRYV(two.x.zero(two.one));
      const auto given = as(Table{1, std::as_const(table).view().span()});
      const auto touch = functor([](float, std::remove_const_t<decltype(given)>) {});
      WARPSAFE_TRYV(launch(two.other, once, touch, 1.0F, given));
      return two.end();
    });
  };
  for (const auto& report : {in_table([](Table table) { return table; }),
                             in_table([](Table table) { return std::optional<Table>(table); })}) {
    ASSERT_EQ(report.findings.size(), 1U) << report;
    EXPECT_EQ(report.findings[0].mistake, debug::Mistake::unseen_memory);
  }
}
TEST(HiddenMemory, IsNotSaidOfNumbers) {
  const auto report =
      run(seeds, [] { return race_with<Changing>([](DeviceSpan<float>) { return Changing{7}; }); });
  EXPECT_TRUE(report.clean()) << report;
}

TEST(MemoryThatAStructureHolds, OutlivesTheLaunch) {
  const auto program = []() -> result<void> {
    WARPSAFE_TRY(auto two, Two::create());
    const auto given = put<Nested>(two.x.view().span());
    WARPSAFE_TRYV(two.x.close());
    return launch(two.one, once, kernel<write_through<Nested<float>>>, given);
  };
  const auto launched = program();
  ASSERT_FALSE(launched.has_value());
  EXPECT_EQ(launched.error().code, Errc::memory_closed);
  EXPECT_EQ(launched.error().extra, 1U);
}
TEST(MemoryThatAStructureHolds, MayBeEmptyAndEndAnywhere) {
  const auto program = []() -> result<void> {
    WARPSAFE_TRY(auto two, Two::create());
    WARPSAFE_TRY(const auto none, two.x.view().subspan(8, 0));
    WARPSAFE_TRYV(
        launch(two.one, once, kernel<write_through<Plain<float>>>, put<Plain>(none.span())));
    const AsPointer<const float> end{two.x.view().pointer() + 8};
    WARPSAFE_TRYV(launch(two.one, once, functor([](AsPointer<const float>) {}), end));
    return two.end();
  };
  EXPECT_TRUE(program().has_value());
}
TEST(MemoryThatAStructureHolds, IsMonitoredByAGraph) {
  const auto program = []() -> result<void> {
    WARPSAFE_TRY(auto two, Two::create());
    const auto given = put<Nested>(two.x.view().span());
    WARPSAFE_TRY(auto graph, capture(two.one, [&](Capture&) {
                   return launch(two.one, once, kernel<write_through<Nested<float>>>, given);
                 }));
    WARPSAFE_TRY(auto executable, graph.instantiate());
    WARPSAFE_TRYV(executable.launch(two.one));
    WARPSAFE_TRYV(two.one.synchronize());
    WARPSAFE_TRYV(two.x.close());
    return executable.launch(two.one);
  };
  const auto launched = program();
  ASSERT_FALSE(launched.has_value());
  EXPECT_EQ(launched.error().code, Errc::graph_memory_freed);
}

template <CheckLevel Level>
result<void> launch_on_other_device() {
  WARPSAFE_TRY(auto two, Two::create());
  WARPSAFE_TRY(const auto guard, DeviceGuard::create(DeviceId(1)));
  WARPSAFE_TRY(const auto there, Stream::create(DeviceId(1)));
  WARPSAFE_TRYV(launch<Level>(there, once, kernel<write_through<Nested<float>>>,
                              put<Nested>(two.x.view().span())));
  return there.synchronize();
}
TEST(MemoryThatAStructureHolds, IsOfTheStreamsDevice) {
  host::set_device_count(2);
  const auto refused = launch_on_other_device<CheckLevel::full>();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::memory_wrong_device);
  // Without checks, the model's device faults.
  const auto faulted = launch_on_other_device<CheckLevel::off>();
  ASSERT_FALSE(faulted.has_value());
  EXPECT_EQ(faulted.error().code, Errc::execution_failed);
  host::reset();
  const auto afterwards = run(1, [] {});
  EXPECT_TRUE(afterwards.clean()) << "the faulted device is gone: " << afterwards;
}

}  // namespace warpsafe::adversarial::structures
