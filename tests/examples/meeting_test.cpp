// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "examples/distributed/meeting.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

/// Starts ranks in processes of their own, rank 0 after the others. Returns how many got the text.
int met(int ranks, const std::string& port) {
  std::vector<pid_t> processes;
  for (int rank = ranks - 1; rank >= 0; --rank) {
    const pid_t process = ::fork();
    if (process != 0) {
      processes.push_back(process);
      continue;
    }
    if (rank == 0) ::usleep(200'000);
    char text[4096] = "";
    if (rank == 0) std::strcpy(text, "the identifier");
    const bool done = Meeting{"127.0.0.1", port, rank, ranks}.share(text, sizeof text);
    ::_exit(done && std::strcmp(text, "the identifier") == 0 ? 0 : 1);
  }
  int right = 0;
  for (const pid_t process : processes) {
    int status = -1;
    ::waitpid(process, &status, 0);
    right += status == 0 ? 1 : 0;
  }
  return right;
}

/// A port that is free now.
std::string free_port() {
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  ::bind(file, reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::getsockname(file, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(file);
  return std::to_string(ntohs(address.sin_port));
}

TEST(Meeting, EachRankGetsTheBytesOfRankZero) {
  EXPECT_EQ(met(1, free_port()), 1);
  EXPECT_EQ(met(2, free_port()), 2);
  EXPECT_EQ(met(9, free_port()), 9);
}

TEST(Meeting, ATakenPortIsAnError) {
  const int file = ::socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address{};
  socklen_t size = sizeof address;
  address.sin6_family = AF_INET6;
  ASSERT_EQ(::bind(file, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(file, 1), 0);
  ::getsockname(file, reinterpret_cast<sockaddr*>(&address), &size);
  char text[16] = "";
  EXPECT_FALSE((Meeting{"127.0.0.1", std::to_string(ntohs(address.sin6_port)), 0, 2}.share(
      text, sizeof text)));
  ::close(file);
}

}  // namespace
