// One struct type, two arrays that never meet: `d_agents` is streamed over, `d_sites` is gathered from as whole
// elements. Only the first one is given another layout, by its name. A device function is called with elements of both.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Entity {
    float x, y;
    float charge;
    int group;
};

static void guard(cudaError_t code) {
    if (code == cudaSuccess) return;
    std::printf("error: %s\n", cudaGetErrorString(code));
    std::exit(EXIT_FAILURE);
}

__device__ float potential(const Entity &e, float px, float py) {
    float dx = e.x - px, dy = e.y - py;
    return e.charge / (1.0f + dx * dx + dy * dy);
}

__global__ void drift(Entity *agents, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        agents[i].x += 0.5f;
        agents[i].y -= 0.25f;
    }
}

__global__ void visit(Entity *agents, int n, const Entity *sites, int m, const int *target, float *felt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Entity site = sites[target[i] % m];
    agents[i].charge += potential(site, agents[i].x, agents[i].y);
    agents[i].group = site.group;
    felt[i] = potential(agents[i], site.x, site.y);
}

__global__ void fade(Entity *sites, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        Entity s = sites[i];
        s.charge *= 0.5f;
        s.group += 7;
        sites[i] = s;
    }
}

static bool off(double a, double b) { return !(a - b < 1e-4 && b - a < 1e-4); }

int main(int argc, char **argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    const int m = n / 3 + 1;
    std::vector<Entity> agents(n), sites(m);
    std::vector<int> target(n);
    std::vector<float> felt(n);
    for (int i = 0; i < n; i++) {
        agents[i] = {0.125f * (i % 40), 0.25f * (i % 30), 1.0f + i % 4, -1};
        target[i] = i * 13;
    }
    for (int i = 0; i < m; i++) sites[i] = {0.5f * (i % 11), 0.5f * (i % 9), 2.0f + i % 3, i % 21};
    std::vector<Entity> a = agents, s = sites;

    Entity *d_agents, *d_sites;
    int *d_target;
    float *d_felt;
    guard(cudaMalloc(&d_agents, n * sizeof(Entity)));
    guard(cudaMalloc(&d_sites, m * sizeof(Entity)));
    guard(cudaMalloc(&d_target, n * sizeof(int)));
    guard(cudaMalloc(&d_felt, n * sizeof(float)));
    guard(cudaMemcpy(d_agents, agents.data(), n * sizeof(Entity), cudaMemcpyHostToDevice));
    guard(cudaMemcpy(d_sites, sites.data(), m * sizeof(Entity), cudaMemcpyHostToDevice));
    guard(cudaMemcpy(d_target, target.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    if (n > 0) {
        drift<<<(n + 127) / 128, 128>>>(d_agents, n);
        visit<<<(n + 127) / 128, 128>>>(d_agents, n, d_sites, m, d_target, d_felt);
    }
    fade<<<(m + 127) / 128, 128>>>(d_sites, m);
    guard(cudaGetLastError());
    guard(cudaMemcpy(agents.data(), d_agents, n * sizeof(Entity), cudaMemcpyDeviceToHost));
    guard(cudaMemcpy(sites.data(), d_sites, m * sizeof(Entity), cudaMemcpyDeviceToHost));
    guard(cudaMemcpy(felt.data(), d_felt, n * sizeof(float), cudaMemcpyDeviceToHost));
    guard(cudaFree(d_agents));
    guard(cudaFree(d_sites));
    guard(cudaFree(d_target));
    guard(cudaFree(d_felt));

    int wrong = 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const Entity &site = s[target[i] % m];
        a[i].x += 0.5f;
        a[i].y -= 0.25f;
        double dx = a[i].x - site.x, dy = a[i].y - site.y, r = 1.0 + dx * dx + dy * dy;
        double charge = a[i].charge + site.charge / r;
        if (agents[i].x != a[i].x || agents[i].y != a[i].y || off(agents[i].charge, charge) ||
            agents[i].group != site.group || off(felt[i], charge / r))
            wrong++;
        sum += (i % 3 + 1) * (agents[i].x + 2.0 * agents[i].y + 3.0 * agents[i].charge + agents[i].group + felt[i]);
    }
    for (int i = 0; i < m; i++) {
        if (sites[i].x != s[i].x || sites[i].y != s[i].y || sites[i].charge != 0.5f * s[i].charge ||
            sites[i].group != s[i].group + 7)
            wrong++;
        sum += (i % 5 + 1) * (sites[i].x + sites[i].y + sites[i].charge + sites[i].group);
    }
    std::printf("%d agents, %d sites: %.14e\n", n, m, sum);
    std::printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
