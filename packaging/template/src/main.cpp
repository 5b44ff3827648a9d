#include "smooth.hpp"
#include <warpsafe/print.hpp>

#include <iostream>

int main() {
  const auto smoothed = smooth({0, 0, 3, 0, 0, 9});
  if (!smoothed) {
    std::cerr << smoothed.error() << '\n';
    return 1;
  }
  for (const float value : smoothed.value()) std::cout << value << ' ';
  std::cout << '\n';
}
