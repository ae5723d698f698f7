//! CUDA programs of any size, for the benches.
//!
//! A generated program is made of *parts* of about 100 lines, in turn: an array of structs with
//! three kernels and its host code, a stencil over a flat array, host code without a kernel. Each
//! part has its own names; `main` calls them all. The same size gives the same bytes, and nvcc
//! accepts the result.

use std::fmt::Write;

/// A program of about `lines` lines, never fewer than one part.
#[must_use]
pub fn program(lines: usize) -> String {
    let mut text = String::from(HEAD);
    let mut written = count(&text);
    let mut calls = String::new();
    for part in 0.. {
        let (template, call) = match part % 3 {
            0 => (RECORDS, "run_body_@"),
            1 => (STENCIL, "run_field_@"),
            _ => (HOST, "summarise_@"),
        };
        let next = template.replace('@', &part.to_string());
        text.push_str(&next);
        written += count(&next) + 1;
        // Writing into a `String` does not fail.
        let _ = writeln!(calls, "  total += {}(n);", call.replace('@', &part.to_string()));
        if written + count(TAIL) >= lines {
            break;
        }
    }
    text.push_str(&TAIL.replace("  @\n", &calls));
    text
}

fn count(text: &str) -> usize {
    text.lines().count()
}

const HEAD: &str = r#"// A generated program: particle systems, stencils and host code.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t status = (call);                                           \
    if (status != cudaSuccess) {                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

static const int kBlock = 128;

static int blocks_for(int n) { return (n + kBlock - 1) / kBlock; }

"#;

const RECORDS: &str = r#"// ---------------------------------------------------------------------
// Body@: a record with position, velocity and bookkeeping.
// ---------------------------------------------------------------------
struct Body@ {
  float x, y, z;     // position
  float vx, vy, vz;  // velocity
  float mass;
  int id;
};

__device__ float speed2_@(const Body@ &b) {
  return b.vx * b.vx + b.vy * b.vy + b.vz * b.vz;
}

__global__ void drift_@(Body@ *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].x += p[i].vx * dt;
  p[i].y += p[i].vy * dt;
  p[i].z += p[i].vz * dt;
}

/* The force of the next few bodies in index order; a real program
   would have a neighbour list here. */
__global__ void kick_@(Body@ *p, int n, float dt, int reach) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int k = 1; k <= reach; ++k) {
    int j = (i + k) % n;
    float dx = p[j].x - p[i].x;
    float dy = p[j].y - p[i].y;
    float dz = p[j].z - p[i].z;
    float d2 = dx * dx + dy * dy + dz * dz + 1e-4f;
    float w = p[j].mass / (d2 * sqrtf(d2));
    ax += dx * w;
    ay += dy * w;
    az += dz * w;
  }
  p[i].vx += ax * dt;
  p[i].vy += ay * dt;
  p[i].vz += az * dt;
}

__global__ void energy_@(const Body@ *p, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = 0.5f * p[i].mass * speed2_@(p[i]);
  }
}

static void fill_@(Body@ *h, int n) {
  for (int i = 0; i < n; ++i) {
    h[i].x = 0.01f * i;
    h[i].y = 0.02f * (i % 17);
    h[i].z = 0.03f * (i % 5);
    h[i].vx = h[i].vy = h[i].vz = 0.0f;
    h[i].mass = 1.0f + 0.1f * (i % 3);
    h[i].id = i;
  }
}

static double run_body_@(int n) {
  size_t bytes = n * sizeof(Body@);
  Body@ *h = (Body@ *)malloc(bytes);
  float *e = (float *)malloc(n * sizeof(float));
  fill_@(h, n);
  Body@ *d;
  float *de;
  CHECK(cudaMalloc((void **)&d, bytes));
  CHECK(cudaMalloc((void **)&de, n * sizeof(float)));
  CHECK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
  for (int step = 0; step < 4; ++step) {
    kick_@<<<blocks_for(n), kBlock>>>(d, n, 0.01f, 8);
    drift_@<<<blocks_for(n), kBlock>>>(d, n, 0.01f);
  }
  energy_@<<<blocks_for(n), kBlock>>>(d, de, n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(e, de, n * sizeof(float), cudaMemcpyDeviceToHost));
  double total = 0.0;
  for (int i = 0; i < n; ++i) {
    total += e[i] + h[i].x;
  }
  CHECK(cudaFree(d));
  CHECK(cudaFree(de));
  free(h);
  free(e);
  return total;
}

"#;

