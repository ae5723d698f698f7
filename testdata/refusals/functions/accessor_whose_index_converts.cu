//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x, y;
};

struct View {
    P *data;
    __device__ P &operator[](unsigned char i) const { return data[i]; }
    __device__ P &at(bool second) const { return data[second]; }
};

__global__ void step(View view, signed char back, char two) {
    view[back].x += 1.0f; // 250 for -6 //~ LC0080 this may call a function that gives back an element
    view.at(two).y += 1.0f;
}

int main() {
    View view;
    cudaMalloc(&view.data, 300 * sizeof(P));
    step<<<1, 1>>>(view, -6, 2);
    return 0;
}
