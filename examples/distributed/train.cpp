// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Trains a small network on all GPUs of a job, one process for each:
// README.md.
//
//   distributed [MISTAKE]
//
// Compiles with nvcc (NCCL), hipcc (RCCL), and g++ or clang++ (host backend, MPI).

#include "collectives.hpp"
#include "mistake.hpp"
#include "network.hpp"
#include <warpsafe/print.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#if !defined(__CUDACC__) && !defined(__HIPCC__) && !__has_include(<mpi.h>)
#error "the host backend needs MPI: add the folder of mpi.h to the include path (mpicxx)"
#endif

using network::Share;

constexpr std::size_t steps = 60;
constexpr std::size_t step_of_mistake = 5;

/// The weights, and the gradients of one step.
struct Model {
  ws::DeviceBuffer<float> first;
  ws::DeviceBuffer<float> second;
  ws::DeviceBuffer<long long> first_gradient;
  ws::DeviceBuffer<long long> second_gradient;
  ws::DeviceBuffer<long long> loss;
  ws::DeviceBuffer<float> neurons;
  ws::DeviceBuffer<float> errors;

  /// `seed` is 0 for weights of zero, which wait for those of another rank.
  static ws::result<Model> create(const ws::Stream& stream, std::size_t samples, int seed) {
    std::vector<float> weights(network::first_weights + network::second_weights);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<float>(seed) * 0.3F * network::random_number(i);
    }
    const std::span<const float> all(weights);
    WARPSAFE_TRY(auto first,
                 ws::DeviceBuffer<float>::from(stream, all.first(network::first_weights)));
    WARPSAFE_TRY(auto second,
                 ws::DeviceBuffer<float>::from(stream, all.last(network::second_weights)));
    WARPSAFE_TRY(auto first_gradient,
                 ws::DeviceBuffer<long long>::create(stream, network::first_weights));
    WARPSAFE_TRY(auto second_gradient,
                 ws::DeviceBuffer<long long>::create(stream, network::second_weights));
    WARPSAFE_TRY(auto loss, ws::DeviceBuffer<long long>::create(stream, 1));
    WARPSAFE_TRY(auto neurons, ws::DeviceBuffer<float>::create(stream, samples * network::hidden));
    WARPSAFE_TRY(auto errors, ws::DeviceBuffer<float>::create(stream, samples));
    return Model{std::move(first),           std::move(second), std::move(first_gradient),
                 std::move(second_gradient), std::move(loss),   std::move(neurons),
                 std::move(errors)};
  }

  /// The gradients and the loss of these samples.
  ws::result<void> backward(const ws::Stream& stream, Share share) {
    WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(share.count, ws::block<128>),
                             ws::kernel<network::forward>, first.view(), second.view(), share,
                             neurons.view(), errors.view()));
    WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(network::second_weights, ws::block<128>),
                             ws::kernel<network::second_gradient>, neurons.view(), errors.view(),
                             share, second_gradient.view()));
    WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(network::first_weights, ws::block<128>),
                             ws::kernel<network::first_gradient>, second.view(), neurons.view(),
                             errors.view(), share, first_gradient.view()));
    return ws::launch(stream, ws::SafeGrid<>::cover(1, ws::block<32>), ws::kernel<network::loss>,
                      errors.view(), share, loss.view());
  }
  ws::result<void> update(const ws::Stream& stream) {
    WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(network::second_weights, ws::block<128>),
                             ws::kernel<network::update>, second_gradient.view(), second.view(),
                             second.size()));
    return ws::launch(stream, ws::SafeGrid<>::cover(network::first_weights, ws::block<128>),
                      ws::kernel<network::update>, first_gradient.view(), first.view(),
                      first.size());
  }
  /// All weights, to compare them.
  ws::result<std::vector<float>> weights(const ws::Stream& stream) const {
    WARPSAFE_TRY(auto all, first.to_host(stream).get());
    WARPSAFE_TRY(const auto rest, second.to_host(stream).get());
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }
  ws::result<float> mean_loss(const ws::Stream& stream) const {
    WARPSAFE_TRY(const auto sum, loss.to_host(stream).get());
    return static_cast<float>(sum[0]) / 4294967296.0F / static_cast<float>(network::batch);
  }
};

