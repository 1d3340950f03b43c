// Work that cannot be divided, such as a call of LAPACK: on a thread of its own, while the caller listens for
// interrupts. A caller who is interrupted leaves at once; the work ends in vain, so it owns all that it touches, and
// the process waits for it before it unloads its libraries.
#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
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
    const auto task = std::make_shared<std::packaged_task<decltype(work())()>>(std::move(work));
    auto result = task->get_future();
    detail::running.begin();
    try {
        std::thread([task] {
            (*task)();
            detail::running.end();
        }).detach();
    } catch (const std::system_error&) {
        detail::running.end();
        (*task)();
    }
    while (result.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) budget.poll();
    return result.get();
}

}  // namespace bough
