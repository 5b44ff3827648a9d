// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The readers of device code: ELF (cubin, code object), fatbin, bundle and PTX, with the error
// texts that are made from them, and the file reader of Module::load_file. The input is the image.
// Claims: nothing outside of the image is read. The work is bounded by the image's size. Each name
// lies inside the image. A text is one line, whatever the image holds.

#include "fuzz.hpp"
#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/module.hpp>
#include <warpsafe/warpsafe.hpp>

#include <memory>

using namespace warpsafe;
using fuzz::require;

namespace {

void check_text(const char* text, std::size_t size, std::size_t room) {
  require(size < room && text[size] == '\0', "a text does not end where it says");
  require(!fuzz::has_control({text, size}, false), "a text is not one line");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of the exact size, so that AddressSanitizer sees each byte too many.
  const std::unique_ptr<unsigned char[]> copy(new unsigned char[size]);
  if (size != 0) std::memcpy(copy.get(), data, size);
  const detail::ImageBytes image{copy.get(), size};
  const auto inside = [&](Name name) {
    const auto* const begin = reinterpret_cast<const unsigned char*>(name.data);
    return name.size == 0 || (begin >= copy.get() && begin + name.size <= copy.get() + size);
  };

  for (const std::size_t room : {std::size_t{1}, std::size_t{40}, std::size_t{512}}) {
    char text[512];
    detail::TextBuffer out(text, room);
    const bool known = detail::put_contents(out, image);
    check_text(text, out.size(), room);
    require(!known || detail::kind_of(image) != detail::ImageKind::unknown,
            "contents of an unknown image");
  }

  std::size_t images = 0;
  detail::visit_fatbin(image, [&](bool, unsigned) { ++images; });
  require(images <= size / 64, "more images than the fatbin has room for");
  images = 0;
  detail::visit_bundle(image, [&](Name target, detail::ImageBytes code) {
    require(inside(target), "a target lies outside");
    require(inside({reinterpret_cast<const char*>(code.data), code.size}), "code lies outside");
    ++images;
  });
  require(images <= size / 24, "more entries than the bundle has room for");

  // The input as a kernel's mangled name.
  detail::MangledParameters mangled({reinterpret_cast<const char*>(copy.get()), size});
  std::size_t parameters = 0;
  for (ParameterInfo one{}; mangled.next(one);) ++parameters;
  require(parameters <= size, "more parameters than letters");

  static const fuzz::MemoryFile file("image");
  file.set({reinterpret_cast<const char*>(data), size});
  const detail::ModuleFile read = detail::read_module_file(file.path().c_str());
  require(read.error == 0 && read.bytes == size, "the file was not read whole");
  require(size == 0 || std::memcmp(read.image, data, size) == 0, "the file was read wrong");
  std::free(read.image);
  return 0;
}
