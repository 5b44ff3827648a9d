# find_package(warpsafe [COMPONENTS host cuda hip]): warpsafe::warpsafe always, and a target per
# component. Without a list every component is offered whose vendor's part is installed.

include("${CMAKE_CURRENT_LIST_DIR}/warpsafe-targets.cmake")
if(NOT warpsafe_FIND_COMPONENTS)
  set(warpsafe_FIND_COMPONENTS host cuda hip)
endif()
include("${CMAKE_CURRENT_LIST_DIR}/warpsafe-components.cmake")
