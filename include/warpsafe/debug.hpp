// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The debug tools: log, blocking launches, journal, suspects, references, dumps. One file of a
// program that includes this and is compiled with checks (level full) gives them to the whole
// program, kernels of other files and backends included; compiled without checks it adds nothing.
// The switches of the environment (WARPSAFE_LOG, WARPSAFE_SYNC, …) are read by them; a program that
// lacks them says so at its first launch where one is set.

#include <warpsafe/debug/data/data_switches.hpp>
#include <warpsafe/debug/data/inspect.hpp>
#include <warpsafe/debug/data/shadow.hpp>
#include <warpsafe/debug/environment.hpp>
#include <warpsafe/debug/journal/journal.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/debug/journal/log.hpp>
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/debug/observer.hpp>
#include <warpsafe/debug/start.hpp>
