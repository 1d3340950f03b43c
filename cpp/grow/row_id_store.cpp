// The store of nodes that families search: each is a node of some context.
#include "grow/context.hpp"

namespace bough {

RowIdStore::Handle RowIdStore::root(std::shared_ptr<GrowthContext> context, Node node) {
    Handle at;
    at.node = std::move(node);
    at.context = std::move(context);
    at.context->begin(at);
    return at;
}

const Node& RowIdStore::enter(Handle& at) {
    if (at.subset && at.open) {  // what is below it grows by itself
        at.context = std::make_shared<GrowthContext>(fit_, std::move(*at.subset), *worker_.team);
        at.subset.reset();
        at.context->begin(at);
    }
    if (!at.context) return at.node;
    here_ = at.context.get();
    here_->enter(at);
    selection_.allowed.clear();
    selection_.next.clear();
    selection_.log_p.clear();
    return at.node;
}

bool RowIdStore::search(Handle& at, std::span<const u32> columns, bool, Pace&, Best& best) {
    fit_.budget.poll();
    const bool goes_on = here_->search(at, worker_, columns, selection_, best);
    at.log_p = selection_.log_p;
    return goes_on;
}

void RowIdStore::resolve(Handle& at, Decision& d) { here_->resolve(at, worker_, d); }

void RowIdStore::divide(Handle& at, Decision& d, std::vector<Handle>& children) {
    here_->divide(at, worker_, d, children);
}

Lists* RowIdStore::compact(const Handle& at) {
    if (!fit_.compacts || !at.open || !here_) return nullptr;
    if (!worker_.lists) worker_.lists = std::make_unique<Lists>();
    return here_->compact(at, *worker_.lists) ? worker_.lists.get() : nullptr;
}

}  // namespace bough
