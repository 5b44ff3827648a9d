/* SPDX-License-Identifier: BSL-1.0
   Copyright (c) 2026 the warpsafe authors */
#include "warpsafe_pool.h"

/* Without the watch, nothing happens. */
int main(void) {
  static char block[16];
  warpsafe_pool_allocated(block, sizeof block, NULL, "here");
  warpsafe_pool_freed(block, NULL);
  warpsafe_pool_returned(block);
  return 0;
}
