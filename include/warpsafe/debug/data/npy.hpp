// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/element_type.hpp>
#include <warpsafe/debug/detail/catch_bad_alloc.hpp>
#include <warpsafe/debug/detail/cut_number.hpp>
#include <warpsafe/debug/detail/output_file.hpp>
#include <warpsafe/debug/log.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// Arrays in files that numpy.load reads: version 1.0 of the format (NumPy, "NEP 1 — A simple file
// format for NumPy arrays"; numpy/lib/format.py). Numbers are little-endian, as on all devices.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// NumPy's name of an element type: '<f4', '|b1', …, or '|V<bytes>' for elements that are no
/// numbers. NumPy has no bfloat16: its bits become '<u2'.
[[nodiscard]] inline std::string npy_descr(ElementType type, std::size_t bytes) {
  constexpr const char* names[] = {"",    "|b1", "|i1", "|u1", "<i2", "<u2", "<i4",
                                   "<u4", "<i8", "<u8", "<f2", "<u2", "<f4", "<f8"};
  if (type == ElementType::bytes) return "|V" + std::to_string(bytes);
  return names[static_cast<std::size_t>(type)];
}

/// The contents of a file.
struct NpyArray {
  std::string descr;
  std::vector<std::size_t> shape;  ///< empty: a single value
  std::vector<unsigned char> data;

  [[nodiscard]] std::size_t elements() const noexcept {
    std::size_t all = 1;
    for (const std::size_t length : shape) all *= length;
    return all;
  }
};

/// Writes an array of `count` elements of `bytes` each. An element consists of `bytes /
/// element_size(type)` numbers, which form a second axis unless there is only one. `scalar`: a
/// single element without an axis. Only the user can read a new file. Returns 0, or the errno of
/// the failure; ENOMEM: the host has no memory left. ELOOP, EMLINK, EEXIST, ENXIO: what has that
/// name is a link, has a second name, is another user's, or is a pipe or a disk.
[[nodiscard]] inline int write_npy(const char* path, ElementType type, std::size_t bytes,
                                   std::size_t count, bool scalar, const void* data) {
  std::string header;
  const auto make_header = [&] {
    const std::size_t lanes = type == ElementType::bytes ? 1 : bytes / element_size(type);
    std::string shape = scalar ? "" : std::to_string(count) + ",";
    if (lanes != 1) shape += std::to_string(lanes) + ",";
    header = "{'descr': '" + npy_descr(type, bytes) + "', 'fortran_order': False, 'shape': (" +
             shape + "), }";
    // The data begins at a multiple of 64 bytes; 10 bytes precede the header.
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
  };
  if (!detail::has_memory_for(make_header)) return ENOMEM;
  const unsigned char start[] = {0x93,
                                 'N',
                                 'U',
                                 'M',
                                 'P',
                                 'Y',
                                 1,
                                 0,
                                 static_cast<unsigned char>(header.size() & 255U),
                                 static_cast<unsigned char>(header.size() >> 8)};
  return detail::write_to(path, [&](std::FILE* file) {
    detail::OutputFile out(file);
    out.write(start, sizeof start);
    out.write(header.data(), header.size());
    out.write(data, bytes * count);
    return out.finish();
  });
}

