// What a store whose nodes are ranges of rows knows of each open one, where rows weigh 1.
#pragma once

#include "base/rng.hpp"
#include "data/target.hpp"
#include "score/node.hpp"
#include "stores/slots.hpp"

namespace bough {

class OpenNodes {
   public:
    void begin(const Target& target, u32 n_columns) {
        target_ = &target;
        k_ = std::max(1u, target.n_classes);
        words_ = (n_columns + 63) / 64;
        counts_.begin(k_);
        constant_.begin(words_);
        measured_.begin(target.regression() ? 1 : 0);
    }
    // Keeps a node and its columns that have one value, one bit for each.
    u32 take(const Node& node, const u64* constant) {
        constant_.take();
        measured_.take();
        const u32 slot = counts_.take();
        keep(slot, node, constant);
        return slot;
    }
    // ... one of another thread.
    u32 take(OpenNodes& from, u32 slot) {
        constant_.take();
        measured_.take();
        const u32 own = counts_.take();
        std::copy_n(from.counts_.at(slot), k_, counts_.at(own));
        std::copy_n(from.constant_.at(slot), words_, constant_.at(own));
        if (target_->regression()) *measured_.at(own) = *from.measured_.at(slot);
        return own;
    }
    void keep(u32 slot, const Node& node, const u64* constant) {
        std::copy_n(node.weights.data(), k_, counts_.at(slot));
        std::copy_n(constant, words_, constant_.at(slot));
        if (target_->regression()) *measured_.at(slot) = node;
    }
    // Completes the view of a node; of those that are not open nobody asks for more than sums.
    template <class Handle>
    void enter(const Handle& at, Node& node, u64* constant) {
        node.n_rows = at.n_rows;
        node.total = at.n_rows;
        node.depth = at.depth;
        node.path = at.path;
        node.weights.assign(counts_.at(at.slot), counts_.at(at.slot) + k_);
        node.counts = node.weights;
        if (target_->regression()) node.take(*measured_.at(at.slot));
        if (!at.open) return;
        list_present(node, *target_);
        std::copy_n(constant_.at(at.slot), words_, constant);
    }
    template <class Handle>
    void close(const Handle& at) {
        counts_.give_back(at.slot);
        constant_.give_back(at.slot);
        measured_.give_back(at.slot);
    }

   private:
    const Target* target_ = nullptr;
    std::size_t k_ = 1, words_ = 0;
    Slots<double> counts_;  // by class
    Slots<u64> constant_;
    Slots<NumberMeasure> measured_;  // of a numeric target
};

// The children of a split in two, one of which has so many rows of each class.
inline void part_classes(const Node& node, u32 child, const u32* rows, std::vector<Node>& children) {
    children.resize(2);
    for (u32 c : {0u, 1u}) {
        Node& to = children[c];
        to.depth = node.depth + 1;
        to.path = child_path(node.path, c);
        to.weights.resize(node.counts.size());
        to.total = 0;
        u32 classes = 0;
        for (std::size_t k = 0; k < to.weights.size(); ++k) {
            to.weights[k] = c == child ? rows[k] : node.counts[k] - rows[k];
            to.total += to.weights[k];
            classes += to.weights[k] > 0;
        }
        to.n_rows = static_cast<u32>(to.total);
        to.pure = classes <= 1;
    }
}

}  // namespace bough
