// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../record/recorder.hpp"
#include "loaded_mpi.hpp"

#include <mpi.h>

#include <string>

namespace warpsafe::ranks::mpi {

/// The library that is loaded fills in the attribute's number.
inline int& attribute() {
  static int key = MPI_KEYVAL_INVALID;
  return key;
}

inline Communicator* add(Recorder& recorder, MPI_Comm comm, std::uint64_t identity,
                         const Communicator* parent, void* from) {
  int rank = -1;
  int size = -1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  Communicator* const made = recorder.add_communicator("MPI", identity, parent, rank, size, from);
  recorder.joined(*made, rank, size, MPI_SUCCESS);
  // MPI deletes the attribute with the communicator, so a reused handle finds no old record.
  PMPI_Comm_set_attr(comm, attribute(), made);
  return made;
}

/// Null: before MPI_Init, or a communicator that nobody recorded.
inline Communicator* find(MPI_Comm comm) {
  if (attribute() == MPI_KEYVAL_INVALID || comm == Constants::get().no_communicator) return nullptr;
  void* value = nullptr;
  int is_set = 0;
  if (PMPI_Comm_get_attr(comm, attribute(), &value, &is_set) != MPI_SUCCESS || is_set == 0) {
    return nullptr;
  }
  return static_cast<Communicator*>(value);
}

/// The communicator has been freed.
inline int freed(MPI_Comm, int, void* value, void*) {
  Recorder* const recorder = Recorder::get();
  if (recorder != nullptr) recorder->left(*static_cast<Communicator*>(value), "freed");
  return MPI_SUCCESS;
}

/// A duplicate of a communicator gets a record of its own, so the attribute is not copied.
inline int not_copied(MPI_Comm, int, void*, void*, void*, int* is_copied) {
  *is_copied = 0;
  return MPI_SUCCESS;
}

inline void begin(void* from) {
  Recorder* const recorder = is_usable() ? Recorder::get() : nullptr;
  if (recorder == nullptr || attribute() != MPI_KEYVAL_INVALID) return;
  PMPI_Comm_create_keyval(not_copied, freed, &attribute(), nullptr);
  (void)add(*recorder, Constants::get().world, mixed("MPI_COMM_WORLD"), nullptr, from);
}

/// The same in each member: they make the children of a communicator in one order.
inline std::uint64_t child_of(Communicator& parent, std::uint64_t color) {
  return mixed(parent.identity, {++parent.children, color});
}

inline std::uint64_t bytes(MPI_Count count, MPI_Datatype type) {
  int size = 0;
  if (type == Constants::get().no_type || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0)
    return 0;
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

/// "MPI_DOUBLE"; "own" for a type without a name.
inline std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  if (type == Constants::get().no_type || PMPI_Type_get_name(type, name, &length) != MPI_SUCCESS)
    return "own";
  return length == 0 ? "own" : std::string(name, static_cast<std::size_t>(length));
}

/// How the elements of a type are examined.
inline Format format_of(const std::string& type) {
  for (const char* name :
       {"MPI_FLOAT", "MPI_REAL", "MPI_REAL4", "MPI_COMPLEX", "MPI_COMPLEX8", "MPI_C_COMPLEX",
        "MPI_C_FLOAT_COMPLEX", "MPI_CXX_FLOAT_COMPLEX", "MPI_CXX_COMPLEX"}) {
    if (type == name) return Format::float32;
  }
  for (const char* name : {"MPI_DOUBLE", "MPI_DOUBLE_PRECISION", "MPI_REAL8", "MPI_DOUBLE_COMPLEX",
                           "MPI_COMPLEX16", "MPI_C_DOUBLE_COMPLEX", "MPI_CXX_DOUBLE_COMPLEX"}) {
    if (type == name) return Format::float64;
  }
  return Format::bytes;
}

/// False: elements of the type have bytes between them or, as a long double, inside of them that
/// hold no number.
inline bool is_dense(MPI_Datatype type, const std::string& name) {
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_begin = 0;
  MPI_Aint true_extent = 0;
  int size = 0;
  return type != Constants::get().no_type && name.find("LONG_DOUBLE") == std::string::npos &&
         PMPI_Type_size(type, &size) == MPI_SUCCESS &&
         PMPI_Type_get_extent(type, &begin, &extent) == MPI_SUCCESS &&
         PMPI_Type_get_true_extent(type, &true_begin, &true_extent) == MPI_SUCCESS && begin == 0 &&
         true_begin == 0 && extent == size && true_extent == size;
}

inline const char* name_of(MPI_Op operation) {
  for (const auto& [candidate, name] : Constants::get().reductions) {
    if (candidate == operation) return name;
  }
  return "own";
}

}  // namespace warpsafe::ranks::mpi
