#include "nominal/superclasses.hpp"

#include <numeric>

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

std::vector<u8> largest_class(const Contingency& t) {
    std::vector<u8> classes(t.n_classes, 0);
    classes[std::max_element(t.all.begin(), t.all.end()) - t.all.begin()] = 1;
    return classes;
}

std::vector<u8> balanced_classes(const Contingency& t) {
    std::vector<u32> largest_first(t.n_classes);
    std::iota(largest_first.begin(), largest_first.end(), 0u);
    std::stable_sort(largest_first.begin(), largest_first.end(), [&](u32 a, u32 b) { return t.all[a] > t.all[b]; });
    std::vector<u8> classes(t.n_classes, 0);
    double first = 0, second = 0;
    for (u32 c : largest_first) {  // of two classes that tie for the largest the first stays alone, as in largest_class
        classes[c] = first < second || first == 0;
        (classes[c] ? first : second) += t.all[c];
    }
    return classes;
}

}  // namespace bough
