// What a plug-in says of itself: its name, what it is, its parameters with their limits.
#pragma once

#include <map>

#include "base/integers.hpp"

namespace bough {

// A parameter of a plug-in. A choice is passed as its place in `choices`, a flag as 0 or 1. An integer or a real of at
// least 0 may be one of the words in `choices` instead, passed as −1 minus its place; "None" is the word of None.
struct Param {
    enum class Type { integer, real, flag, choice };
    std::string name;
    std::string doc;
    Type type = Type::real;
    double value = 0;  // the default
    double low = -kInf, high = kInf;
    std::vector<std::string> choices = {};
};

// One of some words, by default the first.
inline Param choice_param(std::string name, std::string doc, std::vector<std::string> words) {
    return {std::move(name), std::move(doc), Param::Type::choice, 0, -kInf, kInf, std::move(words)};
}

struct Info {
    std::string name;
    std::string doc;     // one line
    std::string source;  // where the idea comes from
    std::vector<Param> params = {};
};

class Params {
   public:
    // The defaults, and over them the given ones.
    Params(const Info& info, const std::map<std::string, double>& given) {
        for (const auto& p : info.params) values_[p.name] = p.value;
        for (const auto& [name, value] : given) values_.at(name) = value;
    }
    double get(const std::string& name) const { return values_.at(name); }
    u32 count(const std::string& name) const { return static_cast<u32>(get(name)); }
    bool flag(const std::string& name) const { return get(name) != 0; }

   private:
    std::map<std::string, double> values_;
};

}  // namespace bough
