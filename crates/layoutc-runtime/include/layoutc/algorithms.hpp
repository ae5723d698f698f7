// Algorithms of thrust: each loads its range, does what the standard library does, and stores it, as a kernel of one
// thread. What they leave behind the end of a range is what was there.
#pragma once

#include "../layoutc_runtime.hpp"
#include "../thrust/device_ptr.h"

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

// The elements of a range for which a test of another one holds, in order.
template <class It, class Stencil, class Test>
std::vector<Value<It>> chosen(It first, ptrdiff_t n, Stencil stencil, Test test) {
    std::vector<Value<It>> values;
    for (ptrdiff_t i = 0; i < n; ++i)
        if (test(static_cast<Value<Stencil>>(stencil[i]))) values.push_back(static_cast<Value<It>>(first[i]));
    return values;
}

template <class It, class Stencil, class To, class Test>
To copy_chosen(const char* name, It first, It last, Stencil stencil, To to, Test test) {
    ptrdiff_t count = 0;
    run(name, [=, &count]() mutable {
        auto values = chosen(first, last - first, stencil, test);
        count = values.size();
        store(to, values);
    });
    return to + count;
}

// The place of the first element that a search of the loaded range finds.
template <class It, class Search>
It found(const char* name, It first, It last, Search search) {
    ptrdiff_t at = 0;
    run(name, [=, &at]() mutable {
        auto values = loaded(first, last - first);
        at = search(values) - values.begin();
    });
    return first + at;
}

struct Identity {
    template <class T>
    bool operator()(const T& value) const { return value; }
};

