// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/element_type.hpp>
#include <warpsafe/debug/log.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// Arrays in files that numpy.load reads: version 1.0 of the format (NumPy, "NEP 1 — A simple file
// format for NumPy arrays"; numpy/lib/format.py). Numbers are little-endian, as on all devices.

namespace warpsafe::debug {

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
/// single element without an axis. Only the user can read the file. Returns 0, or the errno of the
/// failure; ELOOP: a symbolic link has that name.
[[nodiscard]] inline int write_npy(const char* path, ElementType type, std::size_t bytes,
                                   std::size_t count, bool scalar, const void* data) {
  const std::size_t lanes = type == ElementType::bytes ? 1 : bytes / element_size(type);
  std::string shape = scalar ? "" : std::to_string(count) + ",";
  if (lanes != 1) shape += std::to_string(lanes) + ",";
  std::string header = "{'descr': '" + npy_descr(type, bytes) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data begins at a multiple of 64 bytes; 10 bytes precede the header.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::FILE* const file = detail::create_stream(path);
  if (file == nullptr) return errno;
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
  const std::size_t size = bytes * count;
  const bool written = std::fwrite(start, 1, sizeof start, file) == sizeof start &&
                       std::fwrite(header.data(), 1, header.size(), file) == header.size() &&
                       (size == 0 || std::fwrite(data, 1, size, file) == size);
  const int problem = written ? 0 : errno;
  const bool closed = std::fclose(file) == 0;
  return problem != 0 || closed ? problem : errno;
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
  if (descr.size() < 3 || std::strchr("<|", descr[0]) == nullptr ||
      std::strchr("biufV", descr[1]) == nullptr) {
    return 0;
  }
  return std::strtoull(descr.c_str() + 2, nullptr, 10);
}

/// The reason why the file cannot be used, or nullptr.
[[nodiscard]] inline const char* parse_npy(const std::vector<unsigned char>& file,
                                           NpyArray& array) {
  constexpr unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  if (file.size() < 10 || std::memcmp(file.data(), magic, sizeof magic) != 0) {
    return "it is no .npy file of version 1.0";
  }
  const std::size_t header_size = file[8] + file[9] * std::size_t{256};
  if (file.size() < 10 + header_size) return "it ends inside its header";
  const std::string header(reinterpret_cast<const char*>(file.data()) + 10, header_size);
  array.descr = npy_field(header, "'descr': '", "'");
  const std::size_t bytes = npy_bytes(array.descr);
  if (bytes == 0) return "its elements are no plain little-endian numbers";
  if (npy_field(header, "'fortran_order': ", ",") != "False") return "its order is Fortran's";
  if (header.find("'shape': (") == std::string::npos) return "it has no shape";
  const std::string shape = npy_field(header, "'shape': (", ")");
  array.shape.clear();
  for (const char* at = shape.c_str(); *at != '\0';) {
    char* end = nullptr;
    array.shape.push_back(std::strtoull(at, &end, 10));
    if (end == at) return "its shape is no list of numbers";
    at = end + std::strspn(end, ", ");
  }
  array.data.assign(file.begin() + static_cast<std::ptrdiff_t>(10 + header_size), file.end());
  if (array.data.size() != bytes * array.elements()) return "it has not as many bytes as its shape";
  return nullptr;
}

}  // namespace detail

/// Reads a file that write_npy wrote. False with the reason in `problem`.
[[nodiscard]] inline bool read_npy(const std::string& path, NpyArray& array, std::string& problem) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    problem = path + ": " + std::strerror(errno);
    return false;
  }
  std::vector<unsigned char> bytes;
  unsigned char part[65536];
  while (const std::size_t size = std::fread(part, 1, sizeof part, file)) {
    bytes.insert(bytes.end(), part, part + size);
  }
  const bool whole = std::ferror(file) == 0;
  std::fclose(file);
  const char* const wrong = whole ? detail::parse_npy(bytes, array) : "it cannot be read";
  if (wrong != nullptr) problem = path + ": " + wrong;
  return wrong == nullptr;
}

}  // namespace warpsafe::debug
