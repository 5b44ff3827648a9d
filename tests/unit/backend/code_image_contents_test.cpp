// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What an error says that a module holds: fatbins, PTX, cubins, code objects and bundles made by
// hand.

#include "code_image_builder.hpp"
#include <warpsafe/backend/detail/code_image.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe {
namespace {

using code_image_test::ElfImage;
using code_image_test::GuardedImage;
using code_image_test::put_field;
using detail::ImageBytes;
using detail::ImageKind;
using testing::ElementsAre;
using testing::IsEmpty;

std::string listed(const std::string& image) {
  const GuardedImage guarded(image);
  char text[512];
  detail::TextBuffer out(text, sizeof text);
  out << '[';  // what was written before is no content
  const bool any = detail::put_contents(out, guarded.bytes());
  EXPECT_EQ(any, out.size() != 1) << text;
  return text + 1;
}

TEST(CodeImageContents, TheKindIsToldByTheBeginning) {
  const auto kind = [](const std::string& image) {
    return detail::kind_of(GuardedImage(image).bytes());
  };
  EXPECT_EQ(kind(ElfImage(190).image()), ImageKind::cubin);
  EXPECT_EQ(kind(ElfImage(224).image()), ImageKind::code_object);
  EXPECT_EQ(kind(ElfImage(EM_X86_64).image() + ".version"), ImageKind::unknown);
  EXPECT_EQ(kind("\x50\xed\x55\xba"), ImageKind::fatbin);
  EXPECT_EQ(kind("\x50\xed\x55"), ImageKind::unknown);
  EXPECT_EQ(kind("\x51\xed\x55\xba"), ImageKind::unknown);
  EXPECT_EQ(kind("__CLANG_OFFLOAD_BUNDLE__"), ImageKind::bundle);
  EXPECT_EQ(kind("__CLANG_OFFLOAD_BUNDLE_"), ImageKind::unknown);
  EXPECT_EQ(kind(""), ImageKind::unknown);
  EXPECT_EQ(listed(""), "");
  EXPECT_EQ(kind(".version"), ImageKind::ptx);
  EXPECT_EQ(kind(".versio"), ImageKind::unknown);
  // The comments before .version may take 4096 bytes with it.
  EXPECT_EQ(kind(std::string(4088, '/') + ".version"), ImageKind::ptx);
  EXPECT_EQ(kind(std::string(4088, '/') + ".version 8.0"), ImageKind::ptx);
  EXPECT_EQ(kind(std::string(4089, '/') + ".version"), ImageKind::unknown);
  EXPECT_EQ(kind(std::string(4089, '/') + ".version 8.0"), ImageKind::unknown);
}

TEST(CodeImageContents, PtxTellsItsTarget) {
  EXPECT_EQ(listed(".version 8.0\n.target sm_90"), "PTX for sm_90");
  EXPECT_EQ(listed(".target sm_90a\n.version 8.0"), "PTX for sm_90a");
  EXPECT_EQ(listed(".version 8.0\n.target    sm_90, debug\n"), "PTX for sm_90");
  EXPECT_EQ(listed(".version 8.0\n.target sm_90 debug"), "PTX for sm_90");
  EXPECT_EQ(listed(".version 8.0\n.target sm_90\n.address_size 64"), "PTX for sm_90");
  EXPECT_EQ(listed(".version 8.0\n.target\tsm_90\n"), "PTX for sm_90");
  EXPECT_EQ(listed(".version 8.0\n.target\n\n  sm_90"), "PTX for sm_90");
}

TEST(CodeImageContents, PtxWithoutATargetIsPtx) {
  for (const char* const image : {".version 8.0", ".version 8.0\n.target", ".version\n.target  \n",
                                  ".version\n.target ,sm_90", ".version 8.0\n.targe sm_90"}) {
    EXPECT_EQ(listed(image), "PTX") << image;
  }
}

TEST(CodeImageContents, ACubinTellsItsArchitecture) {
  struct Case {
    unsigned char abi;
    std::uint32_t flags;
    const char* text;
  };
  for (const Case& one :
       {Case{7, 0xabcd5a50, "sm_80"}, Case{0, 0xff00ff5a, "sm_90"}, Case{8, 0xabcd5a50, "sm_90"},
        Case{9, 0x0000ff00, "sm_255"}, Case{255, 0x000078ff, "sm_120"}, Case{7, 0xff, "sm_255"}}) {
    ElfImage elf(detail::machine_cuda);
    elf.header.e_ident[EI_ABIVERSION] = one.abi;
    elf.header.e_flags = one.flags;
    EXPECT_EQ(listed(elf.image()), one.text) << unsigned{one.abi} << ' ' << one.flags;
  }
}

TEST(CodeImageContents, ACodeObjectTellsItsProcessor) {
  for (const auto& [flags, text] :
       std::vector<std::pair<std::uint32_t, const char*>>{{0x02c, "gfx900"},
                                                          {0x52c, "gfx900"},
                                                          {0xffffff3f, "gfx90a"},
                                                          {0x04e, "gfx1201"},
                                                          {0x000, "an unknown processor"},
                                                          {0x02b, "an unknown processor"},
                                                          {0x0ff, "an unknown processor"}}) {
    ElfImage elf(detail::machine_amdgpu);
    elf.header.e_flags = flags;
    EXPECT_EQ(listed(elf.image()), text) << flags;
  }
}

/// A fatbin: a header of 16 bytes, then what `add` adds.
struct FatbinImage {
  std::string bytes;

