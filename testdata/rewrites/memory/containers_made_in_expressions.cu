//@ layouts = ["Q = soa", "Q = tiled(32)"]
#include <vector>

struct Q {
    unsigned char comply;
    unsigned short start;
    Q() : comply(2), start(7) {}
};

struct Settings {
    int count;
};

Settings settings;
std::vector<Q> quarantined;

__global__ void step(Q *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i].start += q[i].comply;
}

int main() {
    settings.count = 100;
    quarantined = std::vector<Q>(settings.count, Q());
    auto others = std::vector<Q>(quarantined.size());
    size_t bytes = quarantined.size() * sizeof(Q);
    Q *d;
    cudaMalloc(&d, bytes);
    cudaMemcpy(d, quarantined.data(), bytes, cudaMemcpyHostToDevice);
    step<<<4, 32>>>(d, settings.count);
    cudaMemcpy(others.data(), d, bytes, cudaMemcpyDeviceToHost);
    return others[3].start == 9 ? 0 : 1;
}
