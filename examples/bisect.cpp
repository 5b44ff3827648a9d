// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Finds the first wrong launch of a program: bisect COMMAND [WORD...]
//
// The command must be compiled with checks and include <warpsafe/debug.hpp>, and its kernels must
// carry references. It must end with 0 if its result is right, and with another code if not. bisect
// runs it repeatedly with WARPSAFE_REFERENCE=all:k: the first k launches run their kernels, all
// later ones their references. The smallest k with a wrong result is the first wrong launch.

#include <sys/wait.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

/// One run: whether its result was right, and its launches as the log shows them.
struct Run {
  bool right = false;
  std::vector<std::string> launches;
};

/// Runs the command in a shell. The first `kernels` launches run their kernels.
Run run(const std::string& command, std::size_t kernels) {
  setenv("WARPSAFE_REFERENCE", ("all:" + std::to_string(kernels)).c_str(), 1);
  setenv("WARPSAFE_LOG", "debug", 1);
  std::FILE* const output = popen((command + " 2>&1").c_str(), "r");
  if (output == nullptr) {
    std::perror("bisect: popen");
    std::exit(2);
  }
  Run found;
  std::string line;
  for (int letter = std::fgetc(output); letter != EOF; letter = std::fgetc(output)) {
    if (letter != '\n') {
      line += static_cast<char>(letter);
      continue;
    }
    if (line.rfind("Launch: ", 0) == 0) found.launches.push_back(line);
    line.clear();
  }
  const int status = pclose(output);
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127)) {
    std::cerr << "bisect: the command cannot be run: " << command << '\n';
    std::exit(2);
  }
  found.right = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return found;
}

/// Quotes a word for the shell.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "' ";
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::cerr << "usage: bisect COMMAND [WORD...]\n";
    return 2;
  }
  std::string command;
  for (int i = 1; i < count; ++i) command += quoted(words[i]);

  constexpr std::size_t all = 1'000'000'000;
  const Run kernels = run(command, all);
  if (kernels.launches.empty()) {
    std::cerr << "bisect: no launch was seen: the command makes none in checked code, or lacks "
                 "<warpsafe/debug.hpp>\n";
    return 2;
  }
  std::cout << kernels.launches.size()
            << " launches, with all kernels: " << (kernels.right ? "right" : "wrong") << '\n';
  if (kernels.right) return 1;
  if (!run(command, 0).right) {
    std::cout
        << "with all references: wrong; the mistake is in the host's code, in a reference, or "
           "in a kernel that carries none\n";
    return 1;
  }
  std::size_t right = 0;                        // with this many kernels the run is right
  std::size_t wrong = kernels.launches.size();  // with this many it is wrong
  while (wrong - right > 1) {
    const std::size_t middle = right + (wrong - right) / 2;
    const bool good = run(command, middle).right;
    std::cout << "with kernels in the first " << middle << ": " << (good ? "right" : "wrong")
              << '\n';
    (good ? right : wrong) = middle;
  }
  std::cout << "the first wrong launch is number " << wrong << ":\n  "
            << kernels.launches[wrong - 1] << "\n  WARPSAFE_TRACE=all:" << wrong - 1
            << ":1 writes its data to files\n";
  return 0;
}