  FatbinImage() {
    put_field(bytes, 0, detail::fatbin_magic);
    put_field(bytes, 4, std::uint16_t{1});
    put_field(bytes, 6, std::uint16_t{16});
    put_field(bytes, 8, std::uint64_t{0});
  }
  FatbinImage& add(std::uint16_t kind, std::uint32_t architecture, std::uint64_t data = 0,
                   std::uint32_t header = 64) {
    const std::size_t at = bytes.size();
    bytes.resize(at + header + data, '\x7f');
    put_field(bytes, at, kind);
    put_field(bytes, at + 2, std::uint16_t{0x101});
    put_field(bytes, at + 4, header);
    put_field(bytes, at + 8, data);
    put_field(bytes, at + 28, architecture);
    return *this;
  }
};

TEST(CodeImageContents, AFatbinTellsItsImages) {
  EXPECT_EQ(listed(FatbinImage().bytes), "");
  EXPECT_EQ(listed(FatbinImage().add(2, 80).bytes), "sm_80");
  EXPECT_EQ(listed(FatbinImage().add(1, 90).bytes), "PTX for compute_90");
  EXPECT_EQ(listed(FatbinImage().add(2, 80, 8).add(2, 90, 16, 72).add(1, 120, 24).bytes),
            "sm_80, sm_90, PTX for compute_120");
  EXPECT_EQ(listed(FatbinImage().add(0, 70).add(2, 80).add(3, 75).add(1, 4294967295).bytes),
            "sm_80, PTX for compute_4294967295")
      << "only PTX and cubins are listed";
}

TEST(CodeImageContents, AFatbinIsReadUpToTheFirstHeaderThatIsNotWhole) {
  const std::string whole = FatbinImage().add(2, 80, 8).add(1, 90, 8).bytes;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    // The data of an image may be missing: padded data that is longer than the whole file is a lie.
    const char* const text = size < 16 + 64 ? "" : size < 16 + 72 + 64 ? "sm_80" : nullptr;
    EXPECT_EQ(listed(whole.substr(0, size)), text == nullptr ? "sm_80, PTX for compute_90" : text)
        << size;
  }
  const auto second = [&](std::size_t field, auto value) {
    std::string image = whole;
    put_field(image, 16 + 72 + field, value);
    return listed(image);
  };
  EXPECT_EQ(second(4, std::uint32_t{63}), "sm_80") << "no header is that short";
  EXPECT_EQ(second(4, std::uint32_t{64}), "sm_80, PTX for compute_90");
  EXPECT_EQ(second(4, ~std::uint32_t{0}), "sm_80, PTX for compute_90");
  EXPECT_EQ(second(8, std::uint64_t{whole.size()}), "sm_80, PTX for compute_90");
  EXPECT_EQ(second(8, std::uint64_t{whole.size() + 1}), "sm_80");
  EXPECT_EQ(second(8, -std::uint64_t{64}), "sm_80") << "it would be read for ever";
}

