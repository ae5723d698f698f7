namespace std {
template <class ElementType, class DeleterType> class unique_ptr {
  ElementType *held_;
  DeleterType deleter_;

  static void *base_(const void *address) { return const_cast<void *>(address); }
  void destroy_(ElementType *held) { deleter_(static_cast<typename add_pointer<ElementType>::type>(base_(held))); }

 public:
  constexpr unique_ptr() noexcept : held_(nullptr), deleter_() {}
  constexpr unique_ptr(std::nullptr_t) noexcept : held_(nullptr), deleter_() {}
  explicit unique_ptr(ElementType *held) noexcept : held_(held), deleter_() {}
  unique_ptr(ElementType *held, DeleterType deleter) noexcept : held_(held), deleter_(std::move(deleter)) {}
  unique_ptr(std::nullptr_t, DeleterType deleter) noexcept : held_(nullptr), deleter_(std::move(deleter)) {}
  unique_ptr(unique_ptr &&other) noexcept : held_(other.held_), deleter_(std::move(other.deleter_)) { other.held_ = nullptr; }
  unique_ptr(const unique_ptr &) = delete;
  unique_ptr &operator=(unique_ptr &&other) noexcept
  {
    reset(other.release());
    deleter_ = std::move(other.deleter_);
    return *this;
  }
  unique_ptr &operator=(std::nullptr_t) noexcept
  {
    reset();
    return *this;
  }
  unique_ptr &operator=(const unique_ptr &) = delete;
  ~unique_ptr()
  {
    if (held_ != nullptr)
      destroy_(held_);
  }
  ElementType *get() const noexcept { return held_; }
  ElementType *release() noexcept
  {
    ElementType *held = held_;
    held_ = nullptr;
    return held;
  }
  void reset(ElementType *held = nullptr) noexcept
  {
    ElementType *old = held_;
    held_ = held;
    if (old != nullptr)
      destroy_(old);
  }
  void swap(unique_ptr &other) noexcept
  {
    ElementType *held = held_;
    held_ = other.held_;
    other.held_ = held;
    std::swap(deleter_, other.deleter_);
  }
  DeleterType &get_deleter() noexcept { return deleter_; }
  const DeleterType &get_deleter() const noexcept { return deleter_; }
  ElementType &operator[](std::size_t i) const { return held_[i]; }
  explicit operator bool() const noexcept { return held_ != nullptr; }
  bool operator==(const unique_ptr &other) const noexcept { return held_ == other.held_; }
  bool operator!=(const unique_ptr &other) const noexcept { return held_ != other.held_; }
  bool operator<(const unique_ptr &other) const noexcept { return std::less<void *>()(base_(held_), base_(other.held_)); }
};

template <class ElementType> class shared_ptr {
  ElementType *held_;
  std::shared_ptr<void> owner_;

  static void *base_(const void *address) { return const_cast<void *>(address); }
  template <class DeleterType> struct destroy_ {
    DeleterType deleter;
    void operator()(void *address) { deleter(static_cast<typename add_pointer<ElementType>::type>(address)); }
  };

 public:
  constexpr shared_ptr() noexcept : held_(nullptr) {}
  constexpr shared_ptr(std::nullptr_t) noexcept : held_(nullptr) {}
  template <class DeleterType> shared_ptr(ElementType *held, DeleterType deleter)
    : held_(held),
      owner_(base_(held), destroy_<DeleterType>{std::move(deleter)})
  {
  }
  shared_ptr(const shared_ptr &other) noexcept : held_(other.held_), owner_(other.owner_) {}
  shared_ptr(shared_ptr &&other) noexcept : held_(other.held_), owner_(std::move(other.owner_)) { other.held_ = nullptr; }
  shared_ptr &operator=(const shared_ptr &other) noexcept
  {
    held_ = other.held_;
    owner_ = other.owner_;
    return *this;
  }
  shared_ptr &operator=(shared_ptr &&other) noexcept
  {
    shared_ptr old(std::move(other));
    swap(old);
    return *this;
  }
  ElementType *get() const noexcept { return held_; }
  void reset() noexcept
  {
    held_ = nullptr;
    owner_.reset();
  }
  template <class DeleterType> void reset(ElementType *held, DeleterType deleter)
  {
    shared_ptr other(held, std::move(deleter));
    swap(other);
  }
  void swap(shared_ptr &other) noexcept
  {
    ElementType *held = held_;
    held_ = other.held_;
    other.held_ = held;
    owner_.swap(other.owner_);
  }
  long use_count() const noexcept { return owner_.use_count(); }
  explicit operator bool() const noexcept { return held_ != nullptr; }
  bool operator==(const shared_ptr &other) const noexcept { return held_ == other.held_; }
  bool operator!=(const shared_ptr &other) const noexcept { return held_ != other.held_; }
  bool operator<(const shared_ptr &other) const noexcept { return std::less<void *>()(base_(held_), base_(other.held_)); }
};
}
