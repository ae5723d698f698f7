//@ layouts = ["P = tiled(32)", "P = soa"]
#define CHECKED(i) if ((i) < 0) return data[0] //~ LC0080 a reference to an element is returned
struct P {
    float x, y, z;
};

struct Early {
    P *data;
    int count;
    __device__ P &operator[](int i) const { //~ LC0078 a declaration of this type is not rewritten
        if (i >= count)
            return data[0]; //~ LC0080 a reference to an element is returned
        return data[i]; //~ LC0080 a reference to an element is returned
    }
};

struct Hidden {
    P *data;
    __device__ P &operator[](int i) const { //~ LC0078 a declaration of this type is not rewritten
        CHECKED(i);
        return data[i]; //~ LC0080 a reference to an element is returned
    }
};

struct Read {
    P *data;
    __device__ P &operator[](int i) const { return data[(int)data[i].z]; } //~ LC0078 a declaration of this type is not rewritten //~ LC0080 a reference to an element is returned
};

__device__ Read made(P *p) { return Read{p}; }

__global__ void step(Early early, Hidden hidden, Read read, int n) {
    int i = threadIdx.x;
    if (i < n)
        early[i].x += hidden[i].y + read[i].x;
}

int main() {
    Early early;
    Hidden hidden;
    Read read;
    early.count = 20;
    cudaMalloc(&early.data, 20 * sizeof(P));
    cudaMalloc(&hidden.data, 20 * sizeof(P));
    cudaMalloc(&read.data, 20 * sizeof(P));
    step<<<1, 32>>>(early, hidden, read, 20);
    return 0;
}
