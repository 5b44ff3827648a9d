// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The agent alone, without AMD's runtime; also under AddressSanitizer and ThreadSanitizer.
#include "../agent/soft_hsa.h"

#include <gtest/gtest.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Machine {
  std::vector<hsa_agent_t> agents;
  static hsa_status_t add(hsa_agent_t agent, void* data) {
    static_cast<Machine*>(data)->agents.push_back(agent);
    return HSA_STATUS_SUCCESS;
  }
  Machine() { EXPECT_EQ(hsa_iterate_agents(add, this), HSA_STATUS_SUCCESS); }
  [[nodiscard]] hsa_agent_t gpu(std::size_t index = 0) const { return agents.at(index + 1); }
  [[nodiscard]] hsa_agent_t cpu() const { return agents.at(0); }
};

template <class T>
T info(hsa_agent_t agent, hsa_agent_info_t attribute) {
  T value{};
  EXPECT_EQ(hsa_agent_get_info(agent, attribute, &value), HSA_STATUS_SUCCESS);
  return value;
}

hsa_amd_memory_pool_t first_pool(hsa_agent_t agent) {
  hsa_amd_memory_pool_t found{};
  hsa_amd_agent_iterate_memory_pools(
      agent,
      [](hsa_amd_memory_pool_t pool, void* data) {
        *static_cast<hsa_amd_memory_pool_t*>(data) = pool;
        return HSA_STATUS_INFO_BREAK;
      },
      &found);
  return found;
}

hsa_signal_t make_signal(hsa_signal_value_t value) {
  hsa_signal_t signal{};
  EXPECT_EQ(hsa_signal_create(value, 0, nullptr, &signal), HSA_STATUS_SUCCESS);
  return signal;
}
bool wait_for_zero(hsa_signal_t signal, std::uint64_t nanoseconds = 20'000'000'000) {
  return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, nanoseconds,
                                   HSA_WAIT_STATE_BLOCKED) == 0;
}

/// A queue that keeps the error that its callback received.
struct Queue {
  hsa_queue_t* queue = nullptr;
  std::atomic<int> error{0};
  explicit Queue(hsa_agent_t agent) {
    EXPECT_EQ(hsa_queue_create(
                  agent, 64, HSA_QUEUE_TYPE_MULTI,
                  [](hsa_status_t status, hsa_queue_t*, void* data) {
                    static_cast<Queue*>(data)->error = status;
                  },
                  this, 0, 0, &queue),
              HSA_STATUS_SUCCESS);
  }
  ~Queue() { EXPECT_EQ(hsa_queue_destroy(queue), HSA_STATUS_SUCCESS); }

  template <class Packet>
  void submit(const Packet& packet) {
    static_assert(sizeof packet == 64);
    const std::uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
    auto* const slot = static_cast<unsigned char*>(queue->base_address) + index % 64 * 64;
    std::memcpy(slot + 2, reinterpret_cast<const unsigned char*>(&packet) + 2, 62);
    std::uint16_t header = 0;
    std::memcpy(&header, &packet, 2);
    reinterpret_cast<std::atomic<std::uint16_t>*>(slot)->store(header, std::memory_order_release);
    hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  }
  [[nodiscard]] int wait_for_error() const {
    for (int i = 0; i < 5000 && error == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return error;
  }
};

hsa_barrier_and_packet_t barrier(hsa_signal_t completion, std::vector<hsa_signal_t> after = {}) {
  hsa_barrier_and_packet_t packet{};
  packet.header = HSA_PACKET_TYPE_BARRIER_AND;
  for (std::size_t i = 0; i < after.size(); ++i) packet.dep_signal[i] = after[i];
  packet.completion_signal = completion;
  return packet;
}
hsa_kernel_dispatch_packet_t dispatch(std::uint16_t block_x, std::uint16_t block_y,
                                      std::uint32_t grid_x, std::uint32_t grid_y) {
  hsa_kernel_dispatch_packet_t packet{};
  packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  packet.setup = 3;
  packet.workgroup_size_x = block_x;
  packet.workgroup_size_y = block_y;
  packet.workgroup_size_z = 1;
  packet.grid_size_x = grid_x;
  packet.grid_size_y = grid_y;
  packet.grid_size_z = 1;
  return packet;
}

TEST(Agents, AreTheCpuAndTheGpusOfTheEnvironment) {
  const Machine machine;
  ASSERT_EQ(machine.agents.size(), 3U);  // SOFT_HSA_ISA of this test has two
  EXPECT_EQ(info<std::uint32_t>(machine.cpu(), HSA_AGENT_INFO_DEVICE), HSA_DEVICE_TYPE_CPU);
  EXPECT_EQ(info<std::uint32_t>(machine.gpu(0), HSA_AGENT_INFO_WAVEFRONT_SIZE), 64U);
  EXPECT_EQ(info<std::uint32_t>(machine.gpu(1), HSA_AGENT_INFO_WAVEFRONT_SIZE), 32U);
  char name[64] = "";
  EXPECT_EQ(hsa_agent_get_info(machine.gpu(1), HSA_AGENT_INFO_NAME, name), HSA_STATUS_SUCCESS);
  EXPECT_STREQ(name, "gfx1100");
}

TEST(Memory, IsCountedAndRunsOut) {
  const Machine machine;
  const hsa_amd_memory_pool_t pool = first_pool(machine.gpu());
  const std::uint64_t before = soft_hsa_used_bytes(0);
  void* memory = nullptr;
  ASSERT_EQ(hsa_amd_memory_pool_allocate(pool, 5000, 0, &memory), HSA_STATUS_SUCCESS);
  EXPECT_EQ(soft_hsa_used_bytes(0), before + 8192);
  std::memset(memory, 1, 5000);
  void* more = nullptr;
  const std::size_t all = std::size_t{64} << 30;  // gfx90a's
  EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, all, 0, &more), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, all + 1, 0, &more),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_pool_free(static_cast<char*>(memory) + 4096),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(soft_hsa_used_bytes(0), before);
}

