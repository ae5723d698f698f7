// 2-D acoustic wave equation, second order in time and space, with a variable speed of sound, a point
// source and receivers along one row. Three time levels whose pointers rotate.
//
//   grid_wave2d [nx] [ny] [steps]
#include <cstdlib>
#include <cstdio>
#include <cstring>
#include <cmath>
#include <vector>

static inline void gpu(cudaError_t status, const char *where)
{
	if (status != cudaSuccess) {
		std::fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(status));
		std::exit(1);
	}
}

__global__ void step(const float *prev, const float *curr, float *next, const float *courant2, int nx, int ny)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= nx || y >= ny) return;

	int i = y*nx + x;
	if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1) {
		next[i] = 0.0f;     // fixed edge
		return;
	}
	float laplace = curr[i - 1] + curr[i + 1] + curr[i - nx] + curr[i + nx] - 4.0f * curr[i];
	next[i] = 2.0f * curr[i] - prev[i] + courant2[i] * laplace;
}

__global__ void excite(float *u, int nx, int sx, int sy, float amplitude)
{
	u[sy * nx + sx] += amplitude;
}

// what the receivers in one row hear at time t
__global__ void record(const float *u, float *seismogram, int nx, int row, int t)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	if (x < nx)
		seismogram[t * nx + x] = u[row * nx + x];
}

// potential and kinetic energy of every inner cell, for one sum on the host
__global__ void energy(const float *prev, const float *curr, float *e, int nx, int ny)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int j = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= nx || j >= ny) return;
	int k = j * nx + i;
	float v = curr[k] - prev[k];
	float gx = i < nx - 1 ? curr[k + 1] - curr[k] : 0.0f;
	float gy = j < ny - 1 ? curr[k + nx] - curr[k] : 0.0f;
	e[k] = 0.5f * (v * v + gx * gx + gy * gy);
}

static float ricker(int t)
{
	float a = 0.3f * (t - 4);
	return (1.0f - 2.0f * a * a) * expf(-a * a);
}

