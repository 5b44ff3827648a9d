// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the vendor's own runtime returns without a GPU, each time from the first call of a program:
// hip_no_gpu count|limits|stream|memory. AMD's returns hipErrorNoDevice from some calls and
// hipErrorInvalidDevice from others. All must be Errc::no_device here, with the runtime's own code.
// Exits with 0 if so, and with 77 on a machine with a GPU.

#include <warpsafe/error/message.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace ws = warpsafe;

template <class T>
static int look_at(const ws::result<T>& answer) {
  if (answer.has_value()) return 77;
  const std::string text = ws::message(answer.error());
  std::printf("%s\n", text.c_str());
  const bool told = text.find("no device was found") != std::string::npos &&
                    text.find("hipError") != std::string::npos;
  return answer.error().code == ws::Errc::no_device && answer.error().raw != 0 && told ? 0 : 1;
}

int main(int argc, char** argv) {
  const std::string_view call = argc == 2 ? argv[1] : "";
  if (call == "limits") return look_at(ws::device_limits(ws::DeviceId(0)));
  if (call == "stream") return look_at(ws::Stream::create());
  if (call == "memory") return look_at(ws::memory_info(ws::DeviceId(0)));
  if (call != "count") return 2;
  const auto count = ws::device_count();
  if (count.has_value() && count.value() == 0) {
    std::printf("0 devices\n");
    return 0;
  }
  return look_at(count);
}
