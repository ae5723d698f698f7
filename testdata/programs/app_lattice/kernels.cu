#include "kernels.h"

#include "d3q19.h"
#include "error.h"

#include <vector>

static const dim3 BLOCK(8, 4, 4);
static const int LINE = 96;

__constant__ Domain c_domain;

static dim3 gridOf(const Domain &domain) {
  return dim3((domain.nx + BLOCK.x - 1) / BLOCK.x, (domain.ny + BLOCK.y - 1) / BLOCK.y,
              (domain.nz + BLOCK.z - 1) / BLOCK.z);
}

__device__ bool insideObstacle(const Obstacle &obstacle, int x, int y, int z) {
  const float dx = x - obstacle.x, dy = y - obstacle.y, dz = z - obstacle.z;
  return dx * dx + dy * dy + dz * dz <= obstacle.radius * obstacle.radius;
}

__global__ void initialiseKernel(DeviceLattice lattice) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= c_domain.nx || y >= c_domain.ny || z >= c_domain.nz) return;
  int i = c_domain.index(x, y, z);
  Node *node = &lattice.nodes[i];
  node->flags = (y == 0 || y == c_domain.ny - 1) ? WALL : FLUID;
  for (int o = 0; o < lattice.obstacleCount; o++) {
    if (insideObstacle(lattice.obstacles[o], x, y, z)) node->flags |= OBSTACLE;
  }
  node->visits = 0;
  node->density = 1.0f;
  node->u[0] = node->u[1] = node->u[2] = 0.0f;
  float3 u = make_float3(node->flags == FLUID ? 0.02f : 0.0f, 0.0f, 0.0f);
  setEquilibrium(node->f, 1.0f, u);
  lattice.next[i] = *node;
}

__global__ void streamAndCollideKernel(DeviceLattice lattice) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= c_domain.nx || y >= c_domain.ny || z >= c_domain.nz) return;
  int i = c_domain.index(x, y, z);
  if (lattice.nodes[i].flags != FLUID) return;
  Node node;
  for (int q = 0; q < Q; q++) node.f[q] = pull(lattice.nodes, x, y, z, q, c_domain);
  node.flags = lattice.nodes[i].flags;
  node.visits = lattice.nodes[i].visits + 1;
  collide(node, c_domain);
  lattice.next[i] = node;
}

__global__ void probeKernel(Probe *probes, int count, const Node *nodes) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count) return;
  Probe &probe = probes[p];
  const Node *node = nodes + c_domain.index(probe.x, probe.y, probe.z);
  probe.density = rho(node->f);
  probe.velocity = velocity(node->f);
  probe.sum += probe.velocity.x;
}

__global__ void forceKernel(SurfaceLink *links, int count, const Node *nodes) {
  int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l >= count) return;
  const int q = links[l].direction;
  const float momentum = 2.0f * nodes[links[l].node].f[q];
  links[l].force[0] += momentum * cx(q);
  links[l].force[1] += momentum * cy(q);
  links[l].force[2] += momentum * cz(q);
}

__global__ void massKernel(const Node *nodes, int count, float *sums) {
  __shared__ float s_mass[LINE];
  float mass = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    if (nodes[i].flags == FLUID) mass += rho(nodes[i].f);
  }
  s_mass[threadIdx.x] = mass;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int t = 0; t < LINE; t++) sum += s_mass[t];
    sums[blockIdx.x] = sum;
  }
}

void setDomain(const Domain &domain) {
  cudaSafe(cudaMemcpyToSymbol(c_domain, &domain, sizeof(Domain)));
}

void initialise(const DeviceLattice &lattice, const Domain &domain) {
  initialiseKernel<<<gridOf(domain), BLOCK>>>(lattice);
  cudaSafe(cudaGetLastError());
}

void streamAndCollide(const DeviceLattice &lattice, const Domain &domain) {
  streamAndCollideKernel<<<gridOf(domain), BLOCK>>>(lattice);
  cudaSafe(cudaGetLastError());
}

void measure(const DeviceLattice &lattice, const Domain &) {
  if (lattice.probeCount > 0) {
    probeKernel<<<(lattice.probeCount + LINE - 1) / LINE, LINE>>>(lattice.probes, lattice.probeCount, lattice.nodes);
    cudaSafe(cudaGetLastError());
  }
  if (lattice.linkCount > 0) {
    forceKernel<<<(lattice.linkCount + LINE - 1) / LINE, LINE>>>(lattice.links, lattice.linkCount, lattice.nodes);
    cudaSafe(cudaGetLastError());
  }
}

double totalMass(const DeviceLattice &lattice) {
  const int blocks = 5;
  float *d_sums;
  cudaSafe(cudaMalloc((void **)&d_sums, blocks * sizeof(float)));
  massKernel<<<blocks, LINE>>>(lattice.nodes, lattice.nodeCount, d_sums);
  cudaSafe(cudaGetLastError());
  std::vector<float> sums(blocks);
  cudaSafe(cudaMemcpy(sums.data(), d_sums, blocks * sizeof(float), cudaMemcpyDeviceToHost));
  cudaSafe(cudaFree(d_sums));
  double mass = 0.0;
  for (float sum : sums) mass += sum;
  return mass;
}
