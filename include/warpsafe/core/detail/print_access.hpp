// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe::detail {

/// What print.hpp shows of objects that give nobody else a look inside. Defined there.
struct PrintAccess;

}  // namespace warpsafe::detail
