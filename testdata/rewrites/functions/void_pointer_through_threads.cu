//@ layouts = ["* = soa", "* = tiled(32)", "* = aos align(16)"]
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
struct P { int a, b, c; };
struct Plan { int n; void *d; P *out; };
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].c = p[i].a + p[i].b;
}
void upload(void *to, const void *from, size_t bytes) { cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice); }
void *worker(void *argument) {
    Plan *plan = (Plan *)argument;
    P *h = (P *)malloc(plan->n * sizeof(P));
    for (int i = 0; i < plan->n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    cudaMalloc(&plan->d, plan->n * sizeof(P));
    upload(plan->d, h, plan->n * sizeof(P));
    step<<<1, 128>>>((P *)plan->d, plan->n);
    cudaMemcpy(plan->out, plan->d, plan->n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(plan->d);
    free(h);
    return NULL;
}
void start(pthread_t *thread, void *(*what)(void *), void *data) { pthread_create(thread, NULL, what, data); }
int main() {
    Plan plan[2];
    pthread_t thread[2];
    for (int k = 0; k < 2; k++) {
        plan[k].n = 100 + k;
        plan[k].out = (P *)malloc(200 * sizeof(P));
        start(&thread[k], worker, &plan[k]);
        pthread_join(thread[k], NULL);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < plan[k].n; i++) printf("%d %d %d\n", plan[k].out[i].a, plan[k].out[i].b, plan[k].out[i].c);
    return 0;
}
