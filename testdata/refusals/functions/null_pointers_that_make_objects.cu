//@ layouts = ["P = soa"]
struct P {
    float x;
    int id;
};

struct Buffer {
    P *d;
    int kind;
    Buffer(P *p) : d(p), kind(1) {}
    Buffer(int k) : d(nullptr), kind(k + 7) {}
};

struct Plain {
    P *d;
    int first, count;
};

struct Holder {
    Plain plain;
    Buffer buffer;
    Holder() : plain{nullptr, 0, 5}, buffer(nullptr) {} //~ LC0079 a null pointer makes this member, which holds the array //~ LC0079 this makes an object that holds the array, which no null pointer would convert to
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}

static int count(Plain plain = {nullptr, 0, 5}) { return plain.count; } //~ LC0077 a null pointer may make an object here that holds the array

int main() {
    Plain plain;
    cudaMalloc(&plain.d, 20 * sizeof(P));
    step<<<1, 32>>>(plain.d, 20);
    Buffer buffer(plain.d), zero(0), none = nullptr; //~ LC0079 this makes an object that holds the array, which no null pointer would convert to
    buffer = nullptr; //~ LC0079 this makes an object that holds the array, which no null pointer would convert to
    Holder holder;
    return count() + zero.kind + none.kind + holder.buffer.kind;
}