TEST(CodeImageContents, AFatbinWithoutAHeaderHoldsNothing) {
  std::string image = FatbinImage().bytes;
  image.resize(64, '\0');
  put_field(image, 4, std::uint16_t{64});  // the version, which is also a size here
  put_field(image, 6, std::uint16_t{0});
  FatbinImage tail;
  image += tail.add(2, 80).bytes.substr(16);
  EXPECT_EQ(listed(image), "");
}

/// A bundle of code objects: the table of its entries, then their code.
struct BundleImage {
  std::vector<std::pair<std::string, std::string>> entries;

  [[nodiscard]] std::string image(std::uint64_t more = 0) const {
    std::string out(detail::bundle_magic.data, detail::bundle_magic.size);
    put_field(out, out.size(), entries.size() + more);
    std::size_t code_at = out.size();
    for (const auto& [target, code] : entries) code_at += 24 + target.size();
    std::string code_bytes;
    for (const auto& [target, code] : entries) {
      put_field(out, out.size(), std::uint64_t{code_at + code_bytes.size()});
      put_field(out, out.size(), std::uint64_t{code.size()});
      put_field(out, out.size(), std::uint64_t{target.size()});
      out += target;
      code_bytes += code;
    }
    return out + code_bytes;
  }
};

std::vector<std::string> bundle_entries(const std::string& image) {
  const GuardedImage guarded(image);
  std::vector<std::string> entries;
  detail::visit_bundle(guarded.bytes(), [&](Name target, ImageBytes code) {
    EXPECT_LT(entries.size(), 100U);
    entries.push_back(std::string(target.data, target.size) + '=' +
                      std::string(reinterpret_cast<const char*>(code.data), code.size));
  });
  return entries;
}

TEST(CodeImageContents, ABundleTellsItsTargets) {
  const BundleImage bundle{{{"host-x86_64-unknown-linux--", ""},
                            {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", "code a"},
                            {"hip-amdgcn-amd-amdhsa-gfx906", "b"},
                            {"gfx942", "c"}}};
  EXPECT_EQ(listed(bundle.image()), "gfx90a:xnack+, gfx906, gfx942");
  EXPECT_THAT(
      bundle_entries(bundle.image()),
      ElementsAre("host-x86_64-unknown-linux--=", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+=code a",
                  "hip-amdgcn-amd-amdhsa-gfx906=b", "gfx942=c"));
  EXPECT_THAT(
      bundle_entries(BundleImage{{{"a", "code"}, {"", ""}}}.image().substr(0, 32 + 25 + 24)),
      ElementsAre("a=", "="))
      << "an entry that ends with the file, and code that lies outside";
  EXPECT_THAT(bundle_entries(BundleImage{}.image()), IsEmpty());
}

TEST(CodeImageContents, ABundleIsReadUpToTheFirstEntryThatIsNotWhole) {
  const BundleImage bundle{{{"first", ""}, {"second", ""}}};
  const std::string whole = bundle.image();
  ASSERT_EQ(whole.size(), 32U + 29 + 30);
  for (std::size_t size = 24; size <= whole.size(); ++size) {
    const std::size_t entries = size < 32 + 29 ? 0 : size < whole.size() ? 1 : 2;
    EXPECT_EQ(bundle_entries(whole.substr(0, size)).size(), entries) << size;
  }
  EXPECT_EQ(bundle_entries(bundle.image(1)).size(), 2U) << "a number of entries that lies";
  EXPECT_EQ(bundle_entries(bundle.image(~std::uint64_t{0} - 2)).size(), 2U);
  EXPECT_EQ(bundle_entries(bundle.image(~std::uint64_t{0})).size(), 1U);
  std::string lie = whole;
  put_field(lie, 32 + 29 + 16, ~std::uint64_t{0});
  EXPECT_THAT(bundle_entries(lie), ElementsAre("first=")) << "a target that is too long";
}

}  // namespace
}  // namespace warpsafe
