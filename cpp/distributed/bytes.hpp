// Values as bytes and back: what crosses the wire. A type that travels lists its fields once, in each_field(). A
// message ends with a digest of itself: bytes that were damaged, cut short or put together are an error, and all others
// are what the other side wrote.
#pragma once

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/rng.hpp"

namespace bough {

template <class T>
concept Fields = requires(T& x) { x.each_field([](auto&...) {}); };
template <class T>
concept Plain = std::is_trivially_copyable_v<T> && !Fields<T>;

inline u64 digest_of(std::string_view bytes) {
    u64 digest = mix(kRootPath + bytes.size());
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), sizeof digest))) {
        u64 word = 0;
        std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
        digest = mix(digest ^ word);
    }
    return digest;
}

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
        if constexpr (Plain<T>)
            bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
        else
            for (T& x : list) put(x);
    }
};

class ByteReader {
   public:
    explicit ByteReader(std::string_view bytes) : left_(bytes) {}
    template <class... T>
    void operator()(T&... fields) {
        (get(fields), ...);
    }

   private:
    void take(void* to, std::size_t n) {
        if (n > left_.size()) throw std::invalid_argument("a message is cut short");
        if (n > 0) std::memcpy(to, left_.data(), n);
        left_.remove_prefix(n);
    }
    void get(Fields auto& x) { x.each_field(*this); }
    void get(Plain auto& x) { take(&x, sizeof x); }
    template <class T>
    void get(std::vector<T>& list) {
        u64 n = 0;
        get(n);
        list.resize(n);
        if constexpr (Plain<T>)
            take(list.data(), n * sizeof(T));
        else
            for (T& x : list) get(x);
    }

    std::string_view left_;
};

template <Fields T>
std::string to_bytes(T x) {
    ByteWriter writer;
    u32 kind = T::kMessage;
    writer(kind, x);
    u64 digest = digest_of(writer.bytes);
    writer(digest);
    return std::move(writer.bytes);
}

template <Fields T>
T from_bytes(std::string_view bytes) {
    u64 digest = 0;
    const std::size_t size = std::max(bytes.size(), sizeof digest) - sizeof digest;
    if (size > 0) std::memcpy(&digest, bytes.data() + size, sizeof digest);
    if (size == 0 || digest != digest_of(bytes.substr(0, size)))
        throw std::invalid_argument("a message was damaged on its way");
    ByteReader reader(bytes.substr(0, size));
    u32 kind = 0;
    reader(kind);
    if (kind != T::kMessage) throw std::invalid_argument("these bytes are another message");
    T x;
    reader(x);
    return x;
}

}  // namespace bough