int main(int argc, char **argv)
{
	const int nx = argc > 1 ? std::atoi(argv[1]) : 53;
	const int ny = argc > 2 ? std::atoi(argv[2]) : (argc > 1 ? nx : 37);
	const int steps = argc > 3 ? std::atoi(argv[3]) : 12;
	if (nx < 0 || ny < 0 || steps < 0) { std::fprintf(stderr, "usage: grid_wave2d [nx] [ny] [steps]\n"); return 2; }

	const size_t cells = (size_t)nx * ny;
	const int sx = nx / 2, sy = ny / 3, row = ny / 2;
	std::vector<float> courant2(cells), u(cells), e(cells), heard((size_t)nx * steps);
	for (int y = 0; y < ny; y++)
		for (int x = 0; x < nx; x++)
			courant2[y * nx + x] = (y > ny / 2 ? 0.25f : 0.0625f) + 0.03125f * ((x * 5 + y * 3) % 4);

	if (cells > 0) {
		float *d_prev, *d_curr, *d_next, *d_courant2, *d_energy, *d_heard;
		gpu(cudaMalloc(&d_prev, cells * sizeof(float)), "cudaMalloc");
		gpu(cudaMalloc(&d_curr, cells * sizeof(float)), "cudaMalloc");
		gpu(cudaMalloc(&d_next, cells * sizeof(float)), "cudaMalloc");
		gpu(cudaMalloc(&d_courant2, cells * sizeof(float)), "cudaMalloc");
		gpu(cudaMalloc(&d_energy, cells * sizeof(float)), "cudaMalloc");
		gpu(cudaMalloc(&d_heard, (heard.size() + 1) * sizeof(float)), "cudaMalloc");
		gpu(cudaMemset(d_prev, 0, cells * sizeof(float)), "cudaMemset");
		gpu(cudaMemset(d_curr, 0, cells * sizeof(float)), "cudaMemset");
		gpu(cudaMemset(d_next, 0, cells * sizeof(float)), "cudaMemset");
		gpu(cudaMemcpy(d_courant2, courant2.data(), cells * sizeof(float), cudaMemcpyHostToDevice), "upload");

		const dim3 threads(32, 8);
		const dim3 blocks((nx + threads.x - 1) / threads.x, (ny + threads.y - 1) / threads.y);
		for (int t = 0; t < steps; t++) {
			excite<<<1, 1>>>(d_curr, nx, sx, sy, ricker(t));
			step<<<blocks, threads>>>(d_prev, d_curr, d_next, d_courant2, nx, ny);
			record<<<(nx + 127) / 128, 128>>>(d_next, d_heard, nx, row, t);
			gpu(cudaGetLastError(), "launch");
			float *oldest = d_prev;
			d_prev = d_curr;
			d_curr = d_next;
			d_next = oldest;
		}
		energy<<<blocks, threads>>>(d_prev, d_curr, d_energy, nx, ny);
		gpu(cudaDeviceSynchronize(), "kernels");

		gpu(cudaMemcpy(u.data(), d_curr, cells * sizeof(float), cudaMemcpyDeviceToHost), "download");
		gpu(cudaMemcpy(e.data(), d_energy, cells * sizeof(float), cudaMemcpyDeviceToHost), "download");
		gpu(cudaMemcpy(heard.data(), d_heard, heard.size() * sizeof(float), cudaMemcpyDeviceToHost), "download");
		cudaFree(d_prev);
		cudaFree(d_curr);
		cudaFree(d_next);
		cudaFree(d_courant2);
		cudaFree(d_energy);
		cudaFree(d_heard);
	}

	std::vector<double> prev(cells), curr(cells), next(cells);
	int wrong = 0;
	for (int t = 0; t < steps && cells > 0; t++) {
		curr[(size_t)sy * nx + sx] += ricker(t);
		for (int y = 1; y < ny - 1; y++)
			for (int x = 1; x < nx - 1; x++) {
				const size_t i = (size_t)y * nx + x;
				next[i] = 2.0 * curr[i] - prev[i]
				        + courant2[i] * (curr[i - 1] + curr[i + 1] + curr[i - nx] + curr[i + nx] - 4.0 * curr[i]);
			}
		for (int x = 0; x < nx; x++)
			if (!(std::fabs(heard[(size_t)t * nx + x] - next[(size_t)row * nx + x]) < 1e-4)) wrong++;
		prev.swap(curr);
		curr.swap(next);
		for (int x = 0; x < nx; x++) next[x] = next[(size_t)(ny - 1) * nx + x] = 0.0;
		for (int y = 0; y < ny; y++) next[(size_t)y * nx] = next[(size_t)y * nx + nx - 1] = 0.0;
	}

	for (int y = 0; y < ny; y++)
		for (int x = 0; x < nx; x++) {
			const size_t i = (size_t)y * nx + x;
			const double v = curr[i] - prev[i];
			const double gx = x < nx - 1 ? curr[i + 1] - curr[i] : 0.0, gy = y < ny - 1 ? curr[i + nx] - curr[i] : 0.0;
			if (!(std::fabs(e[i] - 0.5 * (v * v + gx * gx + gy * gy)) < 1e-4)) wrong++;
		}
	double total = 0.0, field = 0.0, trace = 0.0;
	unsigned int bits = 0;
	for (size_t i = 0; i < cells; i++) {
		unsigned int word;
		std::memcpy(&word, &u[i], sizeof word);
		bits = bits * 31u + word;
		if (!(std::fabs(u[i] - curr[i]) < 1e-4)) wrong++;
		field += (double)(i % 17 + 1) * u[i];
		total += e[i];
	}
	for (size_t i = 0; i < heard.size() && cells > 0; i++) trace += (double)(i % 7 + 1) * heard[i];
	std::printf("%d x %d cells, %d steps\n", nx, ny, steps);
	std::printf("field %.14e energy %.14e trace %.14e bits %08x\n", field, total, trace, bits);
	std::printf("%s\n", wrong ? "FAILED" : "PASSED");
	return wrong ? 1 : 0;
}
