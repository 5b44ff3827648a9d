// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Reads code objects of Python from standard input, each with `FIRST TABLE OFFSET...`: the first
// line, the line table in hexadecimal digits, and offsets of instructions in bytes. Prints the
// lines of the offsets.

#include "../../../common/python_line_table.hpp"

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
  std::string text;
  while (std::getline(std::cin, text)) {
    std::istringstream words(text);
    std::int32_t first = 0;
    std::string digits;
    words >> first >> digits;
    std::vector<unsigned char> table;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      table.push_back(static_cast<unsigned char>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    for (std::ptrdiff_t offset = 0; words >> offset;) {
      warpsafe::ranks::PythonLineTable lines(table.data(), table.size());
      std::cout << lines.line_of(offset, first) << ' ';
    }
    std::cout << '\n';
  }
}
