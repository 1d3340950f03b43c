// Columns, Data and Sample as Python sees them: views of its arrays, which they keep alive.
#pragma once

#include <optional>

#include "bind/arrays.hpp"
#include "data/sample.hpp"

namespace bough {

// Borrowed columns: a float64 matrix, or single ones added in order.
class Columns {
   public:
    // Returns 0 if every number is finite, 1 if some are missing, 2 if some are infinite.
    int add_matrix(Matrix x);
    void add_numeric(Strided x);
    void add_nominal(In<i32> codes, u32 n_values);
    // The same columns, one of them with its rows in another order.
    Columns shuffled(u32 column, In<u32> order) const;
    const Table& table() const { return table_; }
    u32 n_rows() const { return table_.n_rows; }
    bool complete() const { return complete_; }

   private:
    void add(std::size_t n, Column column);
    void check_rows(std::size_t n);

    Table table_;
    bool complete_ = false;  // known to hold no missing number
    std::vector<nanobind::object> keep_;
};

// What is at stake in predictions: costs of mixing two classes, which the criterion weighs; what a prediction costs;
// what the rows of a class weigh in predictions. See data/target.hpp; empty where it is not so.
struct Stakes {
    std::vector<double> costs, losses, scale;
    // A target without rows. It borrows from this.
    Target target(u32 n_classes) const;
};

// Columns, target and weights. Frozen: nothing of it can be changed.
class BoundData {
   public:
    BoundData(Columns columns, std::optional<In<u32>> classes, u32 n_classes, std::optional<In<double>> numbers,
              std::optional<In<double>> weights, Stakes stakes);
    const Data& data() const { return data_; }

   private:
    Columns columns_;
    std::vector<nanobind::object> keep_;
    Stakes stakes_;
    Data data_;
};

class BoundSample {
   public:
    BoundSample(In<u32> rows, std::optional<In<double>> weights);
    // Of data with this many rows; says what is wrong if it is none.
    const Sample& of(u32 n_rows) const;

   private:
    Sample sample_;
    u32 last_ = 0;
    std::vector<nanobind::object> keep_;
};

// Without a sample, all rows.
inline Sample sample_of(const BoundData& data, const BoundSample* sample) {
    return sample ? sample->of(data.data().table.n_rows) : Sample{};
}

}  // namespace bough
