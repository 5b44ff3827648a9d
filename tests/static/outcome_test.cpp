// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// only: g++ clang++ nvcc
// clang 15, which HIP 5.2 brings, crashes on Boost 1.74's <boost/outcome/result.hpp> as HIP.

// A caller's own result with standard error codes converts from this library's.

#include <warpsafe/error/message.hpp>
#include <warpsafe/error/result.hpp>

#include <boost/outcome/result.hpp>

#include <system_error>
#include <type_traits>

namespace ws = warpsafe;
namespace outcome = BOOST_OUTCOME_V2_NAMESPACE;

static_assert(std::is_constructible_v<outcome::result<int, std::error_code>, ws::result<int>>);
static_assert(std::is_constructible_v<outcome::result<void, std::error_code>, ws::result<void>>);
static_assert(!std::is_constructible_v<ws::result<int>, outcome::result<int, std::error_code>>,
              "the numbers of an error are not made up from its code");
