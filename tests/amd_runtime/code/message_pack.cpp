// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The byte values are those of https://github.com/msgpack/msgpack/blob/master/spec.md.
#include "message_pack.hpp"

namespace amd_code {
namespace {

class Reader {
 public:
  Reader(const unsigned char* bytes, std::size_t size) : at_(bytes), left_(size) {}

  Packed value() {
    Packed result;
    const unsigned lead = static_cast<unsigned>(big_endian(1));
    if (lead <= 0x7f) {
      result.number = lead;
    } else if (lead <= 0x8f) {
      fill(result, lead & 0x0f, true);
    } else if (lead <= 0x9f) {
      fill(result, lead & 0x0f, false);
    } else if (lead <= 0xbf) {
      result.text = text(lead & 0x1f);
    } else if (lead >= 0xe0) {
      result.number = static_cast<std::int8_t>(lead);
    } else {
      wide(result, lead);
    }
    return result;
  }

 private:
  void wide(Packed& result, unsigned lead) {
    switch (lead) {
      case 0xc0:  // nil
      case 0xc2:  // false
        break;
      case 0xc3:  // true
        result.number = 1;
        break;
      case 0xcc:  // unsigned, 1 to 8 bytes
      case 0xcd:
      case 0xce:
      case 0xcf:
        result.number = static_cast<std::int64_t>(big_endian(1u << (lead - 0xcc)));
        break;
      case 0xd0:  // signed, 1 to 8 bytes
        result.number = static_cast<std::int8_t>(big_endian(1));
        break;
      case 0xd1:
        result.number = static_cast<std::int16_t>(big_endian(2));
        break;
      case 0xd2:
        result.number = static_cast<std::int32_t>(big_endian(4));
        break;
      case 0xd3:
        result.number = static_cast<std::int64_t>(big_endian(8));
        break;
      case 0xd9:  // strings with a length of 1 to 4 bytes
      case 0xda:
      case 0xdb:
        result.text = text(big_endian(1u << (lead - 0xd9)));
        break;
      case 0xdc:  // arrays
      case 0xdd:
        fill(result, big_endian(lead == 0xdc ? 2 : 4), false);
        break;
      case 0xde:  // maps
      case 0xdf:
        fill(result, big_endian(lead == 0xde ? 2 : 4), true);
        break;
      default:
        left_ = 0;
    }
  }

  void fill(Packed& result, std::uint64_t count, bool is_map) {
    result.is_map = is_map;
    const std::uint64_t values = is_map ? 2 * count : count;
    for (std::uint64_t i = 0; i < values && left_ != 0; ++i) result.items.push_back(value());
  }

  std::string_view text(std::uint64_t size) {
    if (size > left_) size = left_;
    const std::string_view result(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    left_ -= size;
    return result;
  }

  std::uint64_t big_endian(unsigned size) {
    if (size > left_) {
      left_ = 0;
      return 0;
    }
    std::uint64_t result = 0;
    for (unsigned i = 0; i < size; ++i) result = result << 8 | *at_++;
    left_ -= size;
    return result;
  }

  const unsigned char* at_;
  std::size_t left_;
};

}  // namespace

const Packed* Packed::find(std::string_view key) const {
  if (!is_map) return nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].text == key) return &items[i + 1];
  }
  return nullptr;
}

Packed Packed::parse(const unsigned char* bytes, std::size_t size) {
  return Reader(bytes, size).value();
}

}  // namespace amd_code
