namespace thrust {
template <class ElementType> class device_vector {
  ElementType *held_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;

  static void check_(cudaError_t error)
  {
    if (error == cudaSuccess)
      return;
    cudaGetLastError();
    throw system_error(error, cuda_category());
  }
  void move_(std::size_t capacity)
  {
    ElementType *held = nullptr;
    if (capacity != 0 && cudaMalloc(&held, capacity * sizeof(ElementType)) != cudaSuccess) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    if (size_ != 0)
      check_(cudaMemcpy(held, held_, size_ * sizeof(ElementType), cudaMemcpyDeviceToDevice));
    if (held_ != nullptr)
      cudaFree(held_);
    held_ = held;
    capacity_ = capacity;
  }
  void grow_(std::size_t size)
  {
    if (size <= capacity_)
      return;
    std::size_t capacity = size < 2 * size_ ? 2 * size_ : size;
    move_(capacity < 2 * capacity_ ? 2 * capacity_ : capacity);
  }
  void append_(const ElementType *added, std::size_t count)
  {
    if (count == 0)
      return;
    grow_(size_ + count);
    check_(cudaMemcpy(held_ + size_, added, count * sizeof(ElementType), cudaMemcpyHostToDevice));
    size_ += count;
  }
  void take_(ElementType *to) const
  {
    if (size_ != 0)
      check_(cudaMemcpy(to, held_, size_ * sizeof(ElementType), cudaMemcpyDeviceToHost));
  }
  void append_(const std::vector<ElementType> &added) { append_(added.data(), added.size()); }

 public:
  device_vector() = default;
  explicit device_vector(std::size_t size) { resize(size); }
  device_vector(std::size_t size, const ElementType &value) { resize(size, value); }
  template <class Iterator> device_vector(Iterator first, Iterator last)
  {
    append_(std::vector<ElementType>(first, last));
  }
  template <class Vector, class = typename Vector::reverse_iterator> device_vector(const Vector &other)
  {
    append_(other.data(), other.size());
  }
  device_vector(const device_vector &other) { *this = other; }
  device_vector(device_vector &&other) noexcept { swap(other); }
  ~device_vector()
  {
    if (held_ != nullptr)
      cudaFree(held_);
  }
  device_vector &operator=(const device_vector &other)
  {
    if (this == &other)
      return *this;
    size_ = 0;
    if (other.size_ > capacity_)
      move_(other.size_);
    if (other.size_ != 0)
      check_(cudaMemcpy(held_, other.held_, other.size_ * sizeof(ElementType), cudaMemcpyDeviceToDevice));
    size_ = other.size_;
    return *this;
  }
  device_vector &operator=(device_vector &&other) noexcept
  {
    device_vector taken(std::move(other));
    swap(taken);
    return *this;
  }
  template <class Vector, class = typename Vector::reverse_iterator> device_vector &operator=(const Vector &other)
  {
    size_ = 0;
    append_(other.data(), other.size());
    return *this;
  }
  template <class Vector, class = typename Vector::reverse_iterator> operator Vector() const
  {
    Vector result(size_);
    take_(result.data());
    return result;
  }
  __host__ __device__ ElementType *data() { return held_; }
  __host__ __device__ const ElementType *data() const { return held_; }
  __host__ __device__ ElementType &operator[](std::size_t i) const { return held_[i]; }
  std::size_t begin() const { return 0; }
  std::size_t end() const { return size_; }
  std::size_t cbegin() const { return 0; }
  std::size_t cend() const { return size_; }
  template <class Place, class Iterator> void copy_to_(Place first, Place last, Iterator to) const
  {
    std::vector<ElementType> copied(last - first);
    if (first != last)
      check_(cudaMemcpy(copied.data(), held_ + (first - begin()), copied.size() * sizeof(ElementType), cudaMemcpyDeviceToHost));
    for (const ElementType &element : copied)
      *to++ = element;
  }
  template <class Place, class Iterator> void copy_from_(Iterator first, Iterator last, Place to)
  {
    std::vector<ElementType> copied(first, last);
    if (!copied.empty())
      check_(cudaMemcpy(held_ + (to - begin()), copied.data(), copied.size() * sizeof(ElementType), cudaMemcpyHostToDevice));
  }
  __host__ __device__ std::size_t size() const { return size_; }
  __host__ __device__ std::size_t capacity() const { return capacity_; }
  __host__ __device__ bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  void reserve(std::size_t capacity)
  {
    if (capacity > capacity_)
      move_(capacity);
  }
  void shrink_to_fit()
  {
    if (size_ < capacity_)
      move_(size_);
  }
  void resize(std::size_t size)
  {
    if (size_ == 0 && size != 0 && std::is_trivially_default_constructible<ElementType>::value) {
      grow_(size);
      check_(cudaMemset(held_, 0, size * sizeof(ElementType)));
      size_ = size;
    }
    if (size > size_)
      append_(std::vector<ElementType>(size - size_));
    size_ = size;
  }
  void resize(std::size_t size, const ElementType &value)
  {
    if (size > size_)
      append_(std::vector<ElementType>(size - size_, value));
    size_ = size;
  }
  void push_back(const ElementType &value) { append_(&value, 1); }
  void pop_back() { --size_; }
  void swap(device_vector &other) noexcept
  {
    ElementType *held = held_;
    held_ = other.held_;
    other.held_ = held;
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
};
}