template <class Test>
auto negated(Test test) {
    return [test](const auto& value) mutable { return !test(value); };
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

template <class It, class Stencil, class Test>
It stable_partition(device_policy, It first, It last, Stencil stencil, Test test) {
    ptrdiff_t middle = 0;
    layoutc_detail::run("thrust::stable_partition", [=, &middle]() mutable {
        auto values = layoutc_detail::chosen(first, last - first, stencil, test);
        auto others = layoutc_detail::chosen(first, last - first, stencil, layoutc_detail::negated(test));
        middle = values.size();
        values.insert(values.end(), others.begin(), others.end());
        layoutc_detail::store(first, values);
    });
    return first + middle;
}
template <class It, class Stencil, class Test>
It partition(device_policy policy, It first, It last, Stencil stencil, Test test) {
    return stable_partition(policy, first, last, stencil, test);
}
template <class It, class Stencil, class Test>
It remove_if(device_policy, It first, It last, Stencil stencil, Test test) {
    return layoutc_detail::copy_chosen("thrust::remove_if", first, last, stencil, first, layoutc_detail::negated(test));
}
template <class It, class Stencil, class To, class Test>
To copy_if(device_policy, It first, It last, Stencil stencil, To to, Test test) {
    return layoutc_detail::copy_chosen("thrust::copy_if", first, last, stencil, to, test);
}
template <class It, class To, class Test>
To copy_if(device_policy, It first, It last, To to, Test test) {
    return layoutc_detail::copy_chosen("thrust::copy_if", first, last, first, to, test);
}
template <class It, class Stencil, class To, class Test>
To remove_copy_if(device_policy, It first, It last, Stencil stencil, To to, Test test) {
    return layoutc_detail::copy_chosen("thrust::remove_copy_if", first, last, stencil, to, layoutc_detail::negated(test));
}
template <class It, class To, class Test>
To remove_copy_if(device_policy, It first, It last, To to, Test test) {
    return layoutc_detail::copy_chosen("thrust::remove_copy_if", first, last, first, to, layoutc_detail::negated(test));
}
template <class It, class To>
To copy(device_policy, It first, It last, To to) {
    layoutc_detail::run("thrust::copy", [=]() mutable {
        layoutc_detail::store(to, layoutc_detail::loaded(first, last - first));
    });
    return to + (last - first);
}
template <class It, class T>
void fill(device_policy, It first, It last, const T& value) {
    layoutc_detail::run("thrust::fill", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i) first[i] = value;
    });
}
template <class It>
void sequence(device_policy, It first, It last) {
    layoutc_detail::run("thrust::sequence", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i) first[i] = i;
    });
}
template <class It>
void reverse(device_policy, It first, It last) {
    layoutc_detail::run("thrust::reverse", [=]() mutable {
        auto values = layoutc_detail::loaded(first, last - first);
        std::reverse(values.begin(), values.end());
        layoutc_detail::store(first, values);
    });
}
template <class It, class To>
To reverse_copy(device_policy, It first, It last, To to) {
    layoutc_detail::run("thrust::reverse_copy", [=]() mutable {
        auto values = layoutc_detail::loaded(first, last - first);
        std::reverse(values.begin(), values.end());
        layoutc_detail::store(to, values);
    });
    return to + (last - first);
}
template <class Map, class It, class To>
To gather(device_policy, Map first, Map last, It from, To to) {
    layoutc_detail::run("thrust::gather", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i) to[i] = static_cast<layoutc_detail::Value<It>>(from[first[i]]);
    });
    return to + (last - first);
}
template <class Map, class Stencil, class It, class To, class Test = layoutc_detail::Identity>
To gather_if(device_policy, Map first, Map last, Stencil stencil, It from, To to, Test test = {}) {
    layoutc_detail::run("thrust::gather_if", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i)
            if (test(static_cast<layoutc_detail::Value<Stencil>>(stencil[i])))
                to[i] = static_cast<layoutc_detail::Value<It>>(from[first[i]]);
    });
    return to + (last - first);
}
template <class It, class Map, class To>
void scatter(device_policy, It first, It last, Map map, To to) {
    layoutc_detail::run("thrust::scatter", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i) to[map[i]] = static_cast<layoutc_detail::Value<It>>(first[i]);
    });
}
template <class It, class Map, class Stencil, class To, class Test = layoutc_detail::Identity>
void scatter_if(device_policy, It first, It last, Map map, Stencil stencil, To to, Test test = {}) {
    layoutc_detail::run("thrust::scatter_if", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i)
            if (test(static_cast<layoutc_detail::Value<Stencil>>(stencil[i])))
                to[map[i]] = static_cast<layoutc_detail::Value<It>>(first[i]);
    });
}
template <class It, class To, class Function>
To transform(device_policy, It first, It last, To to, Function function) {
    layoutc_detail::run("thrust::transform", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i) to[i] = function(static_cast<layoutc_detail::Value<It>>(first[i]));
    });
    return to + (last - first);
}
template <class It, class Other, class To, class Function>
To transform(device_policy, It first, It last, Other other, To to, Function function) {
    layoutc_detail::run("thrust::transform", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i)
            to[i] = function(static_cast<layoutc_detail::Value<It>>(first[i]),
                             static_cast<layoutc_detail::Value<Other>>(other[i]));
    });
    return to + (last - first);
}
template <class It, class To, class Function, class Test>
To transform_if(device_policy, It first, It last, To to, Function function, Test test) {
    layoutc_detail::run("thrust::transform_if", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i) {
            const auto value = static_cast<layoutc_detail::Value<It>>(first[i]);
            if (test(value)) to[i] = function(value);
        }
    });
    return to + (last - first);
}
template <class It, class Function>
It for_each(device_policy, It first, It last, Function function) {
    layoutc_detail::run("thrust::for_each", [=]() mutable {
        for (ptrdiff_t i = 0; i < last - first; ++i) function(first[i]);
    });
    return last;
}
template <class It, class T, class Plus = std::plus<>>
T reduce(device_policy, It first, It last, T sum, Plus plus = {}) {
    layoutc_detail::run("thrust::reduce", [=, &sum]() mutable {
        for (const auto& value : layoutc_detail::loaded(first, last - first)) sum = plus(sum, value);
    });
    return sum;
}
template <class It>
layoutc_detail::Value<It> reduce(device_policy policy, It first, It last) {
    return reduce(policy, first, last, layoutc_detail::Value<It>());
}
template <class It, class Function, class T, class Plus>
T transform_reduce(device_policy, It first, It last, Function function, T sum, Plus plus) {
    layoutc_detail::run("thrust::transform_reduce", [=, &sum]() mutable {
        for (const auto& value : layoutc_detail::loaded(first, last - first)) sum = plus(sum, function(value));
    });
    return sum;
}
template <class It, class Test>
It find_if(device_policy, It first, It last, Test test) {
    return layoutc_detail::found("thrust::find_if", first, last, [test](auto& values) {
        return std::find_if(values.begin(), values.end(), test);
    });
}
template <class It, class Test>
It find_if_not(device_policy policy, It first, It last, Test test) {
    return find_if(policy, first, last, layoutc_detail::negated(test));
}
template <class It, class Test>
bool any_of(device_policy policy, It first, It last, Test test) {
    return find_if(policy, first, last, test) != last;
}
template <class It, class Test>
bool none_of(device_policy policy, It first, It last, Test test) {
    return find_if(policy, first, last, test) == last;
}
template <class It, class Test>
bool all_of(device_policy policy, It first, It last, Test test) {
    return find_if(policy, first, last, layoutc_detail::negated(test)) == last;
}
template <class It, class Less = std::less<>>
It max_element(device_policy, It first, It last, Less less = {}) {
    return layoutc_detail::found("thrust::max_element", first, last, [less](auto& values) {
        return std::max_element(values.begin(), values.end(), less);
    });
}
template <class It, class Less = std::less<>>
It min_element(device_policy, It first, It last, Less less = {}) {
    return layoutc_detail::found("thrust::min_element", first, last, [less](auto& values) {
        return std::min_element(values.begin(), values.end(), less);
    });
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

namespace layoutc_detail {

// Kernels reach device memory through plain pointers.
template <class T>
T* plain(device_ptr<T> pointer) {
    return pointer.get();
}
template <class T>
T plain(T value) {
    return value;
}
template <class T>
device_ptr<T> place(T* pointer) {
    return device_ptr<T>(pointer);
}
template <class T>
T place(T value) {
    return value;
}

template <class It, class = void>
struct is_on_device : std::false_type {};
template <class It>
struct is_on_device<It, std::enable_if_t<std::is_base_of_v<random_access_device_iterator_tag, typename std::iterator_traits<It>::iterator_category>>> : std::true_type {};

template <class It>
using OnDevice = std::enable_if_t<is_on_device<It>::value>;

}  // namespace layoutc_detail

// The iterators say where it runs.
#define LAYOUTC_ON_DEVICE(name)                                                                         \
    template <class It, class... Rest, class = layoutc_detail::OnDevice<It>>                            \
    auto name(It first, Rest... rest) {                                                                 \
        if constexpr (std::is_void_v<decltype(name(device, layoutc_detail::plain(first), layoutc_detail::plain(rest)...))>) \
            name(device, layoutc_detail::plain(first), layoutc_detail::plain(rest)...);                 \
        else                                                                                            \
            return layoutc_detail::place(name(device, layoutc_detail::plain(first), layoutc_detail::plain(rest)...)); \
    }
LAYOUTC_ON_DEVICE(sort)
LAYOUTC_ON_DEVICE(stable_sort)
LAYOUTC_ON_DEVICE(sort_by_key)
LAYOUTC_ON_DEVICE(stable_sort_by_key)
LAYOUTC_ON_DEVICE(partition)
LAYOUTC_ON_DEVICE(stable_partition)
LAYOUTC_ON_DEVICE(remove_if)
LAYOUTC_ON_DEVICE(remove_copy_if)
LAYOUTC_ON_DEVICE(count_if)
LAYOUTC_ON_DEVICE(all_of)
LAYOUTC_ON_DEVICE(any_of)
LAYOUTC_ON_DEVICE(none_of)
LAYOUTC_ON_DEVICE(find_if)
LAYOUTC_ON_DEVICE(find_if_not)
LAYOUTC_ON_DEVICE(fill)
LAYOUTC_ON_DEVICE(reverse)
LAYOUTC_ON_DEVICE(copy_if)
LAYOUTC_ON_DEVICE(gather)
LAYOUTC_ON_DEVICE(scatter)
LAYOUTC_ON_DEVICE(sequence)
LAYOUTC_ON_DEVICE(transform)
LAYOUTC_ON_DEVICE(for_each)
LAYOUTC_ON_DEVICE(reduce)
LAYOUTC_ON_DEVICE(transform_reduce)
LAYOUTC_ON_DEVICE(max_element)
LAYOUTC_ON_DEVICE(min_element)
#undef LAYOUTC_ON_DEVICE

template <class It, class To>
To copy(It first, It last, To to) {
    constexpr bool from = layoutc_detail::is_on_device<It>::value, onto = layoutc_detail::is_on_device<To>::value;
    if constexpr (from && onto) {
        auto end = copy(device, layoutc_detail::plain(first), layoutc_detail::plain(last), layoutc_detail::plain(to));
        return layoutc_detail::place(end);
    } else {
        // From device memory to the host, or back.
        for (; first != last; ++first) *to++ = *first;
        return to;
    }
}

}  // namespace thrust
