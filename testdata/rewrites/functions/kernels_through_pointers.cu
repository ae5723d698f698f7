//@ layouts = ["* = soa", "* = tiled(32)"]
// Objects that hold arrays, given to kernels that pointers stand for: by `<<<>>>`, and by the address of the object.
#include <cstdio>
#include <cuda_runtime.h>

struct Path { float x, y, z; int bounces; };
struct Light { float x, y, power; };
struct Scene { Light *lights; int count; };
struct Args { Path *paths; int n; Scene scene; };
typedef void (*Shader)(Args args);

__global__ void diffuse(Args args) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= args.n) return;
    for (int k = 0; k < args.scene.count; ++k) args.paths[i].x += args.scene.lights[k].power * args.paths[i].y;
}
__global__ void specular(Args args) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < args.n) args.paths[i].bounces -= args.paths[i].x > 3 ? 1 : 0;
}
// Another parameter fewer than the list has entries.
__global__ void nothing() {}

static const Shader shaders[] = {diffuse, specular};
static Shader shaderOf(int material) { return shaders[material]; }

__global__ void start(Path *paths, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        paths[i].x = i % 7;
        paths[i].y = 0.5f * (i % 3);
        paths[i].z = 0;
        paths[i].bounces = 4;
    }
}

static Path *buffers[2] = {NULL, NULL};

int main() {
    const int n = 300;
    for (int k = 0; k < 2; ++k) {
        cudaMalloc(&buffers[k], n * sizeof(Path));
        start<<<(n + 127) / 128, 128>>>(buffers[k], n);
    }
    Light lights[3] = {{0, 1, 0.5f}, {2, 0, 0.25f}, {1, 1, 1}};
    Args args;
    args.n = n;
    args.scene.count = 3;
    cudaMalloc(&args.scene.lights, sizeof lights);
    cudaMemcpy(args.scene.lights, lights, sizeof lights, cudaMemcpyHostToDevice);
    void *list[] = {&args};
    for (int round = 0; round < 3; ++round) {
        args.paths = buffers[round % 2];
        for (int material = 0; material < 2; ++material) {
            Shader shader = shaderOf(material);
            cudaLaunchKernel(shader, dim3((n + 127) / 128), dim3(128), list, 0, nullptr);
        }
        shaders[0]<<<(n + 127) / 128, 128>>>(args);
        Shader last = shaders[1];
        last<<<(n + 127) / 128, 128>>>(args);
    }
    void (*idle)() = nothing;
    idle<<<1, 1>>>();
    Path host[n];
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
        cudaMemcpy(host, buffers[k], n * sizeof(Path), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) sum += host[i].x * (i % 5) + host[i].bounces;
        cudaFree(buffers[k]);
    }
    printf("%.3f\n", sum);
    cudaFree(args.scene.lights);
    return 0;
}
