//@ layouts = ["P = soa"]
struct P {
    float x;
    int id;
};

struct Device {
    P *particles;
    int first, count;
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}

int main() {
    Device *device = new Device();
    cudaMalloc(&device->particles, 20 * sizeof(P));
    P *d = *(P **)device; //~ LC0010 the object holds the array, and it is cast to another type //~ LC0031 it cannot be seen what this points to
    step<<<1, 32>>>(d, 20);
    delete device;
    return 0;
}
