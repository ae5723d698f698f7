// Größen in Metern, Δt in Sekunden – комментарии и строки не только в ASCII. 粒子の更新 🚀
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* Ein Tröpfchen: r … Radius [µm], T … Temperatur [°C] */
struct Droplet {
  float r;      // Radius, µm
  float T;      // température, °C
  float height; // 高さ
  int age;      // возраст
};

static void prüfe(cudaError_t e) {
  if (e != cudaSuccess) {
    fprintf(stderr, "CUDA: „%s“\n", cudaGetErrorString(e));
    exit(1);
  }
}

// ∀ i: rᵢ ← rᵢ·(1 + ε),  hᵢ ← hᵢ − Δt·rᵢ
__global__ void falle(Droplet *tropfen, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    /* ä */ tropfen[i].r /* → wächst */ *= 1.5f;
    tropfen[i].height -= dt * tropfen[i].r; // ≤ 0 heißt: am Boden
    tropfen[i].T = tropfen[i].T < 0.0f ? -tropfen[i].T /* °C */ : tropfen[i].T;
    tropfen[i].age++;
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  if (n < 1) {
    printf("ø\nPASSED\n");
    return 0;
  }
  const float Δt = 0.25f;
  Droplet *h = (Droplet *)malloc(n * sizeof(Droplet));
  for (int i = 0; i < n; i++) {
    h[i].r = 1.0f + i % 16;
    h[i].T = i % 40 - 20.0f;
    h[i].height = 100.0f + i % 7;
    h[i].age = i;
  }

  Droplet *größe_d; // Name mit Umlaut
  prüfe(cudaMalloc((void **)&größe_d, n * sizeof(Droplet)));
  prüfe(cudaMemcpy(größe_d, h, n * sizeof(Droplet), cudaMemcpyHostToDevice)); // ⇒ Gerät
  falle<<<(n + 63) / 64, 64>>>(größe_d, n, Δt);
  prüfe(cudaGetLastError());
  prüfe(cudaMemcpy(h, größe_d, n * sizeof(Droplet), cudaMemcpyDeviceToHost)); // ⇐ zurück
  prüfe(cudaFree(größe_d));

  int falsch = 0;
  double summe = 0.0;
  for (int i = 0; i < n; i++) {
    float r = (1.0f + i % 16) * 1.5f;
    float T = i % 40 - 20.0f;
    if (h[i].r != r || h[i].T != (T < 0 ? -T : T) || h[i].height != 100.0f + i % 7 - Δt * r || h[i].age != i + 1)
      falsch++;
    summe += (i % 5 + 1) * (h[i].r + 2.0 * h[i].T + 3.0 * h[i].height + h[i].age);
  }
  printf("Σ über %d Tröpfchen: %.4f µm·°C\n", n, summe);
  printf("%s\n", falsch ? "FAILED ✗" : "PASSED ✓");
  free(h);
  return falsch ? 1 : 0;
}
