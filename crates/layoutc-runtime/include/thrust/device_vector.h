// Vectors in device memory: those of thrust, of which the elements are reached through pointers of the device and
// references that copy.
#pragma once

#include "copy.h"
#include "device_ptr.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace thrust {

using std::system_error;
inline const std::error_category& cuda_category() { return std::generic_category(); }

template <class T>
class device_allocator {};

namespace detail {

template <class T, class Allocator>
class vector_base {
    T* held_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;

    void grow(size_t size) {
        if (size <= capacity_) return;
        move_to(std::max({size, 2 * size_, 2 * capacity_}));
    }
    void move_to(size_t capacity) {
        T* held = nullptr;
        if (capacity != 0 && cudaMalloc(&held, capacity * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
        if (size_ != 0) cudaMemcpy(held, held_, size_ * sizeof(T), cudaMemcpyDeviceToDevice);
        if (held_ != nullptr) cudaFree(held_);
        held_ = held;
        capacity_ = capacity;
    }
    void append(const std::vector<T>& added) {
        grow(size_ + added.size());
        if (!added.empty()) cudaMemcpy(held_ + size_, added.data(), added.size() * sizeof(T), cudaMemcpyHostToDevice);
        size_ += added.size();
    }

public:
    using value_type = T;
    using pointer = device_ptr<T>;
    using reference = device_reference<T>;
    using iterator = device_ptr<T>;
    using const_iterator = device_ptr<const T>;

    vector_base() = default;
    explicit vector_base(size_t size) { resize(size); }
    vector_base(size_t size, const T& value) { resize(size, value); }
    template <class It, class = typename std::iterator_traits<It>::iterator_category>
    vector_base(It first, It last) {
        append(std::vector<T>(first, last));
    }
    vector_base(std::initializer_list<T> items) { append(items); }
    template <class Vector, class = typename Vector::value_type>
    vector_base(const Vector& other) {
        append(std::vector<T>(other.begin(), other.end()));
    }
    vector_base(const vector_base& other) { *this = other; }
    vector_base(vector_base&& other) noexcept { swap(other); }
    ~vector_base() {
        if (held_ != nullptr) cudaFree(held_);
    }
    vector_base& operator=(const vector_base& other) {
        if (this == &other) return *this;
        size_ = 0;
        if (other.size_ > capacity_) move_to(other.size_);
        if (other.size_ != 0) cudaMemcpy(held_, other.held_, other.size_ * sizeof(T), cudaMemcpyDeviceToDevice);
        size_ = other.size_;
        return *this;
    }
    vector_base& operator=(vector_base&& other) noexcept {
        vector_base taken(std::move(other));
        swap(taken);
        return *this;
    }
    vector_base& operator=(std::initializer_list<T> items) {
        size_ = 0;
        append(items);
        return *this;
    }
    template <class Vector, class = typename Vector::value_type>
    vector_base& operator=(const Vector& other) {
        size_ = 0;
        append(std::vector<T>(other.begin(), other.end()));
        return *this;
    }
    device_ptr<T> data() { return device_ptr<T>(held_); }
    device_ptr<const T> data() const { return device_ptr<const T>(held_); }
    iterator begin() { return data(); }
    iterator end() { return data() + size_; }
    const_iterator begin() const { return data(); }
    const_iterator end() const { return data() + size_; }
    reference operator[](size_t i) { return data()[i]; }
    size_t size() const { return size_; }
    size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    void clear() { size_ = 0; }
    void reserve(size_t capacity) {
        if (capacity > capacity_) move_to(capacity);
    }
    void shrink_to_fit() {
        if (size_ < capacity_) move_to(size_);
    }
    void resize(size_t size) { resize(size, T()); }
    void resize(size_t size, const T& value) {
        if (size > size_) append(std::vector<T>(size - size_, value));
        size_ = size;
    }
    void push_back(const T& value) { append({value}); }
    void pop_back() { --size_; }
    void swap(vector_base& other) noexcept {
        std::swap(held_, other.held_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
};

}  // namespace detail

template <class T, class Allocator = device_allocator<T>>
class device_vector : public detail::vector_base<T, Allocator> {
public:
    using detail::vector_base<T, Allocator>::vector_base;
    using detail::vector_base<T, Allocator>::operator=;
    device_vector() = default;
};

}  // namespace thrust
