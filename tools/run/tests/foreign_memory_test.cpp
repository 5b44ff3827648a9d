// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/kernel/foreign_memory.hpp"

#include "core/kernel/foreign_text.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cstddef>
#include <cstring>

namespace {

using warpsafe::watch::copy_foreign;
using warpsafe::watch::foreign_text;

constexpr std::size_t page = 4096;

/// Two readable pages of 'a' before one that cannot be read.
char* pages_before_a_hole() {
  static char* const begin = [] {
    auto* const made = static_cast<char*>(
        ::mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(made, 'a', 2 * page);
    ::mprotect(made + 2 * page, page, PROT_NONE);
    return made;
  }();
  return begin;
}

/// Returns how many of the expectations below fail.
int mistakes() {
  char* const begin = pages_before_a_hole();
  char to[3 * page] = {};
  int wrong = 0;
  errno = 7;
  wrong += copy_foreign(to, begin + 1, 2 * page - 1) && to[2 * page - 2] == 'a' ? 0 : 1;
  wrong += copy_foreign(to, begin + 1, 2 * page) ? 1 : 0;
  wrong += copy_foreign(to, begin + 2 * page, 1) ? 1 : 0;
  wrong += copy_foreign(to, nullptr, 1) ? 1 : 0;
  wrong += copy_foreign(to, reinterpret_cast<const void*>(~std::uintptr_t{3}), 8) ? 1 : 0;
  const iovec pieces[] = {{begin, 8}, {begin + 100, 16}, {begin + 2 * page, 8}, {begin, 8}};
  wrong += warpsafe::watch::copy_pieces(to, pieces) == 24 ? 0 : 1;
  wrong += foreign_text(begin + page).empty() ? 0 : 1;
  wrong += foreign_text("text") == "text" ? 0 : 1;
  wrong += errno == 7 ? 0 : 1;
  return wrong;
}

TEST(ForeignMemory, IsReadWhereItCanBe) { EXPECT_EQ(mistakes(), 0); }

TEST(ForeignMemory, IsReadWithoutTheCallForIt) {
  for (const unsigned refusal : {unsigned{EPERM}, unsigned{ENOSYS}}) {
    const pid_t child = ::fork();
    if (child == 0) {
      sock_filter rows[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | refusal),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
      const sock_fprog filter{4, rows};
      if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
          ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        ::_exit(77);
      }
      ::_exit(mistakes());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this machine has no seccomp";
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

}  // namespace
