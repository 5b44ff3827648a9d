// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the error of a module says, for each answer of a runtime: the whole texts.

#include "module_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::core_test {
namespace {

using HostStatus = host::HostStatus;
constexpr int invalid = raw(HostStatus::invalid_value);
constexpr int no_code = raw(HostStatus::no_kernel_image);
constexpr int not_found = raw(HostStatus::invalid_resource_handle);
constexpr std::string_view ptx = ".version 8.5\n.target sm_90\n";

class ModuleErrorsTest : public ScriptedModuleTest {
 protected:
  /// The error of a module that the runtime answers with `status` when it is loaded.
  template <class B>
  [[nodiscard]] static LaunchError load_error(int status, std::string_view image,
                                              const char* source = "") {
    script.fails["module_load"] = status;
    auto* const module = unloaded<B>(image, source);
    EXPECT_EQ(module->load(), status);
    script.fails.erase("module_load");
    const LaunchError error = detail::load_error(status, *module, app);
    EXPECT_EQ(module->release(), 0);
    return error;
  }
  /// The error of the kernel `name` of a module.
  template <class B>
  [[nodiscard]] static LaunchError kernel_error(const char* name, std::string_view image = ptx,
                                                const char* source = "axpy.cubin") {
    auto* const module = loaded<B>(image, source);
    LaunchError error;
    EXPECT_EQ((detail::find_function(*module, name, app, error)), nullptr);
    script.fails.clear();
    EXPECT_EQ(module->release(), 0);
    return error;
  }
};

TEST_F(ModuleErrorsTest, AnImageIsTheBytesOfAContainerOrAnArray) {
  const auto bytes = [](const auto& image) { return detail::image_bytes<SharedModules>(image); };
  static constexpr unsigned char array[] = {1, 2, 3};
  EXPECT_EQ(bytes(array).size, 3U);
  EXPECT_EQ(bytes(array).data, array);
  const std::vector<int> numbers(4, 9);
  EXPECT_EQ(bytes(numbers).size, 16U);
  EXPECT_EQ(static_cast<const void*>(bytes(numbers).data), numbers.data());
  EXPECT_EQ(bytes(std::string("image")).size, 5U);
  EXPECT_EQ(bytes(std::array<char, 7>{}).size, 7U);
  EXPECT_EQ(bytes(std::string()).size, 0U);
}

TEST_F(ModuleErrorsTest, TheOperationNamesTheKernelAndTheModule) {
  const LaunchError plain = LaunchError::make(Errc::module_invalid, Stage::runtime_call);
  const auto operation = [&](const char* source, const char* kernel) {
    const LaunchError error = detail::module_error(plain, Name::of(source), Name::of(kernel), app);
    EXPECT_TRUE(is_app(error.site));
    EXPECT_EQ(error.code, Errc::module_invalid);
    EXPECT_EQ(text(error.kernel), kernel);
    return text(error.operation);
  };
  EXPECT_EQ(operation("", ""), "loading a module in memory");
  EXPECT_EQ(operation("axpy.cubin", ""), "loading module 'axpy.cubin'");
  EXPECT_EQ(operation("", "axpy"), "loading kernel 'axpy' from a module in memory");
  EXPECT_EQ(operation("axpy.cubin", "axpy"), "loading kernel 'axpy' from module 'axpy.cubin'");
}

TEST_F(ModuleErrorsTest, AFileThatCannotBeReadSaysWhy) {
  const LaunchError error = detail::unreadable_module("axpy.cubin", EACCES, app);
  EXPECT_EQ(error.code, Errc::module_unreadable);
  EXPECT_EQ(message(error),
            "loading module 'axpy.cubin' failed: the file cannot be read: Permission denied\n"
            "  at app.cpp:7");
}

TEST_F(ModuleErrorsTest, MissingCodeNamesTheDeviceAndWhatThereIs) {
  module_script.compute_minor = 3;
  const LaunchError error = load_error<SharedModules>(no_code, ptx, "axpy.ptx");
  EXPECT_EQ(error.code, Errc::no_kernel_image);
  EXPECT_EQ(error.subcode, Subcode::in_module);
  EXPECT_EQ(error.device, 0);
  EXPECT_EQ(error.value, 93U);
  EXPECT_TRUE(is_app(error.site));
  EXPECT_EQ(message(error),
            "loading module 'axpy.ptx' failed: the module has no code for device 0 'Null GPU' "
            "(sm_93): it holds PTX for sm_90; build it for that architecture, or with PTX "
            "(hostErrorNoKernelImageForDevice, 209)\n  at app.cpp:7");
  module_script.compute_major = 0;
  EXPECT_EQ(load_error<SharedModules>(no_code, ptx).value, 3U);
}

TEST_F(ModuleErrorsTest, MissingCodeOfAnotherVendorHasNoArchitecture) {
  script.device = 1;
  const LaunchError amd = load_error<DeviceModules>(no_code, ptx);
  EXPECT_EQ(amd.value, 0U);
  EXPECT_EQ(message(amd),
            "loading a module in memory failed: the module has no code for device 1 'Other GPU': "
            "it holds PTX for sm_90; build it for that architecture "
            "(hostErrorNoKernelImageForDevice, 209)\n  at app.cpp:7");
  script.fails["limits_of"] = invalid;
  const LaunchError unknown = load_error<SharedModules>(no_code, "nothing");
  EXPECT_EQ(unknown.value, 0U);
  EXPECT_EQ(message(unknown),
            "loading a module in memory failed: the module has no code for device 1 'Other GPU': "
            "it holds no known code; build it for that architecture "
            "(hostErrorNoKernelImageForDevice, 209)\n  at app.cpp:7");
}

TEST_F(ModuleErrorsTest, MissingCodeWithoutACurrentDeviceNamesNone) {
  script.fails["current_device"] = raw(HostStatus::no_device);
  const LaunchError error = load_error<SharedModules>(no_code, ptx);
  EXPECT_EQ(error.code, Errc::no_kernel_image);
  EXPECT_EQ(error.device, -1);
  EXPECT_TRUE(error.device_name.empty());
  EXPECT_EQ(error.value, 0U);
}

TEST_F(ModuleErrorsTest, AnImageThatIsNotLoadedSaysWhatItsCompilerSaid) {
  const std::string reason =
      "loading a module in memory failed: the runtime cannot load the image: ";
  const std::string status = " (hostErrorInvalidValue, 1)\n  at app.cpp:7";
  const LaunchError known = load_error<SharedModules>(invalid, ptx);
  EXPECT_EQ(known.code, Errc::module_invalid);
  EXPECT_EQ(message(known), reason + "invalid argument" + status);
  const std::string no_image = "; to load a file, call load_file(path)";
  EXPECT_EQ(message(load_error<SharedModules>(invalid, "12345")),
            reason + "5 bytes that are not a cubin, fatbin or PTX" + no_image + status);
  EXPECT_EQ(message(load_error<DeviceModules>(invalid, "123456")),
            reason + "6 bytes that are not a code object or bundle" + no_image + status);
  EXPECT_EQ(message(load_error<ScriptedModules<Vendor::host>>(invalid, "123456")),
            reason + "invalid argument" + status)
      << "an image of the host backend has no kind";
  module_script.log = "line 3: syntax error";
  const std::string log = "invalid argument; its compiler says: line 3: syntax error";
  EXPECT_EQ(message(load_error<SharedModules>(invalid, ptx)), reason + log + status);
  EXPECT_EQ(message(load_error<SharedModules>(invalid, "12345")), reason + log + status);
}

TEST_F(ModuleErrorsTest, WhatIsNoCodeObjectIsNotMissingCode) {
  const LaunchError text_file = load_error<DeviceModules>(no_code, "12345");
  EXPECT_EQ(text_file.code, Errc::module_invalid);
  EXPECT_EQ(message(text_file),
            "loading a module in memory failed: the runtime cannot load the image: 5 bytes that "
            "are not a code object or bundle; to load a file, call load_file(path) "
            "(hostErrorNoKernelImageForDevice, 209)\n  at app.cpp:7");
  EXPECT_EQ(load_error<DeviceModules>(no_code, ptx).code, Errc::no_kernel_image);
  EXPECT_EQ(load_error<SharedModules>(no_code, "12345").code, Errc::no_kernel_image);
  EXPECT_EQ(load_error<DeviceModules>(raw(HostStatus::out_of_memory), "12345").code,
            Errc::out_of_memory);
}

TEST_F(ModuleErrorsTest, OtherFailuresKeepTheirCode) {
  const LaunchError error = load_error<SharedModules>(raw(HostStatus::no_device), ptx);
  EXPECT_EQ(message(error),
            "loading a module in memory failed: no device was found: no device "
            "(hostErrorNoDevice, 100)\n  at app.cpp:7");
}

TEST_F(ModuleErrorsTest, AKernelIsFoundWithItsCodeOnTheCurrentDevice) {
  auto* const module = loaded<SharedModules>();
  LaunchError error;
  const auto* const found = detail::find_function(*module, "axpy", app, error);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(text(found->name), "axpy");
  EXPECT_EQ(script.taken(), (Calls{"module_function 7 ~", "attributes_of ~"}));
  EXPECT_EQ((detail::find_function(*module, "axpy", app, error)), found);
  EXPECT_EQ(module->release(), 0);

  script.device = 0;
  auto* const own = loaded<DeviceModules>();
  EXPECT_NE((detail::find_function(*own, "axpy", app, error)), nullptr);
  EXPECT_EQ(own->release(), 0);
}

TEST_F(ModuleErrorsTest, AKernelOfAModuleOfAnotherDeviceIsRefused) {
  script.device = 0;
  auto* const module = loaded<DeviceModules>("image", "axpy.co");
  script.device = 3;
  LaunchError error;
  EXPECT_EQ((detail::find_function(*module, "axpy", app, error)), nullptr);
  EXPECT_EQ(script.taken(), Calls{"module_function 7 ~"}) << "no code is loaded";
  EXPECT_EQ(error.code, Errc::module_wrong_device);
  EXPECT_EQ(message(error),
            "loading kernel 'axpy' from module 'axpy.co' failed: the module was loaded on device "
            "0, not on device 3; make device 3 current and load the module there too\n"
            "  at app.cpp:7");
  script.fails["current_device"] = raw(HostStatus::no_device);
  EXPECT_EQ((detail::find_function(*module, "axpy", app, error)), nullptr);
  EXPECT_EQ(script.taken(), Calls{}) << "no code is loaded";
  EXPECT_EQ(message(error),
            "loading kernel 'axpy' from module 'axpy.co' failed: no device was found: no device "
            "(hostErrorNoDevice, 100)\n  at app.cpp:7");
  EXPECT_EQ(module->release(), 0);
}

TEST_F(ModuleErrorsTest, AMissingKernelListsThoseThatTheRuntimeKnows) {
  module_script.names = {"scale", "axpy"};
  script.fails["module_function"] = not_found;
  const LaunchError error = kernel_error<SharedModules>("axpi");
  EXPECT_EQ(error.code, Errc::kernel_not_found);
  EXPECT_EQ(text(error.kernel), "axpi");
  EXPECT_EQ(message(error),
            "loading kernel 'axpi' from module 'axpy.cubin' failed: the module holds no kernel of "
            "that name; it holds: scale, axpy "
            "(hostErrorInvalidResourceHandle, 400)\n  at app.cpp:7");
}

TEST_F(ModuleErrorsTest, AListOfKernelsIsOneLineThatIsCutBetweenNames) {
  const auto list = [&](const std::vector<std::string>& names) {
    module_script.names = names;
    script.fails["module_function"] = not_found;
    const std::string text = message(kernel_error<SharedModules>("x"));
    const std::string begin = "of that name; ";
    const std::size_t at = text.find(begin) + begin.size();
    return text.substr(at, text.rfind(" (hostError") - at);
  };
  EXPECT_EQ(list({}), "it holds no kernels");
  EXPECT_EQ(list({"a\nwarpsafe: forged", "b\t"}), "it holds: a\\x0awarpsafe: forged, b\\x09");
  const std::string most(1024 - 32, 'a');
  EXPECT_EQ(list({most}), "it holds: " + most);
  EXPECT_EQ(list({most + 'a', most + 'b'}), "it holds 2 more");
  EXPECT_EQ(list({std::string(600, 'a'), std::string(600, 'b'), "c"}),
            "it holds: " + std::string(600, 'a') + ", c, and 1 more");
}

TEST_F(ModuleErrorsTest, WithoutAListTheErrorSaysWhichNameToPass) {
  const std::string remedy =
      "the module holds no kernel of that name; pass the mangled name of a kernel that is not "
      "extern \"C\" (hostErrorInvalidResourceHandle, 400)";
  module_script.names = {"scale", "axpy"};
  script.fails["module_function"] = not_found;
  EXPECT_THAT(message(kernel_error<DeviceModules>("axpi")), testing::HasSubstr(remedy));
  script.fails = {{"module_function", not_found}, {"module_names", invalid}};
  EXPECT_THAT(message(kernel_error<SharedModules>("axpi")), testing::HasSubstr(remedy));
}

TEST_F(ModuleErrorsTest, OnlyAMissingKernelListsTheNames) {
  module_script.names = {"scale"};
  // The kernel was found, but its code was not.
  script.fails["attributes_of"] = not_found;
  EXPECT_EQ(message(kernel_error<SharedModules>("scale")),
            "loading kernel 'scale' from module 'axpy.cubin' failed: invalid resource handle "
            "(hostErrorInvalidResourceHandle, 400)\n  at app.cpp:7");
  script.fails["module_function"] = raw(HostStatus::out_of_memory);
  const LaunchError error = kernel_error<SharedModules>("scael");
  EXPECT_EQ(error.code, Errc::out_of_memory);
  EXPECT_EQ(text(error.kernel), "scael");
  script.fails["module_function"] = invalid;
  EXPECT_EQ(message(kernel_error<SharedModules>("scael")),
            "loading kernel 'scael' from module 'axpy.cubin' failed: invalid argument "
            "(hostErrorInvalidValue, 1)\n  at app.cpp:7");
}

TEST_F(ModuleErrorsTest, MissingCodeOfAKernelNamesTheDevice) {
  script.fails["attributes_of"] = no_code;
  const LaunchError error = kernel_error<SharedModules>("axpy");
  EXPECT_EQ(text(error.kernel), "axpy");
  EXPECT_EQ(message(error),
            "loading kernel 'axpy' from module 'axpy.cubin' failed: the module has no code for "
            "device 0 'Null GPU' (sm_90): it holds PTX for sm_90; build it for that architecture, "
            "or with PTX (hostErrorNoKernelImageForDevice, 209)\n  at app.cpp:7");
}

// CUDA loads lazily, so a problem of the image may only show when a kernel is taken.
TEST_F(ModuleErrorsTest, AProblemOfTheImageMayShowLate) {
  const std::string of = "loading kernel 'axpy' from module 'axpy.cubin' failed: ";
  const std::string status = " (hostErrorInvalidValue, 1)\n  at app.cpp:7";
  script.fails["attributes_of"] = invalid;
  const LaunchError plain = kernel_error<SharedModules>("axpy");
  EXPECT_EQ(plain.code, Errc::runtime_failed);
  EXPECT_EQ(message(plain), of + "invalid argument" + status);

  script.fails["attributes_of"] = invalid;
  const LaunchError no_image = kernel_error<SharedModules>("axpy", "12345");
  EXPECT_EQ(no_image.code, Errc::module_invalid);
  EXPECT_EQ(text(no_image.kernel), "axpy");
  EXPECT_EQ(message(no_image),
            of +
                "the runtime cannot load the image: 5 bytes that are not a cubin, fatbin or PTX; "
                "to load a file, call load_file(path)" +
                status);

  module_script.log = "line 3: syntax error";
  script.fails["attributes_of"] = invalid;
  EXPECT_EQ(message(kernel_error<SharedModules>("axpy")),
            of +
                "the runtime cannot load the image: invalid argument; its compiler says: line 3: "
                "syntax error" +
                status);
  script.fails["attributes_of"] = raw(HostStatus::out_of_memory);
  EXPECT_EQ(kernel_error<SharedModules>("axpy", "12345").code, Errc::out_of_memory);
}

}  // namespace

