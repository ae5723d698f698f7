namespace std {
template <class T, class D> class unique_ptr {
  T *held_;
  D deleter_;

  static void *base_(void *p) { return p; }
  void destroy_() { deleter_(static_cast<typename add_pointer<T>::type>(base_(held_))); }

 public:
  unique_ptr() : held_(nullptr), deleter_() {}
  unique_ptr(std::nullptr_t) : held_(nullptr), deleter_() {}
  explicit unique_ptr(T *p) : held_(p), deleter_() {}
  unique_ptr(T *p, const D &d) : held_(p), deleter_(d) {}
  unique_ptr(std::nullptr_t, const D &d) : held_(nullptr), deleter_(d) {}
  unique_ptr(unique_ptr &&other) : held_(other.held_), deleter_(other.deleter_) { other.held_ = nullptr; }
  unique_ptr(const unique_ptr &) = delete;
  unique_ptr &operator=(unique_ptr &&other)
  {
    reset(other.release());
    deleter_ = other.deleter_;
    return *this;
  }
  unique_ptr &operator=(std::nullptr_t)
  {
    reset();
    return *this;
  }
  unique_ptr &operator=(const unique_ptr &) = delete;
  ~unique_ptr()
  {
    if (held_ != nullptr)
      destroy_();
  }
  T *get() const { return held_; }
  T *release()
  {
    T *p = held_;
    held_ = nullptr;
    return p;
  }
  void reset(T *p = nullptr)
  {
    unique_ptr old(held_, deleter_);
    held_ = p;
  }
  void swap(unique_ptr &other)
  {
    T *p = held_;
    held_ = other.held_;
    other.held_ = p;
    D d = deleter_;
    deleter_ = other.deleter_;
    other.deleter_ = d;
  }
  D &get_deleter() { return deleter_; }
  const D &get_deleter() const { return deleter_; }
  T &operator[](std::size_t i) const { return held_[i]; }
  T &operator*() const { return *held_; }
  T *operator->() const { return held_; }
  explicit operator bool() const { return held_ != nullptr; }
};

template <class T> class shared_ptr {
  T *held_;
  std::shared_ptr<void> owner_;

  static void *base_(void *p) { return p; }

 public:
  shared_ptr() : held_(nullptr) {}
  shared_ptr(std::nullptr_t) : held_(nullptr) {}
  template <class D> shared_ptr(T *p, D d)
    : held_(p),
      owner_(base_(p), [d](void *q) mutable { d(static_cast<typename add_pointer<T>::type>(q)); })
  {
  }
  shared_ptr(const shared_ptr &other) : held_(other.held_), owner_(other.owner_) {}
  shared_ptr(shared_ptr &&other) : held_(other.held_), owner_(std::move(other.owner_)) { other.held_ = nullptr; }
  shared_ptr &operator=(const shared_ptr &other)
  {
    held_ = other.held_;
    owner_ = other.owner_;
    return *this;
  }
  shared_ptr &operator=(shared_ptr &&other)
  {
    shared_ptr old(std::move(other));
    swap(old);
    return *this;
  }
  T *get() const { return held_; }
  void reset()
  {
    held_ = nullptr;
    owner_.reset();
  }
  template <class D> void reset(T *p, D d)
  {
    shared_ptr other(p, d);
    swap(other);
  }
  void swap(shared_ptr &other)
  {
    T *p = held_;
    held_ = other.held_;
    other.held_ = p;
    owner_.swap(other.owner_);
  }
  long use_count() const { return owner_.use_count(); }
  T &operator*() const { return *held_; }
  T *operator->() const { return held_; }
  explicit operator bool() const { return held_ != nullptr; }
};
}
