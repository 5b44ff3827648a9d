// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// operator<< for the public types, and message() for errors.

// It has sentences about mistakes, and comes first: g++ prints the chain of includes that led to a
// header before the sentence.
// clang-format off
#include <warpsafe/dims/detail/config_parts.hpp>
// clang-format on

#include <warpsafe/error/message.hpp>
#include <warpsafe/print/memory.hpp>
#include <warpsafe/print/streams.hpp>
#include <warpsafe/print/values.hpp>
