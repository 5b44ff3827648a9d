// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <iostream>

// Shared by the programs of the pages. Each page of docs/ that shows code has a source of the same
// name here. check_pages.py compares the page's code with the source, and its output blocks with
// the program's output.

/// Begins the output that the page's next text block shows.
inline void shown() { std::cout << "###\n"; }

// One function for each page that shows code; it returns false if the code does not do what the
// page says.
bool backends();
bool compare();
bool data();
bool compare_runs();
bool device_code();
bool error_values();
bool graphs();
bool grids();
bool kernels();
bool launch_config();
bool modules();
bool observer();
bool race_detector();
bool streams();
bool tour();
