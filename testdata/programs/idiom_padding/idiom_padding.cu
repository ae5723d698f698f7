// Fields of mixed size with holes between them: char, short, double, bool, long long and small arrays.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Reading {
    char tag;
    double value;
    short channel;
    uint8_t flags[3];
    bool valid;
    float error;
    unsigned long long serial;
    unsigned char quality;
};

static_assert(sizeof(Reading) == 48, "the host writes readings of 48 bytes");

#define OK(call) if ((call) != cudaSuccess) return fail(__LINE__)
static int fail(int line) { std::fprintf(stderr, "CUDA call in line %d\n", line); return 1; }

__global__ void calibrate(Reading *r, int n, double gain)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (r[i].valid) r[i].value = r[i].value * gain + r[i].channel;
    r[i].error = (float)(r[i].value * 0.0625);
    r[i].flags[r[i].channel % 3] |= 0x80;
    r[i].tag = r[i].tag == 'z' ? 'a' : r[i].tag + 1;
    r[i].serial += (unsigned long long)r[i].quality << 33;
    r[i].valid = !r[i].valid;
}

__global__ void select(const Reading *r, int n, Reading *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Reading best = r[i];
        if (r[(i + 1) % n].value > best.value) best = r[(i + 1) % n];
        best.quality = r[i].flags[0] ^ r[i].flags[1] ^ r[i].flags[2];
        out[i] = best;
    }
}

static bool equal(const Reading &a, const Reading &b)
{
    return a.tag == b.tag && a.value == b.value && a.channel == b.channel && a.flags[0] == b.flags[0] &&
           a.flags[1] == b.flags[1] && a.flags[2] == b.flags[2] && a.valid == b.valid && a.error == b.error &&
           a.serial == b.serial && a.quality == b.quality;
}

static void fold(unsigned long long &h, const Reading &a)
{
    const unsigned long long parts[] = {(unsigned long long)a.tag, (unsigned long long)(long long)(a.value * 16.0),
        (unsigned long long)a.channel, a.flags[0], a.flags[1], a.flags[2], a.valid,
        (unsigned long long)(a.error * 256.0f), a.serial, a.quality};
    for (unsigned long long p : parts) h = (h ^ p) * 1099511628211ull;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 500;
    std::vector<Reading> in(n), out(n);
    for (int i = 0; i < n; i++) {
        in[i].tag = 'a' + i % 26;
        in[i].value = (i * 29 % 1000) / 4.0;
        in[i].channel = (short)(i % 300);
        for (int k = 0; k < 3; k++) in[i].flags[k] = (uint8_t)((i * (k + 3)) & 0x7f);
        in[i].valid = i % 3 != 0;
        in[i].error = -1.0f;
        in[i].serial = 0x100000000ull * i + i;
        in[i].quality = (unsigned char)(i * 7);
    }
    std::vector<Reading> ref(in), ref_out(n);

    Reading *d_in = nullptr, *d_out = nullptr;
    OK(cudaMalloc((void **)&d_in, n * sizeof(Reading)));
    OK(cudaMalloc((void **)&d_out, n * sizeof(Reading)));
    OK(cudaMemcpy(d_in, in.data(), n * sizeof(Reading), cudaMemcpyHostToDevice));
    if (n > 0) {
        calibrate<<<(n + 99) / 100, 100>>>(d_in, n, 1.5);
        select<<<(n + 99) / 100, 100>>>(d_in, n, d_out);
    }
    OK(cudaGetLastError());
    OK(cudaMemcpy(in.data(), d_in, n * sizeof(Reading), cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(out.data(), d_out, n * sizeof(Reading), cudaMemcpyDeviceToHost));
    OK(cudaFree(d_in));
    OK(cudaFree(d_out));

    for (Reading &r : ref) {
        if (r.valid) r.value = r.value * 1.5 + r.channel;
        r.error = (float)(r.value * 0.0625);
        r.flags[r.channel % 3] |= 0x80;
        r.tag = r.tag == 'z' ? 'a' : r.tag + 1;
        r.serial += (unsigned long long)r.quality << 33;
        r.valid = !r.valid;
    }
    int wrong = 0;
    unsigned long long hash = 14695981039346656037ull;
    for (int i = 0; i < n; i++) {
        ref_out[i] = ref[(i + 1) % n].value > ref[i].value ? ref[(i + 1) % n] : ref[i];
        ref_out[i].quality = ref[i].flags[0] ^ ref[i].flags[1] ^ ref[i].flags[2];
        wrong += !equal(in[i], ref[i]) + !equal(out[i], ref_out[i]);
        fold(hash, in[i]);
        fold(hash, out[i]);
    }
    std::printf("%d readings, checksum %016llx\n%s\n", n, hash, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
