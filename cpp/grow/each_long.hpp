// Long pieces of work on a team: the caller, who alone hears Ctrl-C, listens while it waits for the others.
#pragma once

#include <mutex>

#include "base/budget.hpp"
#include "base/parallel.hpp"

namespace bough {

// Runs piece(i) for every i < n; what a piece throws stops them all.
template <class Piece>
void each_long(Team& team, std::size_t n, Budget& budget, const Piece& piece) {
    std::atomic<std::size_t> next{0}, done{0};
    std::mutex mutex;
    std::exception_ptr failure;
    team.each(static_cast<std::size_t>(team.size()), [&](std::size_t, int worker) {
        try {
            for (std::size_t i; (i = next.fetch_add(1)) < n; done.fetch_add(1)) piece(i);
            while (worker == 0 && done.load() < n) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                budget.poll();
            }
        } catch (...) {
            std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            budget.stop();
        }
    });
    if (failure) std::rethrow_exception(failure);
}

}  // namespace bough