/// One rank of the job. `mistake` is none on all ranks but the last.
struct Trainer {
  const Job& job;
  const ws::Stream& stream;
  Mistake mistake;
  Collectives gradients;
  std::optional<Collectives> metrics;  ///< a communicator of its own for the loss

  ws::result<void> broadcast_weights(Model& model) {
    const int root = mistake == Mistake::root ? job.own() : 0;
    WARPSAFE_TRYV(gradients.broadcast(model.first.view(), root));
    return gradients.broadcast(model.second.view(), 0);
  }

  /// Adds the gradients and the losses of all ranks, the last layer first.
  ws::result<void> exchange(Model& model, std::size_t step) {
    const Mistake now = step == step_of_mistake ? mistake : Mistake::none;
    const auto second = model.second_gradient.view();
    if (now == Mistake::communicators) {
      WARPSAFE_TRYV(metrics->all_reduce(model.loss.view()));
      WARPSAFE_TRYV(gradients.all_reduce(second));
      return gradients.all_reduce(model.first_gradient.view());
    }
    if (now == Mistake::order) {
      WARPSAFE_TRYV(gradients.all_reduce(model.first_gradient.view()));
      WARPSAFE_TRYV(gradients.all_reduce(second));
      return metrics->all_reduce(model.loss.view());
    }
    if (now == Mistake::count) {
      WARPSAFE_TRY(const auto part, second.subspan(0, second.size() / 2));
      WARPSAFE_TRYV(gradients.all_reduce(part));
    } else if (now == Mistake::type) {
      WARPSAFE_TRY(auto narrow, ws::DeviceBuffer<int>::create(stream, second.size()));
      WARPSAFE_TRYV(gradients.all_reduce(narrow.view()));
    } else if (now == Mistake::reduction) {
      WARPSAFE_TRYV(gradients.all_reduce(second, true));
    } else if (now == Mistake::operation) {
      WARPSAFE_TRYV(gradients.reduce(second, 0));
    } else if (now == Mistake::receive) {
      WARPSAFE_TRYV(gradients.receive(second, 0));
    } else if (now != Mistake::missing) {
      WARPSAFE_TRYV(gradients.all_reduce(second));
    }
    if (mistake == Mistake::straggler) {
      // The rank has to compute for as long.
      WARPSAFE_TRY(const auto before, model.mean_loss(stream));
      static_cast<void>(before);
      ::usleep(20'000);
    }
    WARPSAFE_TRYV(gradients.all_reduce(model.first_gradient.view()));
    return metrics->all_reduce(model.loss.view());
  }
};

/// The samples of this rank. Ranks may have shares of different sizes.
Share share_of(const Job& job, std::size_t step) {
  const auto ranks = static_cast<std::size_t>(job.ranks());
  const auto own = static_cast<std::size_t>(job.own());
  const std::size_t begin = network::batch * own / ranks;
  return {.begin = step * network::batch + begin,
          .count = network::batch * (own + 1) / ranks - begin};
}

/// Trains without other ranks, on all samples.
ws::result<std::vector<float>> trained_alone(const ws::Stream& stream) {
  WARPSAFE_TRY(auto model, Model::create(stream, network::batch, 1));
  for (std::size_t step = 0; step < steps; ++step) {
    WARPSAFE_TRYV(
        model.backward(stream, {.begin = step * network::batch, .count = network::batch}));
    WARPSAFE_TRYV(model.update(stream));
  }
  return model.weights(stream);
}

/// Returns how many weights of all ranks differ from those of a training without other ranks.
ws::result<long long> train(const Job& job, Mistake mistake) {
  WARPSAFE_TRY(const int devices, ws::device_count());
  WARPSAFE_TRY(const auto device,
               ws::DeviceGuard::create(ws::DeviceId(job.on_this_machine() % devices)));
  WARPSAFE_TRY(const auto stream,
               ws::Stream::create(ws::DeviceId(job.on_this_machine() % devices)));
  WARPSAFE_TRY(auto gradients, Collectives::create(job, stream));
  WARPSAFE_TRY(auto model, Model::create(stream, share_of(job, 0).count, job.own() == 0 ? 1 : 0));
  Trainer trainer{job, stream, mistake, std::move(gradients), std::nullopt};
  WARPSAFE_TRYV(trainer.broadcast_weights(model));
  if (mistake == Mistake::creation) ::pause();
  WARPSAFE_TRY(trainer.metrics, trainer.gradients.duplicate(job, stream));

  for (std::size_t step = 0; step < steps; ++step) {
    if (mistake == Mistake::early && step == step_of_mistake) ::pause();
    if (mistake == Mistake::killed && step == step_of_mistake) ::raise(SIGKILL);
    WARPSAFE_TRYV(model.backward(stream, share_of(job, step)));
    WARPSAFE_TRYV(trainer.exchange(model, step));
    if (job.own() == 0 && step % 20 == 0) {
      WARPSAFE_TRY(const float mean_loss, model.mean_loss(stream));
      std::printf("step %zu: loss %.4f\n", step, static_cast<double>(mean_loss));
    }
    WARPSAFE_TRYV(model.update(stream));
  }

  WARPSAFE_TRY(const auto weights, model.weights(stream));
  WARPSAFE_TRY(const auto alone, trained_alone(stream));
  long long wrong = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) wrong += weights[i] == alone[i] ? 0 : 1;
  const std::vector<long long> own{wrong};
  WARPSAFE_TRY(auto all, ws::DeviceBuffer<long long>::from(stream, own));
  WARPSAFE_TRYV(trainer.gradients.all_reduce(all.view()));
  WARPSAFE_TRY(const auto sum, all.to_host(stream).get());
  return sum[0];
}

