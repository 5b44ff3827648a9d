// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// All pages' programs in one: doc_pages PAGE prints the output that the page shows.

#include "pages.hpp"

#include <iostream>
#include <string_view>

int main(int count, char** arguments) {
  struct Page {
    std::string_view name;
    bool (*run)();
  };
  constexpr Page pages[] = {{"backends", backends},
                            {"compare", compare},
                            {"data", data},
                            {"compare-runs", compare_runs},
                            {"device-code", device_code},
                            {"error-values", error_values},
                            {"graphs", graphs},
                            {"grids", grids},
                            {"kernels", kernels},
                            {"launch-config", launch_config},
                            {"modules", modules},
                            {"observer", observer},
                            {"race-detector", race_detector},
                            {"streams", streams},
                            {"tour", tour}};
  for (const Page& page : pages) {
    if (count == 2 && page.name == arguments[1]) return page.run() ? 0 : 1;
  }
  std::cerr << "doc_pages PAGE, where PAGE is one of\n";
  for (const Page& page : pages) std::cerr << "  " << page.name << '\n';
  return 2;
}
