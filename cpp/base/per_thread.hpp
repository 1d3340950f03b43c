// Memory that a thread uses again from node to node. It is given back when the thread ends or, on a thread of Python,
// when its call of the core returns: the largest fit does not decide what a process holds for good.
#pragma once

#include <utility>
#include <vector>

namespace bough {

class ThreadScratch {
   public:
    static ThreadScratch& here() {
        thread_local ThreadScratch scratch;
        return scratch;
    }
    template <class T>
    void make(T*& slot) {
        if (made_.size() == made_.capacity()) made_.reserve(16 + 2 * made_.size());  // what follows is kept
        slot = new T();
        made_.emplace_back(&slot, [](void* of) { delete std::exchange(*static_cast<T**>(of), nullptr); });
    }
    void clear() {
        for (const auto& [slot, drop] : made_) drop(slot);
        made_.clear();
    }
    ~ThreadScratch() { clear(); }

    // A call from outside, such as a fit; one inside another one, as from a progress function, ends nothing.
    class Call {
       public:
        Call() { ++here().depth_; }
        ~Call() {
            if (--here().depth_ == 0) here().clear();
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
    };

   private:
    std::vector<std::pair<void*, void (*)(void*)>> made_;
    int depth_ = 0;
};

// A T of this thread; `Name` is a type that only this use of it has.
template <class T, class Name>
T& per_thread() {
    thread_local T* scratch = nullptr;
    if (!scratch) [[unlikely]]
        ThreadScratch::here().make(scratch);
    return *scratch;
}

}  // namespace bough
