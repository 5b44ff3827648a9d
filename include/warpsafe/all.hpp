// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// All public headers except the library handles (handles/<library>.hpp) and the headers that need
// another library (fmt, spdlog, NVTX, ROCTX). It compiles slowly; include single entry headers
// where compile time matters.

#include <warpsafe/compare.hpp>
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/data/launch_dump.hpp>
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/debug/run/timeline_export.hpp>
#include <warpsafe/device_check.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/launch/validate.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/print/debug_records.hpp>
#include <warpsafe/race.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/tool_api.hpp>
#include <warpsafe/warpsafe.hpp>

// Modules of the CUDA backend need CUDA 12.8. With an older toolkit all other headers compile, so
// only module.hpp is left out. A file that includes module.hpp itself does not compile there.
#if !defined(WARPSAFE_DETAIL_DEFAULT_CUDA) || CUDART_VERSION >= 12080
#include <warpsafe/module.hpp>
#endif
