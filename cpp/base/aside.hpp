// Work that cannot be divided, such as a call of LAPACK: on a thread of its own, while the caller listens for
// interrupts. A caller who is interrupted leaves at once; the work ends in vain, so it owns all that it touches, and
// the process waits for it before it unloads its libraries.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "base/budget.hpp"

namespace bough {

namespace detail {

// Works whose callers may have left.
class Running {
   public:
    ~Running() {
        std::unique_lock lock(mutex_);
        none_.wait(lock, [this] { return count_ == 0; });
    }
    void begin() {
        std::lock_guard lock(mutex_);
        ++count_;
    }
    void end() {
        std::lock_guard lock(mutex_);
        if (--count_ == 0) none_.notify_all();
    }

   private:
    std::mutex mutex_;
    std::condition_variable none_;
    int count_ = 0;
};

inline Running running;

}  // namespace detail

// What `work()` returns. Without a thread to be had, it runs here.
template <class Work>
auto aside(Budget& budget, Work work) {
    struct Shared {
        explicit Shared(Work w) : work(std::move(w)) {}
        Work work;
        std::mutex mutex;
        std::condition_variable over;
        std::optional<decltype(work())> result;
        std::exception_ptr failure;
        bool done = false;
    };
    const auto shared = std::make_shared<Shared>(std::move(work));
    const auto run = [shared] {
        try {
            shared->result.emplace(shared->work());
        } catch (...) {
            shared->failure = std::current_exception();
        }
        std::lock_guard lock(shared->mutex);
        shared->done = true;
        shared->over.notify_all();
    };
    detail::running.begin();
    try {
        std::thread([run] {
            run();
            detail::running.end();
        }).detach();
    } catch (const std::system_error&) {
        detail::running.end();
        run();
    }
    std::unique_lock lock(shared->mutex);
    while (!shared->over.wait_for(lock, std::chrono::milliseconds(10), [&] { return shared->done; })) {
        lock.unlock();
        budget.poll();
        lock.lock();
    }
    if (shared->failure) std::rethrow_exception(shared->failure);
    return std::move(*shared->result);
}

}  // namespace bough
