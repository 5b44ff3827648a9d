// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Slips as those of w_words.cpp, with the header that prints.

#include "launches.hpp"
#include <warpsafe/error/message.hpp>

#include <string>

namespace ws = warpsafe;

// W20: The text of a result.
std::string w20_message_of_a_result(const ws::Stream& stream) {
  const auto done = stream.synchronize();
  if (done.has_value()) return {};
#ifdef MISUSE
  // expected-error {{"a result has a text only if it is an error"}}
  return ws::message(done);
#else
  return ws::message(done.error());
#endif
}
