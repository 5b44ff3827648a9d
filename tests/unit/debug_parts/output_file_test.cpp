// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The files that the debugging aids and the tools write.

#include <warpsafe/debug/detail/output_file.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace warpsafe::debug {
namespace {

using ::testing::UnorderedElementsAre;

TEST(OutputFile, KeepsTheFirstFailure) {
  std::FILE* const full = std::fopen("/dev/full", "wb");
  if (full == nullptr) GTEST_SKIP() << "no /dev/full here";
  std::setvbuf(full, nullptr, _IONBF, 0);
  detail::OutputFile out(full);
  EXPECT_EQ(out.finish(), 0) << "nothing is written yet";
  out.line("text");
  errno = 0;
  EXPECT_EQ(out.finish(), ENOSPC);
  out.write("more", 4);
  EXPECT_EQ(out.finish(), ENOSPC);
  std::fclose(full);
  std::FILE* const buffered = std::fopen("/dev/full", "wb");
  detail::OutputFile late(buffered);
  late.line("text");
  EXPECT_EQ(late.finish(), ENOSPC) << "of the flush";
  std::fclose(buffered);
  errno = 0;
  EXPECT_EQ(detail::OutputFile::last_errno(), EIO);
  errno = ENOENT;
  EXPECT_EQ(detail::OutputFile::last_errno(), ENOENT);
}

/// A file whose writes fail, each with another errno.
std::FILE* failing_file(const int*& next) {
  const ::cookie_io_functions_t functions{nullptr,
                                          [](void* place, const char*, std::size_t) -> ::ssize_t {
                                            errno = *(*static_cast<const int**>(place))++;
                                            return 0;
                                          },
                                          nullptr, nullptr};
  return ::fopencookie(&next, "wb", functions);
}
TEST(OutputFile, KeepsTheFirstFailureWhateverFollows) {
  for (const bool buffers : {false, true}) {
    const int failures[] = {ENOSPC, EIO, EIO, EIO, EIO, EIO};
    const int* next = failures;
    std::FILE* const file = failing_file(next);
    ASSERT_NE(file, nullptr);
    if (!buffers) std::setvbuf(file, nullptr, _IONBF, 0);
    detail::OutputFile out(file);
    out.write("text", 4);
    if (!buffers) out.write("more", 4);
    EXPECT_EQ(out.finish(), ENOSPC);
    EXPECT_EQ(out.finish(), ENOSPC);
    std::fclose(file);
  }
}

/// While one exists, a descriptor of the process is another file, or closed for -1.
class Redirected {
 public:
  Redirected(int descriptor, int target) : descriptor_(descriptor), before_(::dup(descriptor)) {
    std::fflush(nullptr);
    if (target < 0) ::close(descriptor_);
    if (target >= 0) ::dup2(target, descriptor_);
  }
  ~Redirected() {
    ::dup2(before_, descriptor_);
    ::close(before_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int descriptor_;
  int before_;
};

TEST(CreatedFile, TheSystemsOwnLinksAreFollowed) {
  const int memory = ::memfd_create("output_file_test", 0);
  ASSERT_GE(memory, 0);
  const std::string number = std::to_string(memory);
  const auto written = [&](const std::string& path) {
    EXPECT_EQ(::ftruncate(memory, 0) + static_cast<int>(::lseek(memory, 0, SEEK_SET)), 0);
    const int file = detail::create_file(path.c_str());
    if (file < 0) return std::string(std::strerror(errno));
    const bool whole = ::write(file, "text", 4) == 4;
    ::close(file);
    struct ::stat found {};
    return whole && ::fstat(memory, &found) == 0 && found.st_size == 4 ? std::string("written")
                                                                       : std::string("lost");
  };
  {
    const Redirected out(STDOUT_FILENO, memory);
    EXPECT_EQ(written("/dev/stdout"), "written");
  }
  {
    const Redirected out(STDERR_FILENO, memory);
    EXPECT_EQ(written("/dev/stderr"), "written");
  }
  {
    const Redirected in(STDIN_FILENO, memory);
    EXPECT_EQ(written("/dev/fd/0"), "written");
    EXPECT_EQ(detail::write_to("/dev/fd/0", [](std::FILE* to) { return std::fputs("t", to) < 0; }),
              0);
  }
  for (const int other : {19, 123}) {
    const int copy = ::fcntl(memory, F_DUPFD, other);
    ASSERT_GE(copy, other);
    EXPECT_EQ(written("/dev/fd/" + std::to_string(copy)), "written");
    ::close(copy);
  }
  EXPECT_EQ(written("/dev/fd/" + number), "written");
  EXPECT_EQ(written("/proc/self/fd/" + number), "written");
  EXPECT_EQ(written("/proc/self/fd/"), std::strerror(EISDIR));
  EXPECT_EQ(written("/dev/fd/9999999999"), std::strerror(ENOENT));
  EXPECT_EQ(written("/dev/fd/" + number + "x"), std::strerror(ENOENT));
  EXPECT_EQ(written("/dev/fd/" + number + "/0"), std::strerror(ENOTDIR));
  EXPECT_EQ(written("/dev/fd/2147483640"), std::strerror(ENOENT))
      << "more than a descriptor may be";
  EXPECT_EQ(written("/dev/fd/2147483639"), std::strerror(EBADF));
  EXPECT_EQ(written("/dev/fd/1000000"), std::strerror(EBADF)) << "not open";
  // Anybody could have made these.
  for (const char* const name :
       {"output_file_test.stdout", "output_file_test.stderr", "output_file_test.fd"}) {
    ::unlink(name);
    ASSERT_EQ(::symlink(("/proc/self/fd/" + number).c_str(), name), 0);
    EXPECT_EQ(written(name), std::strerror(ELOOP));
    ::unlink(name);
  }
  ::close(memory);
}
TEST(CreatedFile, TheProgramsOwnDescriptorKeepsWhatWasWritten) {
  const std::string name =
      std::filesystem::temp_directory_path() / ("output_file_test." + std::to_string(::getpid()));
  const auto write_one = [](std::FILE* to) {
    detail::OutputFile out(to);
    out.line("the journal");
    return out.finish();
  };
  const int log = ::open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);  // as `> log` does
  ASSERT_GE(log, 0);
  {
    const Redirected out(STDOUT_FILENO, log);
    EXPECT_EQ(::write(STDOUT_FILENO, "begin\n", 6), 6);
    EXPECT_EQ(detail::write_to("/dev/stdout", write_one), 0);
    EXPECT_EQ(detail::write_to(("/dev/fd/" + std::to_string(log)).c_str(), write_one), 0);
    EXPECT_EQ(detail::write_to("/proc/self/fd/1", write_one), 0);
    const int file = detail::create_file("/dev/stdout", O_APPEND);
    EXPECT_EQ(::write(file, "a line\n", 7), 7);
    ::close(file);
    EXPECT_EQ(::write(STDOUT_FILENO, "the end\n", 8), 8);
  }
  ::close(log);
  std::ifstream in(name);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}),
            "begin\nthe journal\nthe journal\nthe journal\na line\nthe end\n");
  std::filesystem::remove(name);
}
/// A folder with a file that the tests must not change.
struct FilesOfOthers : ::testing::Test {
  FilesOfOthers() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    put(folder + "/kept");
  }
  ~FilesOfOthers() override { std::filesystem::remove_all(folder); }
  static void put(const std::string& path) { std::ofstream(path) << "kept"; }
  static std::string content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& one : std::filesystem::directory_iterator(folder)) {
      found.push_back(one.path().filename());
    }
    return found;
  }
  /// Writes to the file `name`. Returns what the user reads if it is refused, or "".
  [[nodiscard]] std::string refusal() const {
    const int file = detail::create_file(name.c_str());
    const int problem = errno;
    if (file < 0) {
      EXPECT_EQ(file, -1);
      return detail::file_problem(problem);
    }
    EXPECT_EQ(::write(file, "new", 3), 3);
    ::close(file);
    return "";
  }

  // Other users cannot enter every folder, but they can enter this one.
  const std::string folder =
      std::filesystem::temp_directory_path() / ("output_file_test." + std::to_string(::getpid()));
  const std::string name = folder + "/run.jsonl";
};
TEST_F(FilesOfOthers, TheUsersOwnIsReplacedAndKeepsItsPermissions) {
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(content(name), "new");
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(name).permissions(), perms::owner_read | perms::owner_write);
  put(name);
  std::filesystem::permissions(name, perms::others_read | perms::owner_write | perms::owner_read);
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(content(name), "new") << "shorter than what was there";
  EXPECT_EQ(std::filesystem::status(name).permissions(),
            perms::others_read | perms::owner_write | perms::owner_read);
}
TEST_F(FilesOfOthers, AFileOpenedForAppendingAppends) {
  put(name);
  const int file = detail::create_file(name.c_str(), O_APPEND);
  ASSERT_GE(file, 0);
  EXPECT_EQ(::fcntl(file, F_GETFL) & (O_APPEND | O_NONBLOCK | O_ACCMODE), O_APPEND | O_WRONLY);
  EXPECT_EQ(::fcntl(file, F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(content(name), "");
  ::close(file);
}
TEST_F(FilesOfOthers, ALinkIsNotWrittenThrough) {
  for (const std::string target : {"kept", "none"}) {
    std::filesystem::create_symlink(target, name);
    EXPECT_EQ(refusal(), "a symbolic link has that name; remove it, or choose another name");
    std::filesystem::remove(name);
  }
  EXPECT_FALSE(std::filesystem::exists(folder + "/none"));
  std::filesystem::create_hard_link(folder + "/kept", name);
  EXPECT_EQ(refusal(), "the file has another name, a hard link; remove it, or choose another name");
  EXPECT_EQ(content(folder + "/kept"), "kept");
}
TEST_F(FilesOfOthers, APipeIsRefusedAtOnce) {
  const std::string refused =
      "a pipe or a device has that name; choose another name, or /dev/fd/N for an open pipe";
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  ::alarm(20);  // instead of a wait for a reader without an end
  EXPECT_EQ(refusal(), refused);
  ::alarm(0);
  const int reader = ::open(name.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(refusal(), refused) << "with a reader";
  char byte = 0;
  EXPECT_EQ(::read(reader, &byte, 1), 0);
  ::close(reader);
}
TEST_F(FilesOfOthers, AFolderIsRefused) {
  std::filesystem::create_directory(name);
  EXPECT_EQ(refusal(), std::strerror(EISDIR));
  EXPECT_TRUE(std::filesystem::is_directory(name));
}
TEST_F(FilesOfOthers, AnotherUsersFileIsNotWritten) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  constexpr uid_t somebody = 65533, nobody = 65534;
  const auto refusal_as = [&](uid_t owner, uid_t user) {
    EXPECT_EQ(::chown(name.c_str(), owner, owner), 0);
    EXPECT_EQ(::seteuid(user), 0);
    std::string refused = refusal();
    EXPECT_EQ(::seteuid(0), 0);
    return refused;
  };
  put(name);
  ASSERT_EQ(::chmod(name.c_str(), 0666) + ::chmod(folder.c_str(), 0777), 0);
  const std::string refused = "another user's file has that name; choose another name";
  EXPECT_EQ(refusal_as(somebody, 0), refused);
  EXPECT_EQ(refusal_as(somebody, nobody), refused);
  EXPECT_EQ(refusal_as(0, nobody), refused);
  EXPECT_EQ(content(name), "kept");
  EXPECT_EQ(refusal_as(nobody, nobody), "");
  EXPECT_EQ(content(name), "new");
}
TEST_F(FilesOfOthers, ADeviceIsWritten) {
  for (const char* const device : {"/dev/null", "/dev/full"}) {
    const int file = detail::create_file(device);
    ASSERT_GE(file, 0) << device << ": " << std::strerror(errno);
    EXPECT_EQ(::write(file, "new", 3) == 3 ? 0 : errno,
              std::strcmp(device, "/dev/full") == 0 ? ENOSPC : 0);
    ::close(file);
  }
}
TEST(CreatedFile, MayHaveTheNumberOfStandardInput) {
  int number = -1;
  {
    const Redirected closed(STDIN_FILENO, -1);
    number = detail::create_file("/dev/null");
    if (number >= 0) ::close(number);
  }
  EXPECT_EQ(number, STDIN_FILENO);
}
TEST_F(FilesOfOthers, AFileMayHaveTheNumberOfStandardInput) {
  const Redirected closed(STDIN_FILENO, -1);
  for (const char* const text : {"new", "newer"}) {
    EXPECT_EQ(
        detail::write_to(name.c_str(), [&](std::FILE* to) { return std::fputs(text, to) < 0; }), 0);
    EXPECT_EQ(content(name), text);
  }
  std::filesystem::remove(name);
  errno = EEXIST;  // of an earlier call
  const int file = detail::create_file(name.c_str());
  EXPECT_EQ(file, STDIN_FILENO);
  if (file >= 0) ::close(file);
}
// The next file beside it must not fill another folder, such as the one above, or another disk.
TEST_F(FilesOfOthers, TheNewFileIsMadeInItsFolder) {
  put(name);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  for (const std::string& path : {name, std::string("run.jsonl"), std::string("./run.jsonl")}) {
    const auto write = [&](std::FILE* to) {
      EXPECT_THAT(names(),
                  UnorderedElementsAre("kept", "run.jsonl", ::testing::StartsWith(".warpsafe.")));
      return std::fputs(path.c_str(), to) < 0;
    };
    EXPECT_EQ(detail::write_to(path.c_str(), write), 0);
    EXPECT_EQ(content(name), path);
  }
  std::filesystem::current_path(before);
}
TEST_F(FilesOfOthers, AReplacedFileKeepsItsGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to any group";
  put(name);
  ASSERT_EQ(::chown(name.c_str(), 0, 65533), 0);
  EXPECT_EQ(detail::write_to(name.c_str(), [](std::FILE* to) { return std::fputs("new", to) < 0; }),
            0);
  struct ::stat found {};
  ASSERT_EQ(::stat(name.c_str(), &found), 0);
  EXPECT_EQ(found.st_gid, 65533U);
  EXPECT_EQ(found.st_uid, 0U);
  EXPECT_EQ(content(name), "new");
}
/// Writes the file in a process with mounts of its own, where `mount_them` returns 0. Ends with the
/// errno of the failure, or 77 if this process may not mount.
template <class Mount>
[[noreturn]] void write_where(const std::string& name, const Mount& mount_them) {
  constexpr unsigned long alone = MS_REC | MS_PRIVATE;
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, alone, nullptr) != 0 ||
      mount_them() != 0) {
    std::_Exit(77);
  }
  std::_Exit(
      detail::write_to(name.c_str(), [](std::FILE* to) { return std::fputs("new", to) < 0; }));
}
// As containers have them.
TEST_F(FilesOfOthers, AFileThatIsAMountOrInAReadOnlyFolderIsWrittenInPlace) {
  const auto bind = [](const std::string& path, unsigned long more = 0) {
    return ::mount(path.c_str(), path.c_str(), nullptr, MS_BIND | more, nullptr);
  };
  const auto written = [&](bool read_only) {
    put(name);
    const int child = ::fork();
    if (child == 0) {
      write_where(name, [&] {
        return (read_only ? bind(folder) : 0) + bind(name) +
               (read_only ? bind(folder, MS_REMOUNT | MS_RDONLY) : 0);
      });
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  for (const bool read_only : {false, true}) {
    const int failed = written(read_only);
    if (failed == 77) GTEST_SKIP() << "this process may not mount";
    EXPECT_EQ(failed, 0) << read_only;
    EXPECT_EQ(content(name), "new") << read_only;
    EXPECT_THAT(names(), UnorderedElementsAre("kept", "run.jsonl"));
  }
}
TEST_F(FilesOfOthers, AFailureLeavesTheOldFileAndNothingBeside) {
  put(name);
  std::filesystem::permissions(name, std::filesystem::perms(0640));
  for (const int failure : {ENOSPC, EPERM, EBUSY}) {
    const auto fails = [&](std::FILE* to) {
      EXPECT_EQ(std::fputs("half", to) < 0 ? EOF : std::fflush(to), 0);
      return failure;
    };
    EXPECT_EQ(detail::write_to(name.c_str(), fails), failure);
    EXPECT_EQ(content(name), "kept");
  }
  EXPECT_EQ(detail::write_to(name.c_str(), [](std::FILE* to) { return std::fputs("new", to) < 0; }),
            0);
  EXPECT_EQ(content(name), "new");
  EXPECT_EQ(std::filesystem::status(name).permissions(), std::filesystem::perms(0640));
  EXPECT_THAT(names(), UnorderedElementsAre("kept", "run.jsonl"));
}
TEST_F(FilesOfOthers, AWholeFileIsRefusedAsAStreamIs) {
  const auto refused = [&] {
    return detail::write_to(name.c_str(), [](std::FILE*) {
      ADD_FAILURE() << "nothing is written";
      return 0;
    });
  };
  std::filesystem::create_symlink("kept", name);
  EXPECT_EQ(refused(), ELOOP);
  std::filesystem::remove(name);
  std::filesystem::create_hard_link(folder + "/kept", name);
  EXPECT_EQ(refused(), EMLINK);
  std::filesystem::remove(name);
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  EXPECT_EQ(refused(), ENXIO);
  std::filesystem::remove(name);
  std::filesystem::create_directory(name);
  EXPECT_EQ(refused(), EISDIR);
  EXPECT_EQ(content(folder + "/kept"), "kept");
  EXPECT_THAT(names(), UnorderedElementsAre("kept", "run.jsonl"));
}
TEST_F(FilesOfOthers, AFileInAFolderThatCannotBeWrittenIsWrittenInPlace) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  constexpr uid_t somebody = 65533;
  put(name);
  ASSERT_EQ(::chown(name.c_str(), somebody, somebody) + ::chmod(folder.c_str(), 0755), 0);
  ASSERT_EQ(::seteuid(somebody), 0);
  EXPECT_EQ(detail::write_to(name.c_str(), [](std::FILE* to) { return std::fputs("new", to) < 0; }),
            0);
  EXPECT_EQ(detail::create_file((folder + "/another").c_str()), -1);
  EXPECT_EQ(errno, EACCES) << "not that it does not exist";
  ASSERT_EQ(::chmod(name.c_str(), 0400), 0);
  EXPECT_EQ(detail::write_to(name.c_str(), [](std::FILE*) { return 0; }), EACCES) << "read-only";
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(content(name), "new");
}

}  // namespace
}  // namespace warpsafe::debug