namespace detail {

/// The text in a header between `key` and one of `ends`; empty if it is missing.
[[nodiscard]] inline std::string npy_field(const std::string& header, const char* key,
                                           const char* ends) {
  const std::size_t at = header.find(key);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + std::strlen(key);
  const std::size_t end = header.find_first_of(ends, begin);
  return end == std::string::npos ? std::string() : header.substr(begin, end - begin);
}

/// Bytes of an element; 0 for a descr that write_npy does not produce.
[[nodiscard]] inline std::size_t npy_bytes(const std::string& descr) {
  for (int i = 1; i <= static_cast<int>(ElementType::float64); ++i) {
    const auto type = static_cast<ElementType>(i);
    if (descr == npy_descr(type, 0)) return element_size(type);
  }
  if (descr.compare(0, 2, "|V") != 0) return 0;
  std::uint64_t bytes = 0;
  const char* rest = descr.c_str() + 2;
  return cut_number(rest, bytes) && *rest == '\0' ? bytes : 0;
}
/// Reads "3, 4": numbers between commas. Returns false for anything else.
[[nodiscard]] inline bool parse_npy_shape(const char* at, std::vector<std::size_t>& shape) {
  shape.clear();
  while (*at != '\0') {
    std::uint64_t length = 0;
    if (!cut_number(at, length)) return false;
    shape.push_back(length);
    if (*at != ',' && *at != '\0') return false;
    if (*at == ',') ++at;
    at += std::strspn(at, " ");
  }
  return true;
}

/// Reads the header, and the number of bytes of data that it promises. Returns the reason why the
/// file cannot be used; empty if it can.
[[nodiscard]] inline std::string read_npy_header(std::FILE* file, NpyArray& array,
                                                 std::size_t& bytes) {
  constexpr unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  unsigned char start[10];
  if (std::fread(start, 1, sizeof start, file) != sizeof start ||
      std::memcmp(start, magic, sizeof magic) != 0) {
    return "it is not an .npy file of version 1.0; write it with numpy.save or WARPSAFE_TRACE";
  }
  std::string header(start[8] + start[9] * std::size_t{256}, '\0');
  if (std::fread(header.data(), 1, header.size(), file) != header.size()) {
    return "it ends inside its header of " + std::to_string(header.size()) +
           " bytes; copy the whole file";
  }
  // A zero would end the texts below early, and what follows it would not be read.
  if (header.find('\0') != std::string::npos) {
    return "its header has a zero byte; write the file again";
  }
  array.descr = npy_field(header, "'descr': '", "'");
  bytes = npy_bytes(array.descr);
  if (bytes == 0) {
    return "its elements '" + std::string(Shown(array.descr.c_str()).c_str()) +
           "' are not little-endian integers or floats; convert the array with "
           "numpy.ndarray.astype('<f4')";
  }
  if (npy_field(header, "'fortran_order': ", ",") != "False") {
    return "it is in Fortran order; convert the array with numpy.ascontiguousarray";
  }
  // A search from beyond the end finds nothing.
  if (header.find(')', header.find("'shape': (")) == std::string::npos) {
    return "it has no shape";
  }
  const std::string shape = npy_field(header, "'shape': (", ")");
  const bool parsed = parse_npy_shape(shape.c_str(), array.shape);
  const std::string shown = Shown(shape.c_str()).c_str();
  if (!parsed) {
    return "its shape (" + shown + ") is not a list of lengths from 0 to " +
           std::to_string(~std::size_t{0}) + "; write the file again";
  }
  // A length of 0 makes every other length right.
  for (const std::size_t length : array.shape) {
    if (length == 0) bytes = 0;
  }
  for (const std::size_t length : array.shape) {
    if (bytes != 0 && __builtin_mul_overflow(bytes, length, &bytes)) {
      return "its shape (" + shown + ") of elements '" + array.descr + "' has more bytes than " +
             std::to_string(~std::size_t{0}) + ", the limit of a size; write the file again";
    }
  }
  return {};
}

/// Reads `bytes` bytes, which must be all that follow. Returns as read_npy_header does.
[[nodiscard]] inline std::string read_npy_data(std::FILE* file, NpyArray& array,
                                               std::size_t bytes) {
  const auto wrong_size = [&](const std::string& found) {
    return "it has " + found + " bytes of data, but its shape needs " + std::to_string(bytes) +
           "; copy the whole file";
  };
  array.data.clear();
  struct ::stat status {};
  const bool regular = ::fstat(::fileno(file), &status) == 0 && S_ISREG(status.st_mode);
  if (regular) {
    const auto begin = static_cast<std::size_t>(std::ftell(file));
    const auto end = static_cast<std::size_t>(status.st_size);
    if (end < begin || end - begin != bytes) {
      return wrong_size(std::to_string(end < begin ? 0 : end - begin));
    }
  }
  const std::size_t most = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                           static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (bytes > most) {
    return "it has " + std::to_string(bytes) + " bytes, and this machine has " +
           std::to_string(most) + " bytes of memory; compare a part of the array";
  }
  const auto fill = [&] {
    // Anything but a file may promise more than it has, and costs only memory for what it has.
    constexpr std::size_t step = std::size_t{1} << 20U;
    if (regular) array.data.reserve(bytes);
    while (array.data.size() < bytes) {
      const std::size_t before = array.data.size();
      const std::size_t next = bytes - before < step ? bytes - before : step;
      array.data.resize(before + next);
      const std::size_t read = std::fread(array.data.data() + before, 1, next, file);
      if (read != next) return array.data.resize(before + read);
    }
  };
  if (!has_memory_for(fill)) {
    array.data = {};
    return "there is no host memory for its " + std::to_string(bytes) +
           " bytes; free some, or compare a part of the array";
  }
  if (std::ferror(file) != 0) return "it cannot be read: " + std::string(std::strerror(errno));
  if (array.data.size() != bytes) return wrong_size(std::to_string(array.data.size()));
  if (std::fgetc(file) != EOF) return wrong_size("more than " + std::to_string(bytes));
  return {};
}

}  // namespace detail

/// Reads a file that write_npy wrote. Reads its header first, and no more data than the header
/// promises. Returns false, with the reason in `problem`, if the file cannot be used or there is no
/// memory for the array.
[[nodiscard]] inline bool read_npy(const std::string& path, NpyArray& array, std::string& problem) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    problem = path + ": " + std::strerror(errno);
    return false;
  }
  bool done = false;
  const auto read = [&] {
    std::size_t bytes = 0;
    std::string wrong = detail::read_npy_header(file, array, bytes);
    const bool failed = std::ferror(file) != 0;
    if (failed) wrong = "it cannot be read: " + std::string(std::strerror(errno));
    if (wrong.empty()) wrong = detail::read_npy_data(file, array, bytes);
    if (!wrong.empty()) problem = path + ": " + wrong;
    done = wrong.empty();
  };
  // Short enough to need no memory.
  if (!detail::has_memory_for(read)) problem = "no host memory";
  std::fclose(file);
  return done;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
