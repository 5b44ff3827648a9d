// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A library whose functions take the handle by address.

#include "address_library.hpp"
#include "toy_fixture.hpp"

#include <utility>

namespace warpsafe::handle_test {
namespace {

using AddressBound = StreamBound<address_library::Handle*>;

struct AddressHandle : ToyTest {
  AddressHandle() {
    address_library::used.clear();
    address_library::destroyed = 0;
  }
};

TEST_F(AddressHandle, IsPassedToParametersOfBothConstnesses) {
  auto bound = AddressBound::create(stream).value();
  EXPECT_THAT(bound.call<address_library::run>(3), Succeeds());
  EXPECT_THAT(bound.call<address_library::set_options>(4), Succeeds());
  EXPECT_THAT(address_library::used, ElementsAre(stream.native()));
}

TEST_F(AddressHandle, KeepsItsAddressWhenTheStreamBoundMoves) {
  auto bound = AddressBound::create(stream).value();
  auto moved = std::move(bound);
  EXPECT_THAT(moved.call<address_library::run>(3), Succeeds());
  EXPECT_THAT(moved.close(), Succeeds());
  EXPECT_EQ(address_library::destroyed, 1);
}

TEST_F(AddressHandle, ReportsTheLibrarysStatus) {
  auto bound = AddressBound::create(stream).value();
  const auto failed = bound.call<address_library::run>(2);
  EXPECT_EQ(error_in(failed).code, Errc::library_failed);
  EXPECT_EQ(error_in(failed).raw, address_library::wrong_handle);
}

}  // namespace
}  // namespace warpsafe::handle_test
