// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/warpsafe.hpp>

// Launches compiled by another compiler than the tests: of kernels that only its translation unit
// has, and of shared ones. Defined in device_launches.cpp and clang_launches.cpp.

namespace vendor_test {

struct Scale {
  double factor;
  char unit;
  WARPSAFE_FN void operator()(float* values, unsigned long count) const {
    for (unsigned long i = 0; i < count; ++i) values[i] *= static_cast<float>(factor);
  }
};

warpsafe::result<void> launch_local(warpsafe::StreamRef stream, int value);
warpsafe::result<void> launch_template_float(warpsafe::StreamRef stream, float value);
warpsafe::result<void> launch_template_long(warpsafe::StreamRef stream, long value);
warpsafe::result<void> launch_overload_int(warpsafe::StreamRef stream, int value);
warpsafe::result<void> launch_overload_double(warpsafe::StreamRef stream, double value);
warpsafe::result<void> launch_functor(warpsafe::StreamRef stream, Scale scale, unsigned long count);
warpsafe::result<void> launch_floats_from_device_file(warpsafe::StreamRef stream, float a,
                                                      double b);
warpsafe::result<void> launch_floats_from_clang(warpsafe::StreamRef stream, float a, double b);

}  // namespace vendor_test
