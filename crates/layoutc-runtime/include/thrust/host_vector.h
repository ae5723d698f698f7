// Vectors of the host, which vectors of the device can fill.
#pragma once

#include "device_vector.h"

#include <vector>

namespace thrust {

template <class T, class Allocator = std::allocator<T>>
class host_vector : public std::vector<T, Allocator> {
    using Base = std::vector<T, Allocator>;

    template <class U, class A>
    void take(const detail::vector_base<U, A>& from) {
        this->resize(from.size());
        if (!from.empty())
            cudaMemcpy(this->data(), raw_pointer_cast(from.data()), from.size() * sizeof(T), cudaMemcpyDeviceToHost);
    }

public:
    using Base::Base;
    host_vector() = default;
    host_vector(const Base& other) : Base(other) {}
    template <class U, class A>
    host_vector(const detail::vector_base<U, A>& from) {
        take(from);
    }
    template <class U, class A>
    host_vector& operator=(const detail::vector_base<U, A>& from) {
        take(from);
        return *this;
    }
};

}  // namespace thrust
