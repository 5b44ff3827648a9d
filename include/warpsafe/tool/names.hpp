// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/dropped_error.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/environment.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/observing_launches.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/debug/detail/listed_kernels.hpp>
#include <warpsafe/debug/detail/output_file.hpp>
#include <warpsafe/debug/hooks/detail/error_hooks.hpp>
#include <warpsafe/debug/hooks/detail/launch_hooks.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/run/detail/json.hpp>
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>
#include <warpsafe/stream/detail/backend_calls.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

// What a tool beside the library builds on, such as warpsafe-run: it watches programs that do not
// use warpsafe, judges their launches by the library's rules, and reports as the library does. The
// names' own headers describe them. They change with the library: build a tool against the version
// that it was written for.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::tool {

// Text and settings.

/// Text in a buffer of fixed size, cut to fit; allocates nothing.
using detail::TextBuffer;
/// An environment variable; nullptr in a program with more rights than its caller.
using detail::read_environment;
/// Nanoseconds of CLOCK_MONOTONIC.
using detail::nanoseconds_now;
/// Reads the switches of the environment (WARPSAFE_LOG and so on), once for the process.
using debug::detail::ensure_started;

// A runtime as pointers to its calls.

using detail::backend_calls;
using detail::BackendCalls;
/// A stream at a moment, for its waits.
using detail::StreamPoint;
using detail::WaitTarget;

// What the observers of the process are told: the tool reports what it sees in the program.

using detail::fill_record;
using detail::LaunchFacts;
using detail::observers;
using detail::tell_failed;
using detail::tell_finish;
using detail::tell_launched;
using detail::tell_launching;
using detail::tell_runtime_error;
using detail::tell_waited;
using detail::tell_waiting;

// The rules of a launch.

/// Makes the error of a broken rule.
using detail::refuse;
/// Whether the runtime's status belongs to work submitted earlier.
using detail::reports_earlier_fault;
/// Whether the kernel's attribute allows the launch's dynamic shared memory.
using detail::shared_is_opted_in;
/// All rules that need numbers alone.
using detail::validate_numbers;

// The log (WARPSAFE_LOG).

using debug::detail::log_error;
using debug::detail::log_line;
/// Text without control characters, for a line of the log.
using debug::detail::Shown;
/// Logs a launch at level trace.
using debug::detail::trace_launch;
using debug::detail::write_log;

// Time limits of waits (WARPSAFE_TIMEOUT).

using debug::detail::limit_in_nanoseconds;
using debug::detail::log_overdue_wait_elsewhere;
using debug::detail::log_wait_end;
using debug::detail::no_timeout;
using debug::detail::timeout_in_use;

// Files. Only a file of the user's own is replaced, and no link is followed.

/// Creates a file, or opens the descriptor that a name such as /dev/fd/3 stands for.
using debug::detail::create_file;
/// What went wrong with a file, as text.
using debug::detail::file_problem;
using debug::detail::OutputFile;
using debug::detail::write_to;

// Lines of a journal (docs/tools/compare-runs.md).

using debug::detail::device_line;
using debug::detail::environment_line;
using debug::detail::error_line;
using debug::detail::launch_line;
using debug::detail::wait_line;

/// The kernels that a list of names or patterns selects.
using debug::detail::ListedKernels;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::tool
