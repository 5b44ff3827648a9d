// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <iostream>

// What the programs of the pages share. Each page of docs/ that shows code has a source here with
// its name: check_pages.py holds the page's code to the source, and what it shows to what this
// prints.

/// Begins what the page's next block of text shows.
inline void shown() { std::cout << "###\n"; }

// One function for each page that shows code; it returns false if the code does not do what the
// page says.
bool backends();
bool compare();
bool data();
bool debugging();
bool error_values();
bool graphs();
bool grids();
bool kernels();
bool launch_config();
bool modules();
bool race_detector();
bool streams();
bool tour();
