# find_package(warpsafe [COMPONENTS host cuda hip]): defines warpsafe::warpsafe, and a target for each
# component. Without a list it offers every component whose requirements are installed.

include("${CMAKE_CURRENT_LIST_DIR}/warpsafe-targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/warpsafe-components.cmake")