TEST(Memory, OfThePointerKnowsOwnerAndKind) {
  const Machine machine;
  void* memory = nullptr;
  ASSERT_EQ(hsa_amd_memory_pool_allocate(first_pool(machine.gpu(1)), 4096, 0, &memory),
            HSA_STATUS_SUCCESS);
  hsa_amd_pointer_info_t known{};
  known.size = sizeof known;
  ASSERT_EQ(
      hsa_amd_pointer_info(static_cast<char*>(memory) + 4095, &known, nullptr, nullptr, nullptr),
      HSA_STATUS_SUCCESS);
  EXPECT_EQ(known.type, HSA_EXT_POINTER_TYPE_HSA);
  EXPECT_EQ(known.agentOwner.handle, machine.gpu(1).handle);
  EXPECT_EQ(known.sizeInBytes, 4096U);
  EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
  known.size = sizeof known;
  EXPECT_EQ(hsa_amd_pointer_info(memory, &known, nullptr, nullptr, nullptr), HSA_STATUS_SUCCESS);
  EXPECT_EQ(known.type, HSA_EXT_POINTER_TYPE_UNKNOWN);

  int host = 0;
  void* locked = nullptr;
  const hsa_amd_memory_pool_t pool = first_pool(machine.cpu());
  ASSERT_EQ(hsa_amd_memory_lock_to_pool(&host, 4, nullptr, 0, pool, 0, &locked),
            HSA_STATUS_SUCCESS);
  ASSERT_EQ(hsa_amd_memory_lock_to_pool(&host, 4, nullptr, 0, pool, 0, &locked),
            HSA_STATUS_SUCCESS);
  for (const auto kind : {HSA_EXT_POINTER_TYPE_LOCKED, HSA_EXT_POINTER_TYPE_UNKNOWN}) {
    EXPECT_EQ(hsa_amd_memory_unlock(&host), HSA_STATUS_SUCCESS);
    known.size = sizeof known;
    EXPECT_EQ(hsa_amd_pointer_info(&host, &known, nullptr, nullptr, nullptr), HSA_STATUS_SUCCESS);
    EXPECT_EQ(known.type, kind) << "a range stays locked until each lock has its unlock";
  }
}

