// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Managed memory, as with a kernel that has HMM: host memory with attributes, which every agent can
// use. The agent keeps the attributes and answers with them; nothing migrates.
#include "agents.hpp"
#include "answer.hpp"
#include "signals.hpp"

#include <cstdint>
#include <list>
#include <mutex>

namespace soft_hsa {
namespace {

/// The newest is the last. Access is kept for each agent: `agent` is 0 in other records.
struct Record {
  std::uintptr_t begin, end;
  std::uint64_t attribute, agent, value;
};
struct Records {
  std::mutex lock;
  std::list<Record> all;

  void set(const Record& made) {
    const std::lock_guard hold(lock);
    all.remove_if([&](const Record& old) {
      return old.attribute == made.attribute && old.agent == made.agent &&
             made.begin <= old.begin && old.end <= made.end;
    });
    all.push_back(made);
  }
  /// The value that is the same in the whole range, or `otherwise`.
  std::uint64_t get(const Record& asked, std::uint64_t otherwise) {
    const std::lock_guard hold(lock);
    for (auto old = all.rbegin(); old != all.rend(); ++old) {
      if (old->attribute != asked.attribute || old->agent != asked.agent) continue;
      if (old->end <= asked.begin || asked.end <= old->begin) continue;
      const bool covers = old->begin <= asked.begin && asked.end <= old->end;
      return covers ? old->value : otherwise;
    }
    return otherwise;
  }
};
Records& records() {
  static auto* const made = new Records;
  return *made;
}

Record range(const void* pointer, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer) / page_bytes * page_bytes;
  const auto end = reinterpret_cast<std::uintptr_t>(pointer) + bytes;
  return {begin, whole_pages(end), 0, 0, 0};
}

bool is_access(std::uint64_t attribute) {
  return attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
}

}  // namespace
}  // namespace soft_hsa

using namespace soft_hsa;

extern "C" {

// hsa_ext_amd.h: which attributes may be set, and which asked for.
hsa_status_t hsa_amd_svm_attributes_set(void* pointer, std::size_t bytes,
                                        hsa_amd_svm_attribute_pair_t* list, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (list[i].attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY ||
        list[i].attribute == HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    Record made = range(pointer, bytes);
    made.attribute = list[i].attribute;
    made.value = list[i].value;
    if (is_access(made.attribute)) {
      made.agent = list[i].value;
      made.value = list[i].attribute;
      made.attribute = HSA_AMD_SVM_ATTRIB_ACCESS_QUERY;
    }
    records().set(made);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_svm_attributes_get(void* pointer, std::size_t bytes,
                                        hsa_amd_svm_attribute_pair_t* list, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Record asked = range(pointer, bytes);
    asked.attribute = list[i].attribute;
    if (is_access(asked.attribute)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (asked.attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY) {
      asked.agent = list[i].value;
      list[i].attribute = records().get(asked, HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS);
    } else {
      list[i].value = records().get(asked, 0);
    }
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_svm_prefetch_async(void* pointer, std::size_t bytes, hsa_agent_t agent,
                                        std::uint32_t count, const hsa_signal_t* after,
                                        hsa_signal_t completion) {
  Record made = range(pointer, bytes);
  made.attribute = HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION;
  made.value = agent.handle;
  records().set(made);
  return hsa_amd_memory_async_copy(pointer, agent, pointer, handle_of(agents()[0]), 0, count, after,
                                   completion);
}

}  // extern "C"
