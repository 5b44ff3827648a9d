// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The debug tools: log, blocking launches, journal, suspects, references, dumps. Include this
// header in one file that is compiled with checks. The whole program then has the
// tools, including kernels in other files and on other backends. In a file without checks, this
// header adds nothing. The tools read environment variables (WARPSAFE_LOG, WARPSAFE_SYNC, …). A
// checked program without the tools warns at its first launch if one of these is set.

// These have sentences about mistakes, and come first: g++ prints the chain of includes that led to
// a header before the sentence.
// clang-format off
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
// clang-format on
#include <warpsafe/debug/data/shadow.hpp>
#include <warpsafe/debug/environment.hpp>
#include <warpsafe/debug/hooks/install.hpp>
#include <warpsafe/debug/journal/journal.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/switches.hpp>
