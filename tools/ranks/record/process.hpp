// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../common/launchers.hpp"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>

namespace warpsafe::ranks {

/// Which process of a job this is, as its launcher says it in the environment.
struct Process {
  std::string host;
  long rank = -1;        ///< -1: no launcher said it
  long local_rank = -1;  ///< among the job's processes on this host
  long size = -1;        ///< processes of the job
  const char* launcher = "";

  [[nodiscard]] static Process of_environment() {
    Process found;
    char host[256] = "";
    if (::gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') std::strcpy(host, "unknown");
    found.host = host;
    for (const Launcher& launcher : launchers) {
      long rank = -1;
      if (!number(launcher.rank, rank)) continue;
      if (found.rank < 0) {
        found.rank = rank;
        found.launcher = launcher.name;
      }
      // srun with PMIx tells the size as Slurm does, and the rank twice.
      if (rank != found.rank || found.size >= 0) continue;
      (void)number(launcher.local_rank, found.local_rank);
      (void)number(launcher.size, found.size);
    }
    return found;
  }
  /// The beginning of the names of this process' files: "node7.3.4711".
  [[nodiscard]] std::string file_stem() const {
    std::string stem;
    // A host's name is from outside.
    for (const char letter : host) {
      const auto code = static_cast<unsigned char>(letter);
      stem += std::isalnum(code) != 0 || letter == '-' || letter == '_' ? letter : '_';
    }
    return stem + '.' + (rank < 0 ? std::string("none") : std::to_string(rank)) + '.' +
           std::to_string(::getpid());
  }

 private:
  static bool number(const char* name, long& value) {
    const char* const text = std::getenv(name);
    if (text == nullptr || std::isdigit(static_cast<unsigned char>(*text)) == 0) return false;
    char* end = nullptr;
    const long parsed = std::strtol(text, &end, 10);
    if (*end != '\0' || parsed > 100'000'000) return false;
    value = parsed;
    return true;
  }
};

}  // namespace warpsafe::ranks
