#include "kernels.cuh"
#include "solver.cuh"

constexpr int kBlock = 64;

static int gridFor(int n) {
  return (n + kBlock - 1) / kBlock;
}

static int nextPowerOfTwo(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

__global__ void computeKeys(View<const Particle> particles, View<CellKey> keys, FluidParams params) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= keys.size()) return;
  if (i < particles.size()) {
    keys[i].cell = cellIndex(cellOf(particles[i].position, params), params);
    keys[i].particle = i;
  } else {
    keys[i] = CellKey{0xffffffffu, i};
  }
}

__device__ bool isBefore(const CellKey &a, const CellKey &b) {
  return a.cell < b.cell || (a.cell == b.cell && a.particle < b.particle);
}

__global__ void bitonicStep(View<CellKey> keys, int j, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int partner = i ^ j;
  if (i >= keys.size() || partner <= i) return;
  const bool ascending = (i & k) == 0;
  if (isBefore(keys[partner], keys[i]) == ascending) {
    const CellKey key = keys[i];
    keys[i] = keys[partner];
    keys[partner] = key;
  }
}

__global__ void reorder(View<const Particle> particles, View<const CellKey> keys, View<Particle> sorted,
                        View<CellRange> cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles.size()) return;
  sorted[i] = particles[keys[i].particle];
  const unsigned int cell = keys[i].cell;
  if (i == 0 || keys[i - 1].cell != cell) cells[cell].begin = i;
  if (i == particles.size() - 1 || keys[i + 1].cell != cell) cells[cell].end = i + 1;
}

__global__ void computeDensity(View<Particle> particles, View<const CellRange> cells, FluidParams params) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles.size()) return;
  Particle &self = particles[i];
  const int3 center = cellOf(self.position, params);
  float density = 0.0f;
  for (int z = -1; z <= 1; z++) {
    for (int y = -1; y <= 1; y++) {
      for (int x = -1; x <= 1; x++) {
        const int3 cell = make_int3(center.x + x, center.y + y, center.z + z);
        if (!insideGrid(cell, params)) continue;
        const CellRange range = cells[cellIndex(cell, params)];
        for (int j = range.begin; j < range.end; j++) {
          const float3 r = self.position - particles[j].position;
          density += params.mass * poly6(dot(r, r), params.smoothing);
        }
      }
    }
  }
  self.density = density;
  self.pressure = pressureOf(density, params);
}

template <class Range>
__device__ float3 sumForces(const View<Particle> &particles, const Range &range, int self, const FluidParams &params) {
  float3 force = make_float3(0.0f, 0.0f, 0.0f);
  for (int j = range.begin; j < range.end; j++) {
    if (j != self) force += pairForce(particles[self], particles[j], params);
  }
  return force;
}

__global__ void computeForces(View<Particle> particles, View<const CellRange> cells,
                              View<const BoundaryParticle> walls, FluidParams params) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles.size()) return;
  const int3 center = cellOf(particles[i].position, params);
  float3 force = make_float3(0.0f, 0.0f, 0.0f);
  for (int z = -1; z <= 1; z++) {
    for (int y = -1; y <= 1; y++) {
      for (int x = -1; x <= 1; x++) {
        const int3 cell = make_int3(center.x + x, center.y + y, center.z + z);
        if (insideGrid(cell, params)) force += sumForces(particles, cells[cellIndex(cell, params)], i, params);
      }
    }
  }
  for (int w = 0; w < walls.size(); w++) force += boundaryForce(particles[i], &walls[w], params);
  particles[i].force = force;
}

__global__ void advance(Particle *particles, int n, FluidParams params) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) integrate(particles[i], params);
}

__global__ void colour(View<const Particle> particles, View<float4> colours, float restDensity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles.size()) return;
  const float speed = length(particles[i].velocity);
  const float packed = particles[i].density / restDensity;
  colours[particles[i].id] = make_float4(fminf(speed, 1.0f), fminf(packed * 0.5f, 1.0f), 1.0f, 1.0f);
}

__global__ void sumEnergy(View<const Particle> particles, float mass, View<float> partial) {
  __shared__ float shared[kBlock];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float energy = 0.0f;
  if (i < particles.size()) {
    const float3 v = particles[i].velocity;
    energy = 0.5f * mass * dot(v, v);
  }
  shared[threadIdx.x] = energy;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = shared[0];
}

FluidSolver::FluidSolver(const FluidParams &params, const std::vector<Particle> &particles,
                         const std::vector<BoundaryParticle> &walls)
    : params_(params), particles_(particles), sorted_(static_cast<int>(particles.size())), walls_(walls),
      keys_(nextPowerOfTwo(static_cast<int>(particles.size()))),
      cells_(params.gridSize.x * params.gridSize.y * params.gridSize.z), colours_(particles_.size()),
      energy_(gridFor(particles_.size())) {}

void FluidSolver::sortKeys() {
  const int n = keys_.size();
  for (int k = 2; k <= n; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      bitonicStep<<<gridFor(n), kBlock>>>(keys_.view(), j, k);
      CUDA_CALL(cudaGetLastError());
    }
  }
}

void FluidSolver::buildGrid() {
  const DeviceArray<Particle> &particles = particles_;
  const DeviceArray<CellKey> &keys = keys_;
  computeKeys<<<gridFor(keys_.size()), kBlock>>>(particles.view(), keys_.view(), params_);
  CUDA_CALL(cudaGetLastError());
  sortKeys();
  cells_.fill(0);
  reorder<<<gridFor(particles.size()), kBlock>>>(particles.view(), keys.view(), sorted_.view(), cells_.view());
  CUDA_CALL(cudaGetLastError());
  particles_.swap(sorted_);
}

void FluidSolver::step() {
  const int n = particles_.size();
  if (n == 0) return;
  buildGrid();
  const View<const CellRange> cells = static_cast<const DeviceArray<CellRange> &>(cells_).view();
  const View<const BoundaryParticle> walls = static_cast<const DeviceArray<BoundaryParticle> &>(walls_).view();
  computeDensity<<<gridFor(n), kBlock>>>(particles_.view(), cells, params_);
  CUDA_CALL(cudaGetLastError());
  computeForces<<<gridFor(n), kBlock>>>(particles_.view(), cells, walls, params_);
  CUDA_CALL(cudaGetLastError());
  advance<<<gridFor(n), kBlock>>>(particles_.get(), n, params_);
  CUDA_CALL(cudaGetLastError());
  CUDA_CALL(cudaDeviceSynchronize());
}

std::vector<float4> FluidSolver::colours() {
  const DeviceArray<Particle> &particles = particles_;
  if (particles.size() > 0) {
    colour<<<gridFor(particles.size()), kBlock>>>(particles.view(), colours_.view(), params_.restDensity);
    CUDA_CALL(cudaGetLastError());
  }
  return colours_.toHost();
}

float FluidSolver::kineticEnergy() {
  const DeviceArray<Particle> &particles = particles_;
  if (particles.size() == 0) return 0.0f;
  sumEnergy<<<gridFor(particles.size()), kBlock>>>(particles.view(), params_.mass, energy_.view());
  CUDA_CALL(cudaGetLastError());
  float sum = 0.0f;
  for (float part : energy_.toHost()) sum += part;
  return sum;
}
