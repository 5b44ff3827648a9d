// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in_cuda {

/// One line of a transcript of tests/record/record_cuda.cu.
struct TranscriptLine {
  int status = 0;
  int last_error = 0;
  std::string call;                            ///< "cudaDeviceGetAttribute(1, device 0)"
  std::map<std::string, std::string> outputs;  ///< by name
};

/// @pre the recorder wrote the text. Skips comments and section titles.
std::vector<TranscriptLine> parse_transcript(std::string_view text);

/// The transcript that is part of this library: tests/stand_in/cuda/h200.transcript.
std::string_view built_in_transcript();

}  // namespace stand_in_cuda
