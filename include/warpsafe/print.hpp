// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// operator<< for the public types, and message() for errors.

#include <warpsafe/error/message.hpp>
#include <warpsafe/print/memory.hpp>
#include <warpsafe/print/streams.hpp>
#include <warpsafe/print/values.hpp>
