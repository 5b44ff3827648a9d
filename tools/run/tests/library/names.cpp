// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Prints what the watch knows about NVIDIA's libraries, for headers.py: each status as "status
// LIBRARY VALUE NAME", each row of parameters as "routine LIBRARY NAMES;PARAMETERS", and for each
// function named on standard input "function NAME LIBRARY" ("-": not a function with a status).

#include "core/library/library_arguments.hpp"
#include "core/library/status_function.hpp"
#include "cuda/library/library_families.hpp"

#include <iostream>
#include <string>

int main() {
  using namespace warpsafe::watch;
  for (const LibraryFamily& family : cuda_families) {
    for (const LibraryStatus& one : family.statuses) {
      std::cout << "status " << family.functions << ' ' << one.value << ' ' << one.name << '\n';
    }
    for (const auto& one : detail::arguments_of(family.functions)) {
      std::cout << "routine " << family.functions << ' ' << one.names << ';' << one.parameters
                << '\n';
    }
  }
  std::string name;
  while (std::getline(std::cin, name)) {
    const LibraryFamily* const family = family_of_function(name, cuda_families);
    std::cout << "function " << name << ' ' << (family == nullptr ? "-" : family->functions)
              << '\n';
  }
}
