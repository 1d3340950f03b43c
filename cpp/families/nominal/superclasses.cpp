#include "superclasses.hpp"

namespace bough {

void check_superclasses(const Problem& p, const char* name) {
    const u32 k = p.target->n_classes;
    const std::string first = std::string("nominal='") + name + "' tries every split of the classes into two";
    const std::string instead = ". Use nominal='pc_ext', 'largest_class_alone', 'flip_flop' or 'auto'";
    if (k > kMostClasses)
        throw std::invalid_argument(first + ", of at most " + std::to_string(kMostClasses) + " classes; there are " +
                                    std::to_string(k) + instead);
    for (u32 c = 0; c < p.table->n_columns(); ++c) {
        const Column& column = p.table->columns[c];
        if (column.kind == ColumnKind::nominal &&
            column.n_values * std::ldexp(1.0, static_cast<int>(k) - 1) > kMostCuts)
            throw std::invalid_argument(first + "; for the " + std::to_string(column.n_values) +
                                        " values of column <#" + std::to_string(c) + "> and " + std::to_string(k) +
                                        " classes these are more than 2^30 cuts" + instead);
    }
}

}  // namespace bough
