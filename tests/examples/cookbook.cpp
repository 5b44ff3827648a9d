// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The programs of examples/cookbook in one program, which compiles in a fifth of the time: cookbook
// NAME. Each has a namespace; all that they include comes first.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace histogram {
#include "../../examples/cookbook/histogram.cpp"
}
namespace matrix_product {
#include "../../examples/cookbook/matrix_product.cpp"
}
namespace pinned_staging {
#include "../../examples/cookbook/pinned_staging.cpp"
}
namespace reduction {
#include "../../examples/cookbook/reduction.cpp"
}
namespace server {
#include "../../examples/cookbook/server.cpp"
}
namespace softmax {
#include "../../examples/cookbook/softmax.cpp"
}
namespace stencil {
#include "../../examples/cookbook/stencil.cpp"
}

int main(int argc, char** argv) {
  struct Program {
    const char* name;
    int (*run)();
  };
  const Program programs[] = {{"histogram", histogram::main},
                              {"matrix_product", matrix_product::main},
                              {"pinned_staging", pinned_staging::main},
                              {"reduction", reduction::main},
                              {"server", server::main},
                              {"softmax", softmax::main},
                              {"stencil", stencil::main}};
  for (const Program& program : programs) {
    if (argc == 2 && argv[1] == std::string(program.name)) return program.run();
  }
  std::cerr << "usage: cookbook NAME, one of the programs in examples/cookbook\n";
  return 1;
}
