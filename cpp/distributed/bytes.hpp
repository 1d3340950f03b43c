// Values as bytes and back: what crosses the wire. A type that travels lists its fields once, in each_field(). Bytes
// come from elsewhere and are trusted in nothing: too few of them, too many, or more numbers than there are bytes for
// is an error.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "data/exact_sum.hpp"

namespace bough {

template <class T>
concept Fields = requires(T& x) { x.each_field([](auto&...) {}); };
template <class T>
concept Plain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, i128> || std::is_same_v<T, NumberEnds>;

class ByteWriter {
   public:
    template <class... T>
    void operator()(T&... fields) {
        (put(fields), ...);
    }
    std::string bytes;

   private:
    void put(Fields auto& x) { x.each_field(*this); }
    void put(const Plain auto& x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); }
    template <class T>
    void put(std::vector<T>& list) {
        put(u64{list.size()});
        if constexpr (Plain<T>) {
            bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
        } else {
            for (T& x : list) put(x);
        }
    }
};

class ByteReader {
   public:
    explicit ByteReader(std::string_view bytes) : left_(bytes) {}
    template <class... T>
    void operator()(T&... fields) {
        (get(fields), ...);
    }
    bool done() const { return left_.empty(); }

   private:
    void take(void* to, std::size_t n) {
        if (n > left_.size()) throw std::invalid_argument("a message is cut short");
        if (n > 0) std::memcpy(to, left_.data(), n);
        left_.remove_prefix(n);
    }
    void get(Fields auto& x) { x.each_field(*this); }
    void get(Plain auto& x) { take(&x, sizeof x); }
    void get(bool& x) {
        u8 byte = 0;
        get(byte);
        x = byte != 0;
    }
    template <class T>
    void get(std::vector<T>& list) {
        u64 n = 0;
        get(n);
        constexpr std::size_t least = Plain<T> ? sizeof(T) : sizeof(u64);  // what does not fit one number is a list
        if (n > left_.size() / least) throw std::invalid_argument("a message is cut short");
        list.resize(n);
        if constexpr (Plain<T>) {
            take(list.data(), n * sizeof(T));
        } else {
            for (T& x : list) get(x);
        }
    }

    std::string_view left_;
};

template <Fields T>
std::string to_bytes(T x) {
    ByteWriter writer;
    u32 kind = T::kMessage;
    writer(kind, x);
    return std::move(writer.bytes);
}

template <Fields T>
T from_bytes(std::string_view bytes) {
    ByteReader reader(bytes);
    u32 kind = 0;
    reader(kind);
    if (kind != T::kMessage) throw std::invalid_argument("these bytes are another message");
    T x;
    reader(x);
    if (!reader.done()) throw std::invalid_argument("a message is longer than what it says");
    return x;
}

}  // namespace bough