/// A runtime for whose kernels there is no memory.
struct ForgetfulModules : SharedModules {};

}  // namespace warpsafe::core_test

template <>
struct warpsafe::ModuleCalls<warpsafe::core_test::ForgetfulModules>
    : ModuleCalls<core_test::SharedModules> {};
template <>
struct warpsafe::detail::LoadedFunction<warpsafe::core_test::ForgetfulModules> {
  static void* operator new(std::size_t, const std::nothrow_t&) noexcept { return nullptr; }
  static void operator delete(void*) noexcept {}
  static void operator delete(void*, const std::nothrow_t&) noexcept {}
  LoadedModule<core_test::ForgetfulModules>* module;
  LoadedFunction* next;
  KernelEntry entry;
  Name name;
  KernelSlots<core_test::SharedModules> slots{};
};

namespace warpsafe::core_test {
namespace {

TEST_F(ModuleErrorsTest, WithoutMemoryAKernelIsNotTaken) {
  const LaunchError error = kernel_error<ForgetfulModules>("axpy");
  const std::size_t bytes = sizeof(detail::LoadedFunction<ForgetfulModules>);
  EXPECT_EQ(finding(error),
            (Finding{Errc::out_of_memory, Stage::runtime_call, bytes, 0, Axis::none}));
  EXPECT_EQ(message(error),
            "loading kernel 'axpy' from module 'axpy.cubin' failed: out of memory: " +
                std::to_string(bytes) + " bytes requested\n  at app.cpp:7");
}

}  // namespace
}  // namespace warpsafe::core_test
