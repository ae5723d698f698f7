// Sub-array bases: each block takes the rows of its own group as `Row *mine = &rows[start]` (start is not a
// multiple of anything convenient) and indexes from there; one kernel looks behind its base as well.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Row
{
  double amount;
  int account;
  int flags;
};

static const int GROUP = 13;

inline void ck(cudaError_t r) { if (r) { fprintf(stderr, "%s\n", cudaGetErrorName(r)); exit(1); } }

__global__ void settle(Row* rows, int groups)
{
  int start = blockIdx.x * GROUP;
  Row* mine = &rows[start];
  for (int t = threadIdx.x; t < GROUP; t += blockDim.x)
  {
    mine[t].amount = mine[t].amount * 1.5 + mine[t].account;
    mine[t].flags |= 1;
  }
}

__global__ void total(const Row* rows, int groups, double* sums)
{
  const Row* mine = rows + blockIdx.x * GROUP;
  if (threadIdx.x == 0)
  {
    double s = 0.0;
    for (int t = 0; t < GROUP; t++) s += mine[t].amount;
    // the last row of the group before this one
    if (blockIdx.x > 0) s += mine[-1].amount;
    sums[blockIdx.x] = s;
  }
}

// two bases at once, the second one moves through the array
__global__ void compare(Row* rows, int groups)
{
  Row* a = &rows[blockIdx.x * GROUP];
  for (int g = 0; g < groups; g++)
  {
    const Row* b = &rows[g * GROUP];
    if (threadIdx.x < GROUP && b[threadIdx.x].account > a[threadIdx.x].account)
      a[threadIdx.x].flags += 2;
  }
}

int main(int argc, char** argv)
{
  int groups = argc > 1 ? atoi(argv[1]) : 29;
  int n = groups * GROUP;
  std::vector<Row> rows(n);
  for (int i = 0; i < n; i++)
  {
    rows[i].amount = (i * 31 % 97) / 8.0;
    rows[i].account = i * 17 % 53;
    rows[i].flags = 0;
  }
  std::vector<Row> want(rows);
  std::vector<double> sums(groups);

  Row* d_rows; double* d_sums;
  ck(cudaMalloc(&d_rows, sizeof(Row) * n));
  ck(cudaMalloc(&d_sums, sizeof(double) * groups));
  ck(cudaMemcpy(d_rows, rows.data(), sizeof(Row) * n, cudaMemcpyHostToDevice));
  if (groups > 0)
  {
    settle<<<groups, 8>>>(d_rows, groups);
    total<<<groups, 1>>>(d_rows, groups, d_sums);
    compare<<<groups, 16>>>(d_rows, groups);
    ck(cudaGetLastError());
  }
  ck(cudaMemcpy(rows.data(), d_rows, sizeof(Row) * n, cudaMemcpyDeviceToHost));
  ck(cudaMemcpy(sums.data(), d_sums, sizeof(double) * groups, cudaMemcpyDeviceToHost));
  ck(cudaFree(d_rows));
  ck(cudaFree(d_sums));

  bool good = true;
  for (Row& r : want) { r.amount = r.amount * 1.5 + r.account; r.flags = 1; }
  for (int g = 0; g < groups; g++)
  {
    double s = 0.0;
    for (int t = 0; t < GROUP; t++)
    {
      s += want[g * GROUP + t].amount;
      for (int h = 0; h < groups; h++)
        if (want[h * GROUP + t].account > want[g * GROUP + t].account) want[g * GROUP + t].flags += 2;
    }
    if (g > 0) s += want[g * GROUP - 1].amount;
    good = good && sums[g] == s;
  }
  double amounts = 0; long flags = 0;
  for (int i = 0; i < n; i++)
  {
    good = good && rows[i].amount == want[i].amount && rows[i].account == want[i].account && rows[i].flags == want[i].flags;
    amounts += (i % 5 + 1) * rows[i].amount;
    flags += (i % 3 + 1) * rows[i].flags + rows[i].account;
  }
  printf("%d rows in %d groups: amounts %.4f flags %ld\n", n, groups, amounts, flags);
  printf(good ? "PASSED\n" : "FAILED\n");
  return good ? 0 : 1;
}
