// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// read_npy. The input is the file.
// Claims: what it accepts has the descr and the shape that the header's text spells, byte for byte,
// and as much data as they say. A pipe is read like a file. A refusal is one line of text.
// write_npy writes what read_npy reads back.

#include "fuzz.hpp"
#include <warpsafe/debug/data/npy.hpp>

#include <algorithm>

using namespace warpsafe;
using fuzz::require;

namespace {

/// The header's text between two others, found without the reader's code.
std::string_view between(std::string_view header, std::string_view key, char end) {
  const std::size_t at = header.find(key);
  require(at != std::string_view::npos, "accepted a header without a field");
  const std::string_view rest = header.substr(at + key.size());
  return rest.substr(0, rest.find(end));
}

/// The product of the lengths, and how many there are; the text is "3, 4" or "3,".
void check_shape(std::string_view text, const std::vector<std::size_t>& shape) {
  std::size_t number = 0;
  bool digit = false;
  const auto next = [&](std::size_t length) {
    require(number < shape.size() && shape[number] == length, "a length is not the header's");
    ++number;
  };
  std::size_t length = 0;
  for (const char letter : text) {
    if (letter >= '0' && letter <= '9') {
      length = length * 10 + static_cast<std::size_t>(letter - '0');
      digit = true;
    } else {
      require(letter == ',' || letter == ' ', "accepted a shape that is no list of numbers");
      if (digit) next(length);
      digit = false;
      length = 0;
    }
  }
  if (digit) next(length);
  require(number == shape.size(), "the shape is not the header's");
}

void check_refusal(const std::string& problem) {
  require(!problem.empty(), "refused without a reason");
  require(!fuzz::has_control(problem, false), "a refusal is not one line");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("npy");
  static const fuzz::MemoryFile copy("npy");
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  file.set(bytes);
  debug::NpyArray array;
  std::string problem;
  const bool accepted = debug::read_npy(file.path(), array, problem);

  if (size <= 4096) {  // fits into a pipe
    int ends[2];
    if (::pipe(ends) != 0) fuzz::fail("pipe");
    if (::write(ends[1], data, size) != static_cast<ssize_t>(size)) fuzz::fail("write");
    ::close(ends[1]);
    debug::NpyArray piped;
    std::string pipe_problem;
    const bool same = debug::read_npy("/proc/self/fd/" + std::to_string(ends[0]), piped,
                                      pipe_problem) == accepted;
    ::close(ends[0]);
    require(same, "a pipe is not read like a file");
    require(!accepted || piped.data == array.data, "a pipe has other data than the file");
    if (!accepted) check_refusal(pipe_problem);
  }
  if (!accepted) {
    check_refusal(problem);
    return 0;
  }

  const std::string_view header = bytes.substr(10, data[8] + data[9] * std::size_t{256});
  require(between(header, "'descr': '", '\'') == array.descr, "the descr is not the header's");
  check_shape(between(header, "'shape': (", ')'), array.shape);
  require(between(header, "'fortran_order': ", ',') == "False", "accepted Fortran's order");
  ElementType type = ElementType::bytes;
  std::size_t element = 0;
  for (int i = 1; i <= static_cast<int>(ElementType::float64); ++i) {
    const auto one = static_cast<ElementType>(i);
    if (array.descr != debug::npy_descr(one, 0)) continue;
    type = one;
    element = element_size(one);
  }
  if (element == 0) {
    require(array.descr.substr(0, 2) == "|V", "accepted an unknown descr");
    for (const char letter : array.descr.substr(2)) {
      require(letter >= '0' && letter <= '9', "accepted a descr that is no number of bytes");
      element = element * 10 + static_cast<std::size_t>(letter - '0');
    }
  }
  require(array.elements() * element == array.data.size(), "the data is not as long as the shape");
  if (!array.data.empty()) {
    require(size == 10 + header.size() + array.data.size(), "bytes are left over");
    require(std::equal(array.data.begin(), array.data.end(), data + 10 + header.size()),
            "the data is not the file's");
  }

  debug::NpyArray again;
  const std::size_t count = array.elements();
  copy.set("");
  require(
      debug::write_npy(copy.path().c_str(), type, element, count, false, array.data.data()) == 0,
      "write_npy failed");
  require(debug::read_npy(copy.path(), again, problem), "write_npy wrote what read_npy refuses");
  require(again.data == array.data && again.shape == std::vector<std::size_t>{count},
          "write_npy wrote other data");
  return 0;
}
