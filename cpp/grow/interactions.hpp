// Groups of columns that may meet on a path: below a split only columns may be asked that are in one group with all
// columns above them, and those of a linear split are in one group, too.
#pragma once

#include <algorithm>

#include "base/integers.hpp"

namespace bough {

using ColumnGroups = std::vector<std::vector<u32>>;  // each ascending

class Interactions {
   public:
    Interactions() = default;
    // `several`: a split may ask several columns; else groups that are open are one.
    Interactions(const ColumnGroups& groups, bool several) : groups_(&groups), several_(several) {}
    bool any() const { return groups_ && !groups_->empty(); }

    // What may be asked below some columns, ascending: each group for itself, or all together.
    void open(std::span<const u32> asked, ColumnGroups& to) const {
        to.clear();
        for (const auto& group : *groups_) {
            if (!std::includes(group.begin(), group.end(), asked.begin(), asked.end())) continue;
            if (several_ || to.empty()) {
                to.push_back(group);
            } else {
                std::vector<u32> both;
                std::set_union(to[0].begin(), to[0].end(), group.begin(), group.end(), std::back_inserter(both));
                to[0] = std::move(both);
            }
        }
    }

   private:
    const ColumnGroups* groups_ = nullptr;
    bool several_ = false;
};

}  // namespace bough
