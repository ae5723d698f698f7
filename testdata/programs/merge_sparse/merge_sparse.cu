// Power iteration with a sparse matrix in rows: the value of an entry and the column that it belongs to are two
// arrays, and each thread walks through a row of its own.
#include <cmath>
#include <cstdio>
#include <cstdlib>

typedef double Real;

struct Matrix {
    int rows;
    size_t entries;
    int *first;    // of each row, and the end
    int *column;
    Real *value;
};

__global__ void multiply(const int *first, const int *__restrict__ column, const Real *__restrict__ value,
                         const Real *from, Real *to, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    Real total = 0;
    for (int e = first[row]; e < first[row + 1]; e++)
        total += value[e] * from[column[e]];
    to[row] = total;
}

// The same with pointers that walk.
__global__ void diagonal(Matrix m, Real *found)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m.rows)
        return;
    const int *c = m.column + m.first[row];
    const Real *v = m.value + m.first[row], *end = m.value + m.first[row + 1];
    Real own = 0;
    while (v != end) {
        if (*c++ == row)
            own += *v;
        ++v;
    }
    found[row] = own;
}

__global__ void scale(Real *value, const int *column, Real by, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < n && column[e] % 3 == 0)
        value[e] *= by;
}

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(2);
}

static Matrix upload(int rows, const int *first, const int *column, const Real *value)
{
    Matrix m = {};
    m.rows = rows;
    m.entries = first[rows];
    if (cudaMalloc(&m.first, (rows + 1) * sizeof(int)) != cudaSuccess)
        fail("first");
    if (cudaMalloc(&m.column, m.entries * sizeof(int)) != cudaSuccess)
        fail("column");
    if (cudaMalloc(&m.value, sizeof(Real) * m.entries) != cudaSuccess)
        fail("value");
    cudaMemcpy(m.first, first, (rows + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpyAsync(m.column, column, m.entries * sizeof(int), cudaMemcpyHostToDevice, 0);
    cudaMemcpyAsync(m.value, value, m.entries * sizeof(Real), cudaMemcpyHostToDevice);
    return m;
}

static void release(Matrix *m)
{
    cudaFree(m->first);
    if (m->column) cudaFree(m->column);
    if (m->value) cudaFree(m->value);
    m->value = 0;
}

static unsigned state = 88172645u;
static unsigned draw(unsigned bound)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % bound;
}

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : 500, rounds = argc > 2 ? atoi(argv[2]) : 5;
    int *first = new int[rows + 1], *column = new int[rows * 9 + 1];
    Real *value = new Real[rows * 9 + 1], *x = new Real[rows + 1], *y = new Real[rows + 1], *d = new Real[rows + 1];
    first[0] = 0;
    for (int r = 0; r < rows; ++r) {
        const int count = 1 + draw(8);
        for (int k = 0; k < count; ++k) {
            const int e = first[r] + k;
            column[e] = k == 0 ? r : (int)draw(rows);
            value[e] = (1 + draw(16)) * 0.125;
        }
        first[r + 1] = first[r] + count;
        x[r] = 1;
    }
    Matrix m = upload(rows, first, column, value);
    const int entries = first[rows];
    Real *from, *to, *found;
    cudaMalloc(&from, rows * sizeof *from);
    cudaMalloc(&to, rows * sizeof *to);
    cudaMalloc(&found, rows * sizeof *found);
    cudaMemcpy(from, x, rows * sizeof *x, cudaMemcpyHostToDevice);
    const int blocks = (rows + 63) / 64;
    if (entries > 0)
        scale<<<(entries + 63) / 64, 64>>>(m.value, m.column, 0.5, entries);
    for (int round = 0; round < rounds && rows > 0; ++round) {
        multiply<<<blocks, 64>>>(m.first, m.column, m.value, from, to, rows);
        Real *t = from;
        from = to;
        to = t;
    }
    if (rows > 0)
        diagonal<<<blocks, 64>>>(m, found);
    cudaMemcpy(y, from, rows * sizeof *y, cudaMemcpyDeviceToHost);
    cudaMemcpy(d, found, rows * sizeof *d, cudaMemcpyDeviceToHost);
    // The last row as it is now.
    const int last = rows > 0 ? first[rows - 1] : 0;
    Real *tail = new Real[entries - last + 1];
    int *columns = new int[entries - last + 1];
    cudaMemcpy(tail, m.value + last, (entries - last) * sizeof(Real), cudaMemcpyDeviceToHost);
    cudaMemcpy(columns, &m.column[last], (entries - last) * sizeof(int), cudaMemcpyDeviceToHost);
    release(&m);
    cudaFree(from);
    cudaFree(to);
    cudaFree(found);

    bool good = true;
    for (int e = 0; e < entries; ++e)
        if (column[e] % 3 == 0)
            value[e] *= 0.5;
    Real *next = new Real[rows + 1];
    for (int round = 0; round < rounds; ++round) {
        for (int r = 0; r < rows; ++r) {
            next[r] = 0;
            for (int e = first[r]; e < first[r + 1]; ++e)
                next[r] += value[e] * x[column[e]];
        }
        for (int r = 0; r < rows; ++r)
            x[r] = next[r];
    }
    double a = 0, b = 0;
    for (int r = 0; r < rows; ++r) {
        Real own = 0;
        for (int e = first[r]; e < first[r + 1]; ++e)
            own += column[e] == r ? value[e] : 0;
        good = good && std::fabs(x[r] - y[r]) <= 1e-9 * std::fabs(x[r]) && own == d[r];
        a += y[r] * (1 + r % 5);
        b += d[r] * (1 + r % 3);
    }
    for (int e = last; e < entries; ++e)
        good = good && tail[e - last] == value[e] && columns[e - last] == column[e];
    printf("%d entries, product %.6e, diagonal %.6f\n%s\n", entries, a, b, good ? "PASSED" : "FAILED");
    delete[] first;
    delete[] column;
    delete[] value;
    delete[] x;
    delete[] y;
    delete[] d;
    delete[] next;
    delete[] tail;
    delete[] columns;
    return good ? 0 : 1;
}
