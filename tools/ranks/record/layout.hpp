// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "checksum.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// The binary files of a process: tools/ranks/docs/files.md. `warpsafe-ranks` reads them, also while
// the process runs. Little endian, as all platforms of the library are.

namespace warpsafe::ranks {

/// How far a call is. A value only grows, so that a reader may look at any time.
enum class State : std::uint16_t {
  free = 0,       ///< no record yet
  begun = 1,      ///< the process is inside the call
  submitted = 2,  ///< the call returned, and the device has not reported its end
  unwatched = 3,  ///< the call returned, and nobody reports its end: a part of a graph, for example
  ended = 4,      ///< the operation has ended
  failed = 5,     ///< the call returned an error: its status is in `device_us`
};

/// One collective, or one message to or from a peer.
struct Record {
  /// Covers all collectives of the communicator up to this one: two members with the same digest
  /// made the same calls so far. For a message: its number among those to (or from) this peer, from
  /// 0, and above the 32nd bit its tag.
  std::uint64_t digest;
  std::int64_t begin_ns;  ///< CLOCK_REALTIME, when the process called
  std::int64_t end_ns;    ///< CLOCK_REALTIME, when the operation ended; 0: not known
  std::uint64_t count;    ///< elements; with MPI, bytes for an operation without arithmetic
  std::uint32_t order;    ///< its number among all records of the process, from 0
  std::uint32_t place;    ///< number of the place of the call; 0: unknown
  std::uint16_t operation;
  std::uint16_t type;       ///< number of a word; 0: none
  std::uint16_t reduction;  ///< number of a word; 0: none
  std::atomic<State> state;
  std::int32_t root;     ///< of a collective; the peer of a message; -1: none
  std::uint32_t stream;  ///< number of the stream; 0: none
  std::uint32_t group;   ///< number of the group of calls; 0: none
  float device_us;  ///< how long the device worked on it, without the host's wait; 0: not known
};
static_assert(sizeof(Record) == 64 && std::is_trivially_destructible_v<Record>);

/// The checksums of what one collective read and wrote: the record of the same number in the file
/// of the communicator's collectives belongs to it.
struct ChecksumRecord {
  static constexpr std::uint32_t has_input = 1;
  static constexpr std::uint32_t has_output = 2;

  std::uint64_t input;
  std::uint64_t output;
  std::uint64_t input_nans;  ///< elements
  std::uint64_t input_infinities;
  std::uint64_t input_first;  ///< index of the first element that is NaN or infinite
  std::uint64_t output_nans;
  std::uint64_t output_infinities;
  std::atomic<std::uint32_t> state;  ///< which of the two are known
  std::uint32_t unused;

  void set_input(const Checksum& sum) noexcept {
    input = sum.sum;
    input_nans = sum.nans;
    input_infinities = sum.infinities;
    input_first = sum.first;
    state.fetch_or(has_input);
  }
  void set_output(const Checksum& sum) noexcept {
    output = sum.sum;
    output_nans = sum.nans;
    output_infinities = sum.infinities;
    state.fetch_or(has_output);
  }
};
static_assert(sizeof(ChecksumRecord) == sizeof(Record) &&
              std::is_trivially_destructible_v<ChecksumRecord>);

/// In place of a file's first record.
struct FileHeader {
  char magic[8];               ///< "wsranks1"
  std::uint32_t communicator;  ///< its number in the process; 0: messages
  std::uint32_t pid;
  std::atomic<std::int64_t> heartbeat_ns;  ///< only of messages: when the process last lived
  char unused[40];
};
static_assert(sizeof(FileHeader) == sizeof(Record));

inline constexpr char file_magic[8] = {'w', 's', 'r', 'a', 'n', 'k', 's', '1'};

/// Of a message: `type` and `stream` as above, and in `group` and `reduction` the group and the
/// communicator's number.
inline constexpr std::uint16_t send_operation = 1000;
inline constexpr std::uint16_t receive_operation = 1001;

}  // namespace warpsafe::ranks
