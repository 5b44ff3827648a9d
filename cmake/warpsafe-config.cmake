# find_package(warpsafe [COMPONENTS host cuda hip]): warpsafe::warpsafe always, and a target per
# component. Without a list every component is offered whose vendor's part is installed.

include("${CMAKE_CURRENT_LIST_DIR}/warpsafe-targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/warpsafe-components.cmake")
