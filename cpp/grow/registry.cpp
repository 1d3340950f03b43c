#include "grow/registry.hpp"

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

}  // namespace bough