TEST(Memory, IsSharedWithAnotherProcess) {
  const Machine machine;
  void* memory = nullptr;
  ASSERT_EQ(hsa_amd_memory_pool_allocate(first_pool(machine.gpu()), 4096, 0, &memory),
            HSA_STATUS_SUCCESS);
  hsa_amd_ipc_memory_t handle{};
  EXPECT_EQ(hsa_amd_ipc_memory_create(static_cast<char*>(memory) + 64, 4032, &handle),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(hsa_amd_ipc_memory_create(memory, 4096, &handle), HSA_STATUS_SUCCESS);
  const pid_t child = fork();
  if (child == 0) {
    void* mapped = nullptr;
    const hsa_status_t status = hsa_amd_ipc_memory_attach(&handle, 4096, 0, nullptr, &mapped);
    if (status == HSA_STATUS_SUCCESS) std::strcpy(static_cast<char*>(mapped), "from the child");
    const bool detached =
        status == HSA_STATUS_SUCCESS && hsa_amd_ipc_memory_detach(mapped) == HSA_STATUS_SUCCESS;
    _exit(detached ? 0 : 1);
  }
  int ended = 1;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_EQ(ended, 0);
  EXPECT_STREQ(static_cast<char*>(memory), "from the child");
  EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
}

TEST(Managed, KeepsTheAttributesOfItsPages) {
  const Machine machine;
  alignas(4096) static char memory[3 * 4096];
  const std::uint64_t gpu = machine.gpu().handle;
  hsa_amd_svm_attribute_pair_t set[] = {{HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, gpu},
                                        {HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpu}};
  ASSERT_EQ(hsa_amd_svm_attributes_set(memory, 2 * 4096, set, 2), HSA_STATUS_SUCCESS);
  const auto asked = [&](std::uint64_t attribute, std::size_t bytes) {
    hsa_amd_svm_attribute_pair_t one{attribute, gpu};
    EXPECT_EQ(hsa_amd_svm_attributes_get(memory, bytes, &one, 1), HSA_STATUS_SUCCESS);
    return one;
  };
  EXPECT_EQ(asked(HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, 100).value, gpu);
  EXPECT_EQ(asked(HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, sizeof memory).value, 0U)
      << "not the same on all pages";
  EXPECT_EQ(asked(HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, 4096).attribute,
            HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE);
  set[1].attribute = HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
  ASSERT_EQ(hsa_amd_svm_attributes_set(memory, 4096, set + 1, 1), HSA_STATUS_SUCCESS);
  EXPECT_EQ(asked(HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, 4096).attribute,
            HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS);
  set[0].attribute = HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION;
  EXPECT_EQ(hsa_amd_svm_attributes_set(memory, 4096, set, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_signal_t done = make_signal(1);
  ASSERT_EQ(hsa_amd_svm_prefetch_async(memory, 4096, machine.gpu(1), 0, nullptr, done),
            HSA_STATUS_SUCCESS);
  EXPECT_TRUE(wait_for_zero(done));
  EXPECT_EQ(asked(HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, 4096).value, machine.gpu(1).handle);
  hsa_signal_destroy(done);
}

TEST(Signals, EndWithTheirDestruction) {
  const std::uint64_t before = soft_hsa_live_signals();
  const hsa_signal_t signal = make_signal(1);
  EXPECT_EQ(soft_hsa_live_signals(), before + 1);
  EXPECT_EQ(hsa_signal_destroy(signal), HSA_STATUS_SUCCESS);
  EXPECT_EQ(soft_hsa_live_signals(), before);
  EXPECT_DEATH(hsa_signal_store_relaxed(signal, 0), "was destroyed");
}

TEST(Signals, CallTheirHandlerOnceOrAsOftenAsItAsks) {
  const hsa_signal_t signal = make_signal(1);
  const hsa_signal_t done = make_signal(3);
  struct Count {
    hsa_signal_t done;
    int left;
  } count{done, 3};
  ASSERT_EQ(hsa_amd_signal_async_handler(
                signal, HSA_SIGNAL_CONDITION_LT, 1,
                [](hsa_signal_value_t, void* data) {
                  auto& mine = *static_cast<Count*>(data);
                  const bool again = --mine.left > 0;
                  hsa_signal_subtract_relaxed(mine.done, 1);  // after the last, nothing is there
                  return again;
                },
                &count),
            HSA_STATUS_SUCCESS);
  EXPECT_FALSE(wait_for_zero(done, 20'000'000));
  hsa_signal_store_screlease(signal, 0);
  EXPECT_TRUE(wait_for_zero(done));
  EXPECT_EQ(hsa_signal_destroy(signal), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_signal_destroy(done), HSA_STATUS_SUCCESS);
}

TEST(Queues, RunTheirPacketsInOrderAndWaitForSignals) {
  const Machine machine;
  Queue queue(machine.gpu());
  const hsa_signal_t gate = make_signal(1);
  const hsa_signal_t first = make_signal(1);
  const hsa_signal_t second = make_signal(1);
  queue.submit(barrier(first, {gate}));
  queue.submit(barrier(second));
  EXPECT_FALSE(wait_for_zero(second, 20'000'000)) << "it is behind a packet that waits";
  hsa_signal_store_screlease(gate, 0);
  EXPECT_TRUE(wait_for_zero(second));
  EXPECT_EQ(hsa_signal_load_relaxed(first), 0);
  for (const hsa_signal_t s : {gate, first, second}) hsa_signal_destroy(s);
}

TEST(Queues, AreHeldAndLetGo) {
  const Machine machine;
  Queue queue(machine.gpu());
  const hsa_signal_t done = make_signal(1);
  soft_hsa_hold(1);
  queue.submit(barrier(done));
  EXPECT_FALSE(wait_for_zero(done, 20'000'000));
  soft_hsa_hold(0);
  EXPECT_TRUE(wait_for_zero(done));
  hsa_signal_destroy(done);
}

// hsa.h: the fields of a dispatch; amd_aql_queue.cpp of ROCr: the statuses.
TEST(Queues, RefuseWhatHardwareRefuses) {
  const Machine machine;
  const auto error_of = [&](const hsa_kernel_dispatch_packet_t& packet) {
    Queue queue(machine.gpu());
    queue.submit(packet);
    return queue.wait_for_error();
  };
  EXPECT_EQ(error_of(dispatch(0, 0, 65536, 65536)), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS)
      << "what a block of 65536 x 65536 threads becomes";
  EXPECT_EQ(error_of(dispatch(64, 1, 0, 1)), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(error_of(dispatch(64, 1, 32, 1)), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(error_of(dispatch(64, 1, 64, 1)), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  hsa_kernel_dispatch_packet_t illegal = dispatch(64, 1, 64, 1);
  illegal.header = 7;
  EXPECT_EQ(error_of(illegal), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
}

TEST(Queues, TakeASizeThatIsAPowerOfTwo) {
  const Machine machine;
  hsa_queue_t* queue = nullptr;
  EXPECT_EQ(
      hsa_queue_create(machine.gpu(), 96, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(
      hsa_queue_create(machine.cpu(), 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
      HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(soft_hsa_live_queues(), 0U);
}

TEST(Copies, OfOneDirectionRunInOrderAndDirectionsSideBySide) {
  const Machine machine;
  const hsa_signal_t gate = make_signal(1);
  const hsa_signal_t done = make_signal(2);
  const hsa_signal_t back = make_signal(1);
  int from[2] = {1, 2};
  int to = 0;
  int other = 0;
  hsa_amd_memory_async_copy(&to, machine.gpu(), &from[0], machine.cpu(), 4, 1, &gate, done);
  hsa_amd_memory_async_copy(&to, machine.gpu(), &from[1], machine.cpu(), 4, 0, nullptr, done);
  hsa_amd_memory_async_copy(&other, machine.cpu(), &from[1], machine.gpu(), 4, 0, nullptr, back);
  EXPECT_TRUE(wait_for_zero(back)) << "the other direction has its own engine";
  EXPECT_EQ(hsa_signal_load_relaxed(done), 2) << "a copy waits behind the one before it";
  hsa_signal_store_screlease(gate, 0);
  EXPECT_TRUE(wait_for_zero(done));
  EXPECT_EQ(to, 2);
  EXPECT_EQ(other, 2);
  hsa_amd_profiling_async_copy_time_t time{};
  EXPECT_EQ(hsa_amd_profiling_get_async_copy_time(done, &time), HSA_STATUS_SUCCESS);
  EXPECT_LE(time.start, time.end);
  EXPECT_GT(time.start, 0U);
  for (const hsa_signal_t s : {gate, done, back}) hsa_signal_destroy(s);
}

TEST(ManyThreads, UseSignalsQueuesAndMemory) {
  const Machine machine;
  const std::uint64_t signals = soft_hsa_live_signals();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&machine] {
      Queue queue(machine.gpu());
      for (int i = 0; i < 50; ++i) {
        void* memory = nullptr;
        ASSERT_EQ(hsa_amd_memory_pool_allocate(first_pool(machine.gpu()), 4096, 0, &memory),
                  HSA_STATUS_SUCCESS);
        const hsa_signal_t copied = make_signal(1);
        const hsa_signal_t done = make_signal(1);
        hsa_amd_memory_async_copy(memory, machine.gpu(), &i, machine.cpu(), sizeof i, 0, nullptr,
                                  copied);
        queue.submit(barrier(done, {copied}));
        ASSERT_TRUE(wait_for_zero(done));
        EXPECT_EQ(*static_cast<int*>(memory), i);
        EXPECT_EQ(hsa_signal_destroy(copied), HSA_STATUS_SUCCESS);
        EXPECT_EQ(hsa_signal_destroy(done), HSA_STATUS_SUCCESS);
        EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(soft_hsa_live_signals(), signals);
}

}  // namespace
