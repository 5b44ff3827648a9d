// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The race detector for stream code. It runs a program in adversarial schedules on the host
// backend, if that is the default. The checker of its rules takes plain data, and serves every
// program.

// These have sentences about mistakes, and come first: g++ prints the chain of includes that led to
// a header before the sentence.
// clang-format off
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
#include <warpsafe/warpsafe.hpp>
// clang-format on
#include <warpsafe/race/race_checker.hpp>
#include <warpsafe/race/race_report.hpp>

#if defined(WARPSAFE_DETAIL_DEFAULT_HOST)
#include <warpsafe/race/adversarial.hpp>
#else
#include <warpsafe/race/detail/no_adversarial_run.hpp>
#endif