const STENCIL: &str = r#"// ---------------------------------------------------------------------
// A five-point stencil over a flat array.
// ---------------------------------------------------------------------
__global__ void smooth_@(const float *in, float *out, int nx, int ny, float k) {
  __shared__ float tile[18][18];
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  bool inside = x < nx && y < ny;
  if (inside) {
    tile[ty][tx] = in[y * nx + x];
    if (tx == 1) tile[ty][0] = x > 0 ? in[y * nx + x - 1] : 0.0f;
    if (ty == 1) tile[0][tx] = y > 0 ? in[(y - 1) * nx + x] : 0.0f;
    if (tx == 16) tile[ty][17] = x + 1 < nx ? in[y * nx + x + 1] : 0.0f;
    if (ty == 16) tile[17][tx] = y + 1 < ny ? in[(y + 1) * nx + x] : 0.0f;
  }
  __syncthreads();
  if (inside) {
    float centre = tile[ty][tx];
    float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
    out[y * nx + x] = centre + k * (around - 4.0f * centre);
  }
}

__global__ void scale_@(float *v, int n, float factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    v[i] *= factor;
  }
}

static double run_field_@(int n) {
  int nx = 64, ny = n / 64 + 1;
  size_t bytes = (size_t)nx * ny * sizeof(float);
  float *h = (float *)malloc(bytes);
  for (int i = 0; i < nx * ny; ++i) {
    h[i] = (float)((i * 7919) % 1000) / 1000.0f;
  }
  float *a, *b;
  CHECK(cudaMalloc((void **)&a, bytes));
  CHECK(cudaMalloc((void **)&b, bytes));
  CHECK(cudaMemcpy(a, h, bytes, cudaMemcpyHostToDevice));
  dim3 block(16, 16), grid((nx + 15) / 16, (ny + 15) / 16);
  for (int step = 0; step < 6; ++step) {
    smooth_@<<<grid, block>>>(a, b, nx, ny, 0.1f);
    float *swap = a;
    a = b;
    b = swap;
  }
  scale_@<<<32, kBlock>>>(a, nx * ny, 0.5f);
  CHECK(cudaMemcpy(h, a, bytes, cudaMemcpyDeviceToHost));
  double total = 0.0;
  for (int i = 0; i < nx * ny; ++i) {
    total += h[i];
  }
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  free(h);
  return total;
}

"#;

const HOST: &str = r#"// ---------------------------------------------------------------------
// Host code without a kernel: a histogram and a running mean.
// ---------------------------------------------------------------------
struct Histogram@ {
  int bins[32];
  double low, high;
  Histogram@(double from, double to) : low(from), high(to) {
    for (int i = 0; i < 32; ++i) bins[i] = 0;
  }
  void add(double value) {
    double at = (value - low) / (high - low) * 32.0;
    int bin = at < 0.0 ? 0 : at > 31.0 ? 31 : (int)at;
    bins[bin] += 1;
  }
  int fullest() const {
    int best = 0;
    for (int i = 1; i < 32; ++i) {
      if (bins[i] > bins[best]) best = i;
    }
    return best;
  }
};

static double noise_@(unsigned &state) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) / 16777216.0;
}

static void report_@(const char *title, const Histogram@ &h) {
  printf("%s\n", title);
  for (int i = 0; i < 32; ++i) {
    printf("  %2d %d%c", i, h.bins[i], i % 4 == 3 ? '\n' : ' ');
  }
}

static double summarise_@(int n) {
  unsigned state = 12345u + @u;
  Histogram@ h(0.0, 1.0);
  double mean = 0.0, square = 0.0;
  for (int i = 0; i < n; ++i) {
    double v = noise_@(state);
    switch (i % 4) {
      case 0: v = v * v; break;
      case 1: v = sqrt(v); break;
      case 2: v = 1.0 - v; break;
      default: break;
    }
    mean += v;
    square += v * v;
    h.add(v);
  }
  mean /= n;
  if (getenv("VERBOSE")) {
    report_@("histogram @", h);
  }
  return mean + sqrt(square / n - mean * mean) + h.fullest();
}

"#;

const TAIL: &str = r#"int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  double total = 0.0;
  @
  printf("%.6f\n", total);
  return 0;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvcc::{ARCH, Flags, Nvcc};

    #[test]
    fn sizes_are_as_asked() {
        for lines in [200, 2000, 20_000] {
            let written = program(lines).lines().count();
            assert!(written >= lines && written < lines + 150, "{lines}: {written}");
        }
    }

    #[test]
    fn nvcc_accepts_a_generated_program() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("generated.cu");
        std::fs::write(&file, program(600))?;
        Nvcc::find()?.compile_object(
            &file,
            &Flags::default(),
            ARCH,
            &folder.path().join("generated.o"),
        )
    }
}
