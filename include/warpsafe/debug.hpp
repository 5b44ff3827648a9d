// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The debug tools: log, blocking launches, journal, suspects, references, dumps. Include this in
// one file of a program that is compiled with checks (level full): the whole program then has them,
// kernels of other files and backends included. Compiled without checks it adds nothing. The tools
// read the switches of the environment (WARPSAFE_LOG, WARPSAFE_SYNC, …). A program that lacks the
// tools says so at its first launch if such a switch is set.

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
