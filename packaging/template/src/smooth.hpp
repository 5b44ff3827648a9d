#pragma once

#include <warpsafe/warpsafe.hpp>

#include <vector>

/// The mean of each value and its neighbours. The first and the last value have one neighbour.
/// Waits for the device. Errors: what the runtime reports, such as no memory or no device.
warpsafe::result<std::vector<float>> smooth(const std::vector<float>& values);
