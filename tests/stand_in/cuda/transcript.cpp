// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "transcript.hpp"

#include <sstream>

// The file is embedded in the library, so that the library works without its sources.
__asm__(
    ".pushsection .rodata\n"
    ".global stand_in_cuda_transcript_begin\n"
    ".hidden stand_in_cuda_transcript_begin\n"
    "stand_in_cuda_transcript_begin:\n"
    ".incbin \"h200.transcript\"\n"
    ".global stand_in_cuda_transcript_end\n"
    ".hidden stand_in_cuda_transcript_end\n"
    "stand_in_cuda_transcript_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" {
__attribute__((visibility("hidden"))) extern const char stand_in_cuda_transcript_begin[];
__attribute__((visibility("hidden"))) extern const char stand_in_cuda_transcript_end[];
}

namespace stand_in_cuda {
namespace {

// Outputs follow the call as name=value. A value extends to the next such word, so it may contain
// spaces.
std::map<std::string, std::string> parse_outputs(const std::string& text) {
  std::map<std::string, std::string> outputs;
  std::istringstream words(text);
  std::string word;
  std::string name;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      name = word.substr(0, equals);
      outputs[name] = word.substr(equals + 1);
    } else if (!name.empty()) {
      outputs[name] += ' ' + word;
    }
  }
  return outputs;
}

}  // namespace

std::vector<TranscriptLine> parse_transcript(std::string_view text) {
  std::vector<TranscriptLine> lines;
  std::istringstream stream{std::string(text)};
  std::string line;
  while (std::getline(stream, line)) {
    std::istringstream words(line);
    TranscriptLine parsed;
    if (!(words >> parsed.status >> parsed.last_error >> std::ws)) continue;
    std::getline(words, parsed.call);
    const std::size_t equals = parsed.call.find('=');
    if (equals != std::string::npos) {
      const std::size_t outputs = parsed.call.rfind(' ', equals);
      parsed.outputs = parse_outputs(parsed.call.substr(outputs + 1));
      parsed.call.resize(outputs);
    }
    lines.push_back(std::move(parsed));
  }
  return lines;
}

std::string_view built_in_transcript() {
  return {stand_in_cuda_transcript_begin,
          static_cast<std::size_t>(stand_in_cuda_transcript_end - stand_in_cuda_transcript_begin)};
}

}  // namespace stand_in_cuda
