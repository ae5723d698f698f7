// Exclusive prefix sums and what is built of them: stream compaction and a stable sort by a small key.
#pragma once

#include "buffer.h"

class Scan {
public:
  explicit Scan(int capacity);

  // Replaces values by their exclusive prefix sums and gives the sum of all.
  int exclusive(int *values, int count);

private:
  Buffer<int> blockSums_;
};
