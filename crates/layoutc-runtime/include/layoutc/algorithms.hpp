// Algorithms of thrust: each loads its range, does what the standard library does, and stores it, as a kernel of one
// thread. What they leave behind the end of a range is what was there.
#pragma once

#include "../layoutc_runtime.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

namespace thrust {

struct device_policy {};
inline constexpr device_policy device{};
namespace cuda {
struct par_policy : device_policy {
    par_policy on(cudaStream_t) const { return *this; }
};
inline constexpr par_policy par{};
}  // namespace cuda

namespace layoutc_detail {

template <class It>
using Value = typename std::iterator_traits<It>::value_type;

template <class It>
std::vector<Value<It>> loaded(It first, ptrdiff_t n) {
    std::vector<Value<It>> values;
    values.reserve(n);
    for (ptrdiff_t i = 0; i < n; ++i) values.push_back(static_cast<Value<It>>(first[i]));
    return values;
}

template <class It, class Values>
void store(It first, const Values& values) {
    for (size_t i = 0; i < values.size(); ++i) first[i] = values[i];
}

template <class Body>
void run(const char* name, Body body) {
    layoutc_rt::launch(layoutc_rt::config(1, 1), name, body);
}

// Keys in order, and the values that belong to them.
template <class Keys, class Values, class Less>
void sort_both(const char* name, Keys first, Keys last, Values values, Less less) {
    run(name, [=]() mutable {
        auto keys = loaded(first, last - first);
        auto own = loaded(values, last - first);
        std::vector<size_t> order(keys.size());
        std::iota(order.begin(), order.end(), size_t(0));
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return less(keys[a], keys[b]); });
        for (size_t i = 0; i < order.size(); ++i) {
            first[i] = keys[order[i]];
            values[i] = own[order[i]];
        }
    });
}

template <class It, class Less>
void sort_one(const char* name, It first, It last, Less less) {
    run(name, [=]() mutable {
        auto values = loaded(first, last - first);
        std::stable_sort(values.begin(), values.end(), less);
        store(first, values);
    });
}

template <class It, class Test>
It split(const char* name, It first, It last, Test test) {
    ptrdiff_t found = 0;
    run(name, [=, &found]() mutable {
        auto values = loaded(first, last - first);
        auto middle = std::stable_partition(values.begin(), values.end(), test);
        found = middle - values.begin();
        store(first, values);
    });
    return first + found;
}

}  // namespace layoutc_detail

template <class It, class Less = std::less<>>
void sort(device_policy, It first, It last, Less less = {}) {
    layoutc_detail::sort_one("thrust::sort", first, last, less);
}
template <class It, class Less = std::less<>>
void stable_sort(device_policy, It first, It last, Less less = {}) {
    layoutc_detail::sort_one("thrust::stable_sort", first, last, less);
}
template <class Keys, class Values, class Less = std::less<>>
void sort_by_key(device_policy, Keys first, Keys last, Values values, Less less = {}) {
    layoutc_detail::sort_both("thrust::sort_by_key", first, last, values, less);
}
template <class Keys, class Values, class Less = std::less<>>
void stable_sort_by_key(device_policy, Keys first, Keys last, Values values, Less less = {}) {
    layoutc_detail::sort_both("thrust::stable_sort_by_key", first, last, values, less);
}
template <class It, class Test>
It partition(device_policy, It first, It last, Test test) {
    return layoutc_detail::split("thrust::partition", first, last, test);
}
template <class It, class Test>
It stable_partition(device_policy, It first, It last, Test test) {
    return layoutc_detail::split("thrust::stable_partition", first, last, test);
}
template <class It, class Test>
It remove_if(device_policy, It first, It last, Test test) {
    ptrdiff_t kept = 0;
    layoutc_detail::run("thrust::remove_if", [=, &kept]() mutable {
        auto values = layoutc_detail::loaded(first, last - first);
        values.erase(std::remove_if(values.begin(), values.end(), test), values.end());
        kept = values.size();
        layoutc_detail::store(first, values);
    });
    return first + kept;
}
template <class It, class Test>
ptrdiff_t count_if(device_policy, It first, It last, Test test) {
    ptrdiff_t count = 0;
    layoutc_detail::run("thrust::count_if", [=, &count]() mutable {
        auto values = layoutc_detail::loaded(first, last - first);
        count = std::count_if(values.begin(), values.end(), test);
    });
    return count;
}

using minstd_rand = std::minstd_rand;
using default_random_engine = minstd_rand;

template <class Real = double>
class uniform_real_distribution {
    Real from_, to_;

public:
    explicit uniform_real_distribution(Real from = 0, Real to = 1) : from_(from), to_(to) {}
    template <class Engine>
    Real operator()(Engine& engine) {
        const Real part = Real(engine() - Engine::min()) / (Real(Engine::max() - Engine::min()) + 1);
        return part * (to_ - from_) + from_;
    }
};

}  // namespace thrust
