// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include <warpsafe/memory.hpp>
#include <warpsafe/handles/cublas.hpp>
#include <warpsafe/warpsafe.hpp>
#include <warpsafe/race.hpp>

#include <iostream>

namespace ws = warpsafe;

using Backend = ws::debug::Recorded<ws::cuda_backend>;      // to record nothing: ws::cuda_backend
using Stream = ws::basic_stream<Backend>;
using Blas = ws::StreamBound<ws::debug::RecordedHandle<cublasHandle_t>>;

template <class B>
static void pipeline(int n) {
  const auto stream = ws::basic_stream<B>::create();
  if (n > 0 && stream.has_value()) std::cout << Blas::create(stream.value()).has_value();
}

void record();
void record() {
  ws::debug::RaceRecorder::get().begin();
  pipeline<Backend>(1);                                       // launches, copies, buffers, events, calls of bound handles
  const auto report = ws::debug::RaceRecorder::get().end();
  if (!report.clean()) std::cout << report;
}
