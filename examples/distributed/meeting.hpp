// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstddef>
#include <string>

/// Gives all ranks some bytes of rank 0 over TCP, where there is no MPI. NCCL's identifier of a
/// communicator has to reach each rank in one way or another.
struct Meeting {
  const char* host;  ///< of rank 0
  std::string port;
  int own;
  int ranks;

  /// False: a rank did not come within a minute, or the port is in use.
  [[nodiscard]] bool share(void* bytes, std::size_t size) const {
    if (ranks == 1) return true;
    return own == 0 ? give(bytes, size) : take(bytes, size);
  }

 private:
  static constexpr int patience = 60;  ///< in seconds

  /// The first of the host's addresses with which `use` makes a socket; -1: there is none.
  template <class F>
  [[nodiscard]] int opened(int flags, int family, F use) const {
    addrinfo wanted{};
    wanted.ai_family = family;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = flags;
    addrinfo* found = nullptr;
    if (::getaddrinfo(flags == 0 ? host : nullptr, port.c_str(), &wanted, &found) != 0) return -1;
    int made = -1;
    for (addrinfo* one = found; one != nullptr && made < 0; one = one->ai_next) {
      const int file = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
      if (file < 0) continue;
      const timeval limit{patience, 0};
      ::setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);  // accept's limit too
      if (use(file, *one)) {
        made = file;
      } else {
        ::close(file);
      }
    }
    ::freeaddrinfo(found);
    return made;
  }
  [[nodiscard]] bool give(const void* bytes, std::size_t size) const {
    const auto listens = [this](int file, const addrinfo& address) {
      const int yes = 1;
      const int no = 0;
      ::setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      if (address.ai_family == AF_INET6) {
        ::setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
      }
      return ::bind(file, address.ai_addr, address.ai_addrlen) == 0 && ::listen(file, ranks) == 0;
    };
    // A socket of IPv6 takes calls of both families.
    int door = opened(AI_PASSIVE, AF_INET6, listens);
    if (door < 0) door = opened(AI_PASSIVE, AF_INET, listens);
    bool all_came = door >= 0;
    for (int rank = 1; rank < ranks && all_came; ++rank) {
      const int guest = ::accept(door, nullptr, nullptr);
      all_came =
          guest >= 0 && ::send(guest, bytes, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
      if (guest >= 0) ::close(guest);
    }
    if (door >= 0) ::close(door);
    return all_came;
  }
  [[nodiscard]] bool take(void* bytes, std::size_t size) const {
    // Rank 0 may not have opened its door yet.
    for (int tries = 0; tries < patience * 10; ++tries, ::usleep(100'000)) {
      const int file = opened(0, AF_UNSPEC, [](int made, const addrinfo& address) {
        return ::connect(made, address.ai_addr, address.ai_addrlen) == 0;
      });
      if (file < 0) continue;
      const bool is_whole = ::recv(file, bytes, size, MSG_WAITALL) == static_cast<ssize_t>(size);
      ::close(file);
      if (is_whole) return true;
    }
    return false;
  }
};
