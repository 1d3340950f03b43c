// What a fit may still spend: interrupts, progress and deadlines, asked for between pieces of work.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/integers.hpp"

namespace bough {

// Thrown out of the core when the caller asked to stop; the caller knows why.
struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("stopped") {}
};

// Nodes whose search ran out of time, and the largest gain that may be missed at one of them.
struct Unproven {
    u64 nodes = 0;
    double gap = 0;
};

class Budget {
   public:
    // `ask(done)` runs on the thread that made the budget, at most every 20 ms, with the share of
    // the work done so far; a true answer stops the fit.
    explicit Budget(std::function<bool(double)> ask = {})
        : ask_(std::move(ask)), owner_(std::this_thread::get_id()), next_(Clock::now() + kPause) {}

    void total(double work) { total_ = work; }
    void done(double work) { done_.fetch_add(work, std::memory_order_relaxed); }
    // Part of the work at a node that is still being searched; taken back, as −work, when the search is over.
    void underway(double work) { underway_.fetch_add(work, std::memory_order_relaxed); }

    // To be called every few milliseconds of work at the latest, from any thread.
    void poll() {
        if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
        if (!ask_ || std::this_thread::get_id() != owner_) return;
        const auto now = Clock::now();
        if (now < next_) return;
        next_ = now + kPause;
        const double share = total_ > 0 ? (done_.load() + underway_.load()) / total_ : 0.0;
        if (ask_(share < 1.0 ? share : 1.0)) {
            stopped_.store(true);
            throw Stopped();
        }
    }
    // A search at a node ran out of its time; no split of that node gains more than `gap` over the one taken.
    void add_unproven(double gap) {
        std::lock_guard lock(mutex_);
        ++unproven_.nodes;
        unproven_.gap = gap > unproven_.gap ? gap : unproven_.gap;
    }
    Unproven unproven() const { return unproven_; }
    // Makes every other thread's next poll throw.
    void stop() { stopped_.store(true); }

   private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kPause{20};
    std::function<bool(double)> ask_;
    std::thread::id owner_;
    Clock::time_point next_;
    double total_ = 0;
    std::atomic<double> done_{0}, underway_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    Unproven unproven_;
};

// Polls a budget each time a loop has read so many entries of its tables, some 0.3 ms, and reports what is done.
class Pace {
   public:
    explicit Pace(Budget& budget) : budget_(budget) {}
    ~Pace() { budget_.done(done_); }
    Pace(const Pace&) = delete;
    Pace& operator=(const Pace&) = delete;

    void read(u64 entries) {
        if ((read_ += entries) <= kPoll) return;
        read_ = 0;
        budget_.done(std::exchange(done_, 0.0));
        budget_.poll();
    }
    void done(double work) { done_ += work; }

   private:
    static constexpr u64 kPoll = 1u << 16;
    Budget& budget_;
    u64 read_ = 0;
    double done_ = 0;
};

}  // namespace bough