int main(int count, char** arguments) {
  const auto job = Job::join(count, arguments);
  if (!job.has_value()) return 2;
  const auto mistake = count < 2 ? Mistake::none : mistake_named(arguments[1]);
  if (!mistake.has_value() || job->ranks() > static_cast<int>(network::batch)) {
    std::fprintf(stderr, "rank %d: usage: distributed [MISTAKE], with at most %zu ranks\n",
                 job->own(), network::batch);
    job->abandon();
  }
#if !defined(__CUDACC__) && !defined(__HIPCC__)
  if (!job->uses_mpi()) {
    std::fprintf(stderr, "the host backend needs MPI: start it with mpirun, not with torchrun\n");
    return 2;
  }
#endif
  const auto devices = ws::device_count();
  if (devices.has_value() && devices.value() > 0 && job->on_this_machine() >= devices.value() &&
      !std::is_same_v<ws::default_backend, ws::host_backend>) {
    std::fprintf(stderr, "rank %d finds no GPU: each rank needs its own, and here are %d\n",
                 job->own(), devices.value());
    job->abandon();
  }
  const auto wrong = train(*job, job->is_last() ? *mistake : Mistake::none);
  if (!wrong.has_value()) {
    std::cerr << "rank " + std::to_string(job->own()) + ": " + message(wrong.error()) + '\n';
    job->abandon();
  }
  if (job->own() == 0) {
    const auto all =
        static_cast<long long>(network::first_weights + network::second_weights) * job->ranks();
    std::cout << all - wrong.value() << " of " << all << " weights on " << job->ranks()
              << (job->ranks() == 1 ? " rank" : " ranks")
              << " equal those of one process, to the last bit\n";
  }
  job->leave();
  return wrong.value() == 0 ? 0 : 1;
}
