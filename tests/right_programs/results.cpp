// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Results in other types, in overloads and in generic code. A result converts to its value and to a
// status only to refuse it with a sentence, and has members of its value for the same reason.

#include "programs.hpp"

#include <any>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace right {

/// Takes a result, as the logger of another library does.
struct Anything {
  template <class T>
  Anything(const T&) noexcept {}
};

namespace {

enum class Level { quiet, loud };
enum Status { fine, failed };
using Done = ws::result<void>;
using Numbers = ws::result<std::vector<float>>;

// Generic code asks a result as it asks any other type.
static_assert(!std::is_convertible_v<Done, Level> && !std::is_convertible_v<Done, Status> &&
              !std::is_convertible_v<Done, bool> && !std::is_constructible_v<Status, Done>);
static_assert(!std::is_convertible_v<Numbers, std::vector<float>> &&
              !std::is_constructible_v<std::vector<float>, Numbers> &&
              !std::is_convertible_v<ws::result<ws::Stream>, ws::StreamRef> &&
              !std::is_assignable_v<int&, ws::result<int>>);
static_assert(!std::input_or_output_iterator<Numbers> && !std::indirectly_readable<Numbers> &&
              !std::equality_comparable<Numbers>);
template <class T>
concept IsIndexed = requires(const T& value) {
  value[0];
};
template <class T>
concept HasView = requires(const T& value) {
  value.view();
};
template <class T>
concept HasToHost = requires(const T& value) {
  value.to_host(0);
};
static_assert(!IsIndexed<Numbers> && !HasView<Numbers> && !HasToHost<Numbers>);

// Each set of overloads has one for the result, by way of a class that takes it.
[[maybe_unused]] int log(Level) { return 1; }
int log(const std::any&) { return 2; }
[[maybe_unused]] int report(Level) { return 1; }
int report(const Anything&) { return 2; }
[[maybe_unused]] int finish(Level) { return 1; }
int finish(const std::optional<Done>&) { return 2; }
[[maybe_unused]] int tell(Status, const char*) { return 1; }
template <class T>
int tell(const T&, const char*) {
  return 2;
}
[[maybe_unused]] int rest(Level) { return 1; }
[[maybe_unused]] int rest(...) { return 2; }
struct Sink {
  std::string text;
  Sink& operator<<(Level) { return *this; }
  Sink& operator<<(const Anything&) {
    text += 'x';
    return *this;
  }
};

ws::result<bool> results_in_overloads(const ws::Stream& stream) {
  const Done done = stream.synchronize();
  const Numbers numbers = std::vector<float>(3);
  Sink sink;
  sink << Level::loud << done << numbers;
  return log(done) == 2 && report(done) == 2 && report(numbers) == 2 && finish(done) == 2 &&
         tell(done, "") == 2 && rest(ws::result<int>(3)) == 2 && sink.text == "xx";
}

// A class of another library that holds a value or an error.
template <class T>
class Expected {
 public:
  Expected(T value) : held_(std::move(value)) {}
  Expected(ws::result<T>&& made) : held_(std::in_place_index<1>) {
    if (made.has_value()) {
      held_ = std::move(made).value();
    } else {
      held_ = made.error();
    }
  }
  [[nodiscard]] bool has_value() const { return held_.index() == 0; }

 private:
  std::variant<T, ws::LaunchError> held_;
};
Expected<std::vector<float>> read(const ws::DeviceBuffer<float>& from, const ws::Stream& stream) {
  return from.to_host(stream).get();
}

ws::result<bool> results_in_other_types(const ws::Stream& stream) {
  const Done done = stream.synchronize();
  const Numbers numbers = std::vector<float>(3);
  std::optional<Done> maybe = done;
  maybe = stream.synchronize();
  const std::variant<int, Done> one = done;
  std::variant<std::monostate, Level, std::vector<float>, Numbers> two = numbers;
  two = numbers;
  std::any any = done;
  any = numbers;
  // For HIP, clang++ 15 crashes on a std::map of any class with copies of its own, because of the
  // constraint that libstdc++ 12 gives the pair's assignment:
  //   struct Own { Own(const Own&) = default; Own& operator=(const Own&) = default; };
  //   struct Node { std::pair<const int, Own> kept; };
  // It does not if the constraint was asked before.
  static_assert(!std::is_copy_assignable_v<std::pair<const Level, Numbers>>);
  std::map<Level, Numbers> all;
  all.emplace(Level::loud, numbers);
  std::vector<Numbers> list(3, numbers);
  list.push_back(numbers);
  const std::tuple<Done, Numbers> both{done, numbers};
  const auto shared = std::make_shared<Numbers>(numbers);
  WARPSAFE_TRY(const auto x, ws::DeviceBuffer<float>::from(stream, std::vector<float>(3)));
  return maybe->has_value() && one.index() == 1 && two.index() == 3 &&
         std::any_cast<Numbers>(&any) != nullptr && all.size() == 1 && list.size() == 4 &&
         std::get<0>(both).has_value() && shared->has_value() && read(x, stream).has_value();
}

ws::result<bool> results_of_functions(const ws::Stream& stream) {
  const std::function<Done()> work = [&] { return stream.synchronize(); };
  const std::function<std::any()> any = [&] { return stream.synchronize(); };
  const std::function<void()> dropped = [&] { return stream.synchronize(); };
  dropped();
  auto later = std::async(std::launch::deferred, work);
  const Done done = later.get();
  const Done chosen = done ? work() : done;
  switch (done.has_value() ? ws::Errc{} : done.error().code) {
    case ws::Errc::block_too_large:
      return false;
    default:
      break;
  }
  return chosen && !!done && any().has_value();
}

// A function may pass the result of a guard on.
ws::result<ws::DeviceGuard> chosen_device(ws::DeviceId device) {
  return ws::DeviceGuard::create(device);
}
template <class T>
T must(ws::result<T> made) {
  return std::move(made).value();
}
ws::result<bool> guard_of_a_function(const ws::Stream&) {
  WARPSAFE_TRY(const auto guard, chosen_device(ws::DeviceId(1)));
  const auto second = must(ws::DeviceGuard::create(ws::DeviceId(0)));
  WARPSAFE_TRY(const auto current, ws::current_device());
  return current.value() == 0;
}

constexpr Program programs[] = {
    {"results_in_overloads", results_in_overloads},
    {"results_in_other_types", results_in_other_types},
    {"results_of_functions", results_of_functions},
    {"guard_of_a_function", guard_of_a_function},
};

}  // namespace

std::span<const Program> result_programs() { return programs; }

}  // namespace right
