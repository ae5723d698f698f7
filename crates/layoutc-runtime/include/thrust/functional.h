#pragma once
#include <algorithm>
#include <functional>

namespace thrust {
using std::equal_to;
using std::greater;
using std::less;
using std::minus;
using std::multiplies;
using std::plus;
template <class T = void>
struct maximum {
    T operator()(const T& a, const T& b) const { return std::max(a, b); }
};
template <class T = void>
struct minimum {
    T operator()(const T& a, const T& b) const { return std::min(a, b); }
};
}  // namespace thrust
