// A team of threads that shares out numbered pieces of work. Results must not depend on who did
// which piece: callers keep one result per piece or merge in an order that is fixed. Who waits for the others listens
// for interrupts meanwhile, since they may be heard by nobody else.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/budget.hpp"

namespace bough {

class Team {
   public:
    // Of as many threads as the system grants: results do not depend on their number.
    Team(int threads, Budget& budget) : budget_(budget) {
        workers_.reserve(static_cast<std::size_t>(threads > 1 ? threads - 1 : 0));
        try {
            for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { serve(t); });
        } catch (const std::system_error&) {  // a limit on processes
        } catch (const std::bad_alloc&) {     // no memory for another stack
        }
    }
    ~Team() {
        {
            std::lock_guard lock(mutex_);
            quit_ = true;
        }
        wake_.notify_all();
        for (auto& w : workers_) w.join();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return static_cast<int>(workers_.size()) + 1; }

    // Runs piece(i, worker) for every i < n, with a look at the clock before each; the caller is worker 0. The first
    // exception stops them all and is thrown again here once every worker has stopped.
    void each(std::size_t n, const std::function<void(std::size_t, int)>& piece) {
        if (workers_.empty() || n <= 1) {
            for (std::size_t i = 0; i < n; ++i) {
                budget_.poll();
                piece(i, 0);
            }
            return;
        }
        {
            std::lock_guard lock(mutex_);
            piece_ = &piece;
            count_ = n;
            next_.store(0);
            failure_ = nullptr;
            busy_ = static_cast<int>(workers_.size());
            ++round_;
        }
        wake_.notify_all();
        work(0);
        spin([this] { return busy_.load(std::memory_order_acquire) == 0; });
        std::unique_lock lock(mutex_);
        while (!idle_.wait_for(lock, kPause, [this] { return busy_ == 0; })) {
            lock.unlock();
            try {
                budget_.poll();
            } catch (...) {
                fail();
            }
            lock.lock();
        }
        if (failure_) std::rethrow_exception(failure_);
    }

   private:
    // Pieces often follow each other closely: look a while before going to sleep.
    template <class Done>
    static void spin(Done done) {
        for (int i = 0; i < 4000 && !done(); ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    void work(int worker) {
        try {
            for (;;) {
                const std::size_t i = next_.fetch_add(1);
                if (i >= count_) return;
                budget_.poll();
                (*piece_)(i, worker);
            }
        } catch (...) {
            fail();
        }
    }
    // In a handler of exceptions.
    void fail() {
        next_.store(count_);
        std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        budget_.stop();  // now that the cause is kept
    }
    // Has a new thread room for its thread_local variables? The system gives it at the first look at one of them, and
    // ends the process where there is none.
    static bool has_room() {
        constexpr std::size_t kRoom = 1u << 16;  // three times what they take
        void* room = std::malloc(kRoom);
        if (!room) return false;
        *static_cast<volatile char*>(room) = 0;  // or the compiler would leave out both calls, and the answer be yes
        std::free(room);
        [[maybe_unused]] thread_local volatile bool looked = false;
        looked = true;
        return true;
    }
    void serve(int worker) {
        const bool able = has_room();
        u64 seen = 0;
        for (;;) {
            spin([&] { return round_.load(std::memory_order_acquire) != seen; });
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [&] { return quit_ || round_ != seen; });
                if (quit_) return;
                seen = round_;
            }
            if (able) work(worker);
            std::lock_guard lock(mutex_);
            if (--busy_ == 0) idle_.notify_one();
        }
    }

    static constexpr std::chrono::milliseconds kPause{5};
    Budget& budget_;
    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_, idle_;
    const std::function<void(std::size_t, int)>* piece_ = nullptr;
    std::size_t count_ = 0;
    std::atomic<std::size_t> next_{0};
    std::exception_ptr failure_;
    std::atomic<int> busy_{0};
    std::atomic<u64> round_{0};
    bool quit_ = false;
};

}  // namespace bough
