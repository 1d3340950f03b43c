#include "grow/registry.hpp"

#include "grow/plan.hpp"
#include "plugins.hpp"

namespace bough {

const Registry& Registry::get() {
    static const Registry registry = [] {
        Registry r;
        register_plugins(r);
        return r;
    }();
    return registry;
}

const ByMoments* Registry::by_moments(std::string_view split) {
    const ByMoments& how = find(get().splits, split).by_moments;
    return how.find ? &how : nullptr;
}

LeafRule Registry::leaf(std::string_view criterion, const std::map<std::string, double>& params) {
    const CriterionPlugin& plugin = find(get().criteria, criterion);
    return plugin.leaf ? plugin.leaf(Params(plugin.info, params)) : LeafRule{};
}

bool Plan::split_asks_several() const { return Registry::find(Registry::get().splits, split.name).several; }

}  // namespace bough
