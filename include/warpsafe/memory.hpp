// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Device, pinned, managed and pitched buffers, copies between them, their pending results, and the
// events that order the work of several streams on them.

// These have sentences about mistakes, and come first: g++ prints the chain of includes that led to
// a header before the sentence.
// clang-format off
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/stream_ref.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
#include <warpsafe/memory/pending.hpp>
// clang-format on
#include <warpsafe/args/align.hpp>
#include <warpsafe/args/as_bytes.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/memory/pitched_view.hpp>
#include <warpsafe/memory/synchronize.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>
