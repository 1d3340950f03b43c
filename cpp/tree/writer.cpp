#include "tree/writer.hpp"

namespace bough {

namespace {

template <class To, class From>
void append(std::vector<To>& to, const From& from) {
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

TreeWriter::TreeWriter(std::vector<u32> n_values, u32 n_classes, Missing missing, bool keeps_inner)
    : keeps_inner_(keeps_inner) {
    parts_.n_columns = static_cast<u32>(n_values.size());
    parts_.n_classes = n_classes;
    parts_.n_values = std::move(n_values);
    if (missing != Missing::either) parts_.routing.push_back(static_cast<u8>(missing));
}

TreeWriter::TreeWriter(const Tree& like)
    : TreeWriter(like.parts().n_values, like.parts().n_classes, like.missing(), !like.parts().inner_means.empty()) {
    parts_.centers = like.parts().centers;
    parts_.spreads = like.parts().spreads;
}

void TreeWriter::inner(const Split& s, double gain, const EndSums& own, const EndSums& stayed,
                       std::span<const double> log_p, const NodeLines* lines) {
    TreeParts& p = parts_;
    append_tests(log_p);
    append_lines(lines);
    p.kinds.push_back(static_cast<u8>(s.kind));
    p.gains.push_back(gain);
    if (s.kind != NodeKind::linear) p.columns.push_back(s.column);
    if (s.kind == NodeKind::axis || s.kind == NodeKind::linear) {
        p.cuts.push_back(s.cut);
        p.missing.push_back(static_cast<u8>((s.missing_left ? 1 : 0) | (s.saw_missing ? 2 : 0) |
                                            (s.gaps_at_center ? 4 : 0) | (s.stops ? 8 : 0)));
    } else {
        p.value_counts.push_back(static_cast<u32>(s.values.size()));
        append(p.values, s.values);
        append(p.value_left, s.goes_left);
        p.others.push_back(s.other);
    }
    if (s.kind == NodeKind::linear) {
        p.term_counts.push_back(static_cast<u32>(s.term_columns.size()));
        append(p.term_columns, s.term_columns);
        append(p.term_weights, s.term_weights);
        if (!s.term_values.empty() || !p.term_values.empty()) {
            p.term_values.resize(p.term_columns.size() - s.term_columns.size(), kNone);
            append(p.term_values, s.term_values);
            p.term_values.resize(p.term_columns.size(), kNone);
        }
    }
    if (p.missing_mode() == Missing::shared) p.inner_rows.push_back(own.rows);
    if (keeps_inner_) {
        p.inner_means.push_back(own.mean);
        p.inner_spreads.push_back(own.spread);
    }
    if (p.missing_mode() != Missing::surrogate) return;
    append_surrogates(s.surrogates);
    const bool nominal = s.kind == NodeKind::subset || s.kind == NodeKind::multiway;
    if (nominal ? s.other == kStopHere : s.stops) append_end(stayed);
}

void TreeWriter::append_end(const EndSums& sums) {
    TreeParts& p = parts_;
    p.leaf_rows.push_back(sums.rows);
    if (p.lists_classes()) {  // those that weigh something
        const std::size_t before = p.leaf_classes.size();
        for (std::size_t i = 0; i < sums.weights.size(); ++i)
            if (sums.weights[i] > 0) {
                p.leaf_classes.push_back(sums.classes.empty() ? static_cast<u32>(i) : sums.classes[i]);
                p.leaf_weights.push_back(sums.weights[i]);
            }
        p.leaf_counts.push_back(static_cast<u32>(p.leaf_classes.size() - before));
    } else if (sums.weights.empty()) {
        p.leaf_weights.resize(p.leaf_weights.size() + p.n_outputs(), 0.0);
    } else {
        append(p.leaf_weights, sums.weights);
    }
    if (p.n_classes > 0) return;
    p.leaf_means.push_back(sums.mean);
    p.leaf_spreads.push_back(sums.spread);
}

// Nodes without tests have none of any column, where others have some.
void TreeWriter::append_tests(std::span<const double> log_p) {
    if (log_p.empty() && parts_.log_p.empty()) return;
    parts_.log_p.resize(parts_.kinds.size() * parts_.n_columns, kNaN);
    if (log_p.empty())
        parts_.log_p.resize(parts_.log_p.size() + parts_.n_columns, kNaN);
    else
        append(parts_.log_p, log_p);
}

void TreeWriter::append_lines(const NodeLines* lines) {
    if (!lines) return;
    TreeParts& p = parts_;
    p.line_counts.push_back(static_cast<u32>(lines->columns.size()));
    append(p.line_columns, lines->columns);
    append(p.line_slopes, lines->slopes);
    append(p.line_gains, lines->gains);
    p.line_offsets.push_back(lines->offset);
    p.line_lows.push_back(lines->low);
    p.line_highs.push_back(lines->high);
    p.line_errors.push_back(lines->error);
}

void TreeWriter::append_surrogates(std::span<const Surrogate> surrogates) {
    TreeParts& p = parts_;
    p.surrogate_counts.push_back(static_cast<u8>(surrogates.size()));
    for (const Surrogate& s : surrogates) {
        p.surrogate_columns.push_back(s.column);
        p.surrogate_agreements.push_back(s.agreement);
        p.surrogate_adjusted.push_back(s.adjusted);
        if (s.values.empty()) {
            p.surrogate_cuts.push_back(s.cut);
            p.surrogate_low_left.push_back(s.low_left ? 1 : 0);
        } else {
            p.surrogate_value_counts.push_back(static_cast<u32>(s.values.size()));
            append(p.surrogate_values, s.values);
            append(p.surrogate_value_left, s.goes_left);
        }
    }
}

void TreeWriter::leaf(const EndSums& sums, std::span<const double> log_p, const NodeLines* lines) {
    append_tests(log_p);
    append_lines(lines);
    parts_.kinds.push_back(static_cast<u8>(NodeKind::leaf));
    append_end(sums);
}

void TreeWriter::subtree(TreeParts&& subtree) {
    if (!parts_.log_p.empty() || !subtree.log_p.empty()) {
        parts_.log_p.resize(parts_.kinds.size() * parts_.n_columns, kNaN);
        subtree.log_p.resize(subtree.kinds.size() * parts_.n_columns, kNaN);
    }
    subtree.n_values.clear();  // what is of the tree, not of its nodes
    subtree.centers.clear();
    subtree.spreads.clear();
    subtree.routing.clear();
    std::vector<void*> to;
    each_part(parts_, [&](const char*, auto& array, auto...) { to.push_back(&array); });
    std::size_t at = 0;
    each_part(subtree, [&](const char*, auto& from, auto...) {
        auto& array = *static_cast<std::remove_reference_t<decltype(from)>*>(to[at++]);
        if (array.empty())
            array = std::move(from);
        else
            append(array, from);
    });
}

void TreeWriter::leaf(const Tree& tree, u32 node) {
    const ClassWeights weights = tree.weights(node);
    EndSums all = sums(tree, node);
    all.weights = weights.weights();
    all.classes = weights.classes();
    const std::optional<NodeLines> lines = tree.lines(node);
    leaf(all, tree.tests(node), lines ? &*lines : nullptr);
}

// But for weights.
EndSums TreeWriter::sums(const Tree& tree, u32 node) {
    EndSums sums{tree.rows(node)};
    if (tree.parts().n_classes == 0) sums.mean = tree.mean(node), sums.spread = tree.spread(node);
    return sums;
}

}  // namespace bough
