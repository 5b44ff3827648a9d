// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "runtime.hpp"

#include <array>
#include <utility>

namespace stand_in_hip {
namespace {

struct ErrorText {
  int code;
  const char* name;
  const char* text;
};

// ihipGetErrorName and ihipGetErrorString, clr hip_error.cpp:49 and :210. By number, because the
// names of later releases are missing from HIP 5's headers. A null text means "unknown error".
constexpr std::array error_texts{
    ErrorText{0, "hipSuccess", "no error"},
    ErrorText{1, "hipErrorInvalidValue", "invalid argument"},
    ErrorText{2, "hipErrorOutOfMemory", "out of memory"},
    ErrorText{3, "hipErrorNotInitialized", "initialization error"},
    ErrorText{4, "hipErrorDeinitialized", "driver shutting down"},
    ErrorText{5, "hipErrorProfilerDisabled",
              "profiler disabled while using external profiling tool"},
    ErrorText{6, "hipErrorProfilerNotInitialized", "profiler is not initialized"},
    ErrorText{7, "hipErrorProfilerAlreadyStarted", "profiler already started"},
    ErrorText{8, "hipErrorProfilerAlreadyStopped", "profiler already stopped"},
    ErrorText{9, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    ErrorText{12, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    ErrorText{13, "hipErrorInvalidSymbol", "invalid device symbol"},
    ErrorText{17, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    ErrorText{21, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    ErrorText{35, "hipErrorInsufficientDriver",
              "driver version is insufficient for runtime version"},
    ErrorText{52, "hipErrorMissingConfiguration", "__global__ function call is not configured"},
    ErrorText{53, "hipErrorPriorLaunchFailure", "unspecified launch failure in prior launch"},
    ErrorText{98, "hipErrorInvalidDeviceFunction", "invalid device function"},
    ErrorText{100, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    ErrorText{101, "hipErrorInvalidDevice", "invalid device ordinal"},
    ErrorText{200, "hipErrorInvalidImage", "device kernel image is invalid"},
    ErrorText{201, "hipErrorInvalidContext", "invalid device context"},
    ErrorText{202, "hipErrorContextAlreadyCurrent", "context is already current context"},
    ErrorText{205, "hipErrorMapFailed", "mapping of buffer object failed"},
    ErrorText{206, "hipErrorUnmapFailed", "unmapping of buffer object failed"},
    ErrorText{207, "hipErrorArrayIsMapped", "array is mapped"},
    ErrorText{208, "hipErrorAlreadyMapped", "resource already mapped"},
    ErrorText{209, "hipErrorNoBinaryForGpu",
              "no kernel image is available for execution on the device"},
    ErrorText{210, "hipErrorAlreadyAcquired", "resource already acquired"},
    ErrorText{211, "hipErrorNotMapped", "resource not mapped"},
    ErrorText{212, "hipErrorNotMappedAsArray", "resource not mapped as array"},
    ErrorText{213, "hipErrorNotMappedAsPointer", "resource not mapped as pointer"},
    ErrorText{214, "hipErrorECCNotCorrectable", "uncorrectable ECC error encountered"},
    ErrorText{215, "hipErrorUnsupportedLimit", "limit is not supported on this architecture"},
    ErrorText{216, "hipErrorContextAlreadyInUse",
              "exclusive-thread device already in use by a different thread"},
    ErrorText{217, "hipErrorPeerAccessUnsupported",
              "peer access is not supported between these two devices"},
    ErrorText{218, "hipErrorInvalidKernelFile", "invalid kernel file"},
    ErrorText{219, "hipErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
    ErrorText{300, "hipErrorInvalidSource", "device kernel image is invalid"},
    ErrorText{301, "hipErrorFileNotFound", "file not found"},
    ErrorText{302, "hipErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
    ErrorText{303, "hipErrorSharedObjectInitFailed", "shared object initialization failed"},
    ErrorText{304, "hipErrorOperatingSystem",
              "OS call failed or operation not supported on this OS"},
    ErrorText{400, "hipErrorInvalidHandle", "invalid resource handle"},
    ErrorText{401, "hipErrorIllegalState",
              "the operation cannot be performed in the present state"},
    ErrorText{500, "hipErrorNotFound", "named symbol not found"},
    ErrorText{600, "hipErrorNotReady", "device not ready"},
    ErrorText{700, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    ErrorText{701, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    ErrorText{702, "hipErrorLaunchTimeOut", "the launch timed out and was terminated"},
    ErrorText{704, "hipErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    ErrorText{705, "hipErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    ErrorText{708, "hipErrorSetOnActiveProcess",
              "cannot set while device is active in this process"},
    ErrorText{709, "hipErrorContextIsDestroyed", "context is destroyed"},
    ErrorText{710, "hipErrorAssert", "device-side assert triggered"},
    ErrorText{712, "hipErrorHostMemoryAlreadyRegistered",
              "part or all of the requested memory range is already mapped"},
    ErrorText{713, "hipErrorHostMemoryNotRegistered",
              "pointer does not correspond to a registered memory region"},
    ErrorText{719, "hipErrorLaunchFailure", "unspecified launch failure"},
    ErrorText{720, "hipErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    ErrorText{801, "hipErrorNotSupported", "operation not supported"},
    ErrorText{900, "hipErrorStreamCaptureUnsupported",
              "operation not permitted when stream is capturing"},
    ErrorText{901, "hipErrorStreamCaptureInvalidated",
              "operation failed due to a previous error during capture"},
    ErrorText{902, "hipErrorStreamCaptureMerge",
              "operation would result in a merge of separate capture sequences"},
    ErrorText{903, "hipErrorStreamCaptureUnmatched",
              "capture was not ended in the same stream as it began"},
    ErrorText{904, "hipErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    ErrorText{905, "hipErrorStreamCaptureIsolation",
              "dependency created on uncaptured work in another stream"},
    ErrorText{906, "hipErrorStreamCaptureImplicit",
              "operation would make the legacy stream depend on a capturing blocking stream"},
    ErrorText{907, "hipErrorCapturedEvent",
              "operation not permitted on an event last recorded in a capturing stream"},
    ErrorText{908, "hipErrorStreamCaptureWrongThread",
              "attempt to terminate a thread-local capture sequence from another thread"},
    ErrorText{910, "hipErrorGraphExecUpdateFailure",
              "the graph update was not performed because it included changes which violated "
              "constraints specific to instantiated graph update"},
    ErrorText{911, "hipErrorInvalidChannelDescriptor", nullptr},
    ErrorText{912, "hipErrorInvalidTexture", nullptr},
    ErrorText{1052, "hipErrorRuntimeMemory", "runtime memory call returned error"},
    ErrorText{1053, "hipErrorRuntimeOther", "runtime call other than memory returned error"},
    ErrorText{1054, "hipErrorTbd", nullptr},
};

const ErrorText* find(hipError_t code) {
  const bool is_new = code == 911 || code == 912;  // sys-7 hip_error.cpp
  if (is_new && runtime().release < STAND_IN_HIP_7) return nullptr;
  for (const ErrorText& entry : error_texts) {
    if (entry.code == static_cast<int>(code)) return &entry;
  }
  return nullptr;
}

/// Records a call that has neither a status nor a part in the last error.
void record(const char* function) {
  const auto body = [](CallNote& note) {
    note.keeps_last_error = true;
    return hipSuccess;
  };
  static_cast<void>(api(function, body, false));
}

}  // namespace
}  // namespace stand_in_hip

using namespace stand_in_hip;

extern "C" {

// clr hip_error.cpp:357 and :362: no device, no last error, no record of the call in the slot.
const char* hipGetErrorName(hipError_t code) {
  record("hipGetErrorName");
  const ErrorText* found = find(code);
  return found == nullptr ? "hipErrorUnknown" : found->name;
}

const char* hipGetErrorString(hipError_t code) {
  record("hipGetErrorString");
  const ErrorText* found = find(code);
  if (!rules().has_error_texts) return found == nullptr ? "hipErrorUnknown" : found->name;
  return found == nullptr || found->text == nullptr ? "unknown error" : found->text;
}

// clr hip_error.cpp:34. Without a device HIP_INIT_API returns first, so nothing is cleared.
hipError_t hipGetLastError() {
  return api("hipGetLastError", [](CallNote& note) {
    note.keeps_last_error = true;
    return std::exchange(runtime().thread().last_error, hipSuccess);
  });
}

// clr hip_error.cpp:42.
hipError_t hipPeekAtLastError() {
  return api("hipPeekAtLastError", [](CallNote& note) {
    note.keeps_last_error = true;
    return runtime().thread().last_error;
  });
}

}  // extern "C"
