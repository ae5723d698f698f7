// Pointers to device memory that are typed, and references whose value is copied.
#pragma once

#include "../layoutc_runtime.hpp"

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace thrust {

// Of iterators over device memory.
struct random_access_device_iterator_tag : std::random_access_iterator_tag {};

template <class T>
class device_ptr;

template <class T>
class device_reference {
    T* at_;

public:
    explicit device_reference(T* at) : at_(at) {}
    operator std::remove_const_t<T>() const {
        if (layoutc_rt::in_kernel()) return *at_;
        std::remove_const_t<T> value;
        cudaMemcpy(&value, at_, sizeof(T), cudaMemcpyDeviceToHost);
        return value;
    }
    device_reference& operator=(const T& value) {
        if (layoutc_rt::in_kernel())
            *at_ = value;
        else
            cudaMemcpy(at_, &value, sizeof(T), cudaMemcpyHostToDevice);
        return *this;
    }
    device_reference& operator=(const device_reference& other) { return *this = static_cast<T>(other); }
    device_ptr<T> operator&() const { return device_ptr<T>(at_); }
};

template <class T>
class device_ptr {
    T* at_;

public:
    using value_type = std::remove_const_t<T>;
    using difference_type = ptrdiff_t;
    using pointer = device_ptr;
    using reference = device_reference<T>;
    using iterator_category = random_access_device_iterator_tag;

    device_ptr() : at_(nullptr) {}
    explicit device_ptr(T* at) : at_(at) {}
    T* get() const { return at_; }
    reference operator*() const { return reference(at_); }
    reference operator[](ptrdiff_t i) const { return reference(at_ + i); }
    device_ptr operator+(ptrdiff_t n) const { return device_ptr(at_ + n); }
    device_ptr operator-(ptrdiff_t n) const { return device_ptr(at_ - n); }
    ptrdiff_t operator-(device_ptr other) const { return at_ - other.at_; }
    device_ptr& operator++() {
        ++at_;
        return *this;
    }
    device_ptr operator++(int) {
        device_ptr old = *this;
        ++at_;
        return old;
    }
    device_ptr& operator+=(ptrdiff_t n) {
        at_ += n;
        return *this;
    }
    device_ptr& operator--() {
        --at_;
        return *this;
    }
    device_ptr operator--(int) {
        device_ptr old = *this;
        --at_;
        return old;
    }
    device_ptr& operator-=(ptrdiff_t n) {
        at_ -= n;
        return *this;
    }
    bool operator<(device_ptr other) const { return at_ < other.at_; }
    bool operator>(device_ptr other) const { return at_ > other.at_; }
    bool operator<=(device_ptr other) const { return at_ <= other.at_; }
    bool operator>=(device_ptr other) const { return at_ >= other.at_; }
    bool operator==(device_ptr other) const { return at_ == other.at_; }
    bool operator!=(device_ptr other) const { return at_ != other.at_; }
};

template <class T>
T* raw_pointer_cast(T* pointer) {
    return pointer;
}
template <class T>
T* raw_pointer_cast(device_ptr<T> pointer) {
    return pointer.get();
}
template <class T>
device_ptr<T> device_pointer_cast(T* pointer) {
    return device_ptr<T>(pointer);
}

}  // namespace thrust
