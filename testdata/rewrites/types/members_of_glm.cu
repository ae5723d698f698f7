//@ layouts = ["Ray = tiled(32)", "Ray = soa", "Ray = {origin t} align(16), {*} tiled(32)"]
// Members of a library's types stay whole: what takes them compiles as it is.
#include <cstdio>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
using glm::vec2;

struct Ray {
    glm::vec3 origin = {};
    glm::vec3 dir;
    float t;
    vec2 uv[2];
    glm::mat3 frame;
};

__host__ __device__ glm::vec3 at(const glm::vec3 &origin, const glm::vec3 &dir, float t)
{
    return origin + dir * t;
}

__device__ void turn(glm::vec3 &v)
{
    v = glm::vec3(v.y, v.z, v.x);
}

__global__ void advance(Ray *rays, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    rays[i].origin = at(rays[i].origin, rays[i].dir, dt);
    rays[i].origin.x += 0.5f;
    rays[i].dir = glm::normalize(rays[i].dir);
    rays[i].t += glm::dot(rays[i].origin, rays[i].dir) + rays[i].origin[1];
    rays[i].uv[1] = vec2(rays[i].t, rays[i].uv[0].y);
    turn(rays[i].dir);
    glm::vec3 d = rays[i].dir;
    d *= 2.0f;
    rays[i].dir += rays[i].frame * d;
    rays[i].frame[0][1] = d.z;
    Ray copy = rays[i];
    if (copy.t > 10.0f)
        rays[i].t = copy.origin.length();
}

int main()
{
    const int n = 100;
    Ray *h = new Ray[n];
    for (int i = 0; i < n; i++) {
        h[i].dir = glm::vec3(1, i, 2);
        h[i].t = 0;
        h[i].uv[0] = h[i].uv[1] = vec2(i, 1);
        h[i].frame = glm::mat3(1.0f);
    }
    Ray *d;
    cudaMalloc(&d, n * sizeof(Ray));
    cudaMemcpy(d, h, n * sizeof(Ray), cudaMemcpyHostToDevice);
    advance<<<1, 128>>>(d, n, 0.25f);
    cudaMemcpy(h, d, n * sizeof(Ray), cudaMemcpyDeviceToHost);
    cudaFree(d);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += h[i].origin.x + h[i].dir.y + h[i].t + h[i].uv[1].x + h[i].frame[0][1];
    printf("%.3f\n", sum);
    delete[] h;
    return 0;
}
