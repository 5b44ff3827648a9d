// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/device_check_hooks.hpp>
#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/error/detail/kept_text.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

// The record that a failed WARPSAFE_DEVICE_CHECK leaves: plain data in memory that host and device
// reach.

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {
namespace detail {

struct CheckRecord {
  static constexpr unsigned empty = 0;
  static constexpr unsigned filling = 1;
  static constexpr unsigned filled = 2;

  unsigned state;  ///< only the first thread that fails sets it to `filling`
  unsigned line;
  unsigned block[3];   ///< blockIdx
  unsigned thread[3];  ///< threadIdx
  // Copies, cut to fit: the host cannot read a text in device memory.
  char kernel[96];
  char file[96];
  char text[192];
};

/// Copies a text behind the first `at` letters, cut to fit.
template <unsigned Size>
WARPSAFE_FN void copy_check_text(char (&to)[Size], const char* from, unsigned at = 0) {
  for (; at + 1 < Size && *from != '\0'; ++at, ++from) to[at] = *from;
  to[at] = '\0';
}
/// Copies a file name without its folders, cut to fit.
template <unsigned Size>
WARPSAFE_FN void copy_check_file(char (&to)[Size], const char* from) {
  const char* name = from;
  for (; *from != '\0'; ++from) {
    if (*from == '/') name = from + 1;
  }
  copy_check_text(to, name);
}

// The host's side of WARPSAFE_DEVICE_CHECK: one record per device in host memory that the device
// reaches, and the variables in which kernels find it.

/// The checks of one translation unit's kernels. Registered before main, or during dlopen.
struct CheckUnit {
  CheckUnit* next;
  Vendor vendor;
  std::uint64_t installed;  ///< a bit per device
  /// Allocates host memory that every device reaches, for a record. Returns the runtime's status.
  int (*allocate)(void*& memory) noexcept;
  /// Gives this unit's kernels on the current device the address of the record.
  int (*install)(CheckRecord* record) noexcept;
};

struct DeviceChecks {
  static constexpr int devices =
      cached_devices;  // further devices have no record, and their checks trap
  /// Several vendors' backends in one program number their devices from 0 each.
  struct OfVendor {
    CheckRecord* records[devices];
    std::uint64_t prepared;  ///< a bit per device; all are cleared when a unit registers
  };

  ProcessLock lock{};
  CheckUnit* units = nullptr;
  OfVendor vendors[static_cast<int>(Vendor::host) + 1] = {};

  [[nodiscard]] OfVendor& of(Vendor vendor) noexcept { return vendors[static_cast<int>(vendor)]; }
};
[[gnu::visibility("default")]] inline DeviceChecks device_checks;

/// The record of a device, or nullptr if it has none.
[[nodiscard]] inline CheckRecord* check_record_of(Vendor vendor, int device) noexcept {
  return __atomic_load_n(&device_checks.of(vendor).records[device], __ATOMIC_ACQUIRE);
}
/// A device whose record a kernel has filled.
struct FailedCheck {
  int device;
  CheckRecord* record;  ///< nullptr: there is none
};
[[nodiscard]] inline FailedCheck find_failed_check() noexcept {
  for (const DeviceChecks::OfVendor& vendor : device_checks.vendors) {
    for (int device = 0; device < DeviceChecks::devices; ++device) {
      CheckRecord* const record = __atomic_load_n(&vendor.records[device], __ATOMIC_ACQUIRE);
      if (record == nullptr) continue;
      if (__atomic_load_n(&record->state, __ATOMIC_ACQUIRE) == CheckRecord::filled) {
        return {device, record};
      }
    }
  }
  return {-1, nullptr};
}

inline int prepare_checks(Vendor vendor, int device) noexcept {
  if (device < 0 || device >= DeviceChecks::devices) return 0;
  DeviceChecks::OfVendor& checks = device_checks.of(vendor);
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(device);
  if ((__atomic_load_n(&checks.prepared, __ATOMIC_ACQUIRE) & bit) != 0) return 0;
  const Locked lock(device_checks.lock);
  int status = 0;
  for (CheckUnit* unit = device_checks.units; unit != nullptr && status == 0; unit = unit->next) {
    if (unit->vendor != vendor || (unit->installed & bit) != 0) continue;
    CheckRecord* record = checks.records[device];
    if (record == nullptr) {
      void* memory = nullptr;
      status = unit->allocate(memory);
      if (status != 0) break;
      record = static_cast<CheckRecord*>(memory);
      *record = CheckRecord{};
      __atomic_store_n(&checks.records[device], record, __ATOMIC_RELEASE);
    }
    status = unit->install(record);
    if (status == 0) unit->installed |= bit;
  }
  if (status == 0) __atomic_or_fetch(&checks.prepared, bit, __ATOMIC_RELEASE);
  return status;
}

[[nodiscard]] inline bool any_check_failed() noexcept {
  return find_failed_check().record != nullptr;
}

/// The newest failed check that a wait has told. Guarded by DeviceChecks::lock.
[[gnu::visibility("default")]] inline LaunchError told_check =
    LaunchError::make(Errc::device_check_failed, Stage::completion);

[[gnu::cold]] inline void take_failed_check(LaunchError& error) noexcept {
  const call_site site = error.site;
  const Locked lock(device_checks.lock);
  const FailedCheck failed = find_failed_check();
  if (failed.record == nullptr) {
    // Another thread's wait has taken the record since this one saw it: both tell the check.
    error = told_check;
    error.site = site;
    return;
  }
  error = LaunchError::make(Errc::device_check_failed, Stage::completion, site);
  CheckRecord& record = *failed.record;
  error.device = failed.device;
  error.kernel = keep_error_text(Name::of(record.kernel));
  error.raw_text = keep_error_text(Name::of(record.text));
  error.operation = keep_error_text(Name::of(record.file));
  error.value = record.line;
  for (int axis = 0; axis < 3; ++axis) {
    error.grid[axis] = record.block[axis];
    error.block[axis] = record.thread[axis];
  }
  told_check = error;
  __atomic_store_n(&record.state, CheckRecord::empty, __ATOMIC_RELEASE);
}

[[gnu::cold]] inline void put_failed_check(TextBuffer& out) noexcept {
  const Locked lock(device_checks.lock);
  const FailedCheck failed = find_failed_check();
  if (failed.record == nullptr) return;
  const CheckRecord& record = *failed.record;
  out << "\n  a check has failed, and what waits for its thread waits for ever: '"
      << Name::of(record.text) << "' in kernel '" << Name::of(record.kernel) << "', block "
      << record.block << ", thread " << record.thread << ", at " << Name::of(record.file) << ':'
      << std::uint64_t{record.line};
}

inline constexpr CheckHooks device_check_hooks{&prepare_checks, &any_check_failed,
                                               &take_failed_check, &put_failed_check};

/// Registers a translation unit with checks in its kernels, before main. On the host backend all
/// files share one unit, and each registers it.
inline void register_check_unit(CheckUnit& unit) noexcept {
  keep_loaded(&unit);
  keep_loaded(&device_check_hooks);
  DeviceChecks& checks = device_checks;
  const Locked lock(checks.lock);
  const CheckUnit* known = checks.units;
  while (known != nullptr && known != &unit) known = known->next;
  if (known == nullptr) {
    unit.next = checks.units;
    checks.units = &unit;
  }
  __atomic_store_n(&checks.of(unit.vendor).prepared, std::uint64_t{0}, __ATOMIC_RELEASE);
  __atomic_store_n(&check_hooks_in_use, &device_check_hooks, __ATOMIC_RELEASE);
}

}  // namespace detail
}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe
