#!/bin/sh
# Makes a project of the template, as its README says: template.sh PREFIX TEMPLATE FOLDER PRESET
set -eu
rm -rf "$3"
cp -r "$2" "$3"
cd "$3"
cmake --preset "$4" "-DCMAKE_PREFIX_PATH=$1" -DCMAKE_CXX_FLAGS='-Wall -Wextra -Wconversion -Wshadow -Werror'
cmake --build --preset "$4"
[ "$4" = host ] || exit 0
ctest --preset host
said=$(build/host/smooth)
shown=$(sed -n 's/^build\/host\/smooth *# *//p' README.md)
[ -n "$shown" ] && [ "$said" = "$shown " ]
