/* Local pointers to one element: T *q = &p[i], T *q = p + i, const T *, reassigned inside a loop. */
#include <stdio.h>
#include <stdlib.h>

typedef struct node_s {
    int key;
    int next;      /* index of the next node, -1 at the end */
    float cost;
    float best;
} node_t;

static void die(cudaError_t e) {
    if (e != cudaSuccess) { printf("cuda: %s\n", cudaGetErrorString(e)); exit(1); }
}

__global__ void relabel(node_t *nodes, int n) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    if (tid < n) {
        node_t *q = &nodes[tid];
        q->key = q->key * 3 + 1;
        q->best = q->cost;
    }
}

__global__ void raise_cost(node_t *nodes, int n) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    node_t *q = nodes + tid;
    if (tid < n) {
        if (q->key % 2)
            q->cost += 0.5f;
        else
            q->cost -= 0.25f;
    }
}

/* follow the chain from each node for at most `hops` steps */
__global__ void follow(const node_t *nodes, int n, int hops, float *sum, int *last) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    if (tid >= n) return;
    const node_t *q = &nodes[tid];
    float s = q->cost;
    for (int h = 0; h < hops && q->next >= 0; h++) {
        q = &nodes[q->next];
        s += q->cost;
    }
    sum[tid] = s;
    last[tid] = q->key;
}

int main(int argc, char **argv) {
    int n = 777, hops = 5;
    if (argc > 1) n = atoi(argv[1]);
    if (n < 1) { printf("nothing to do\nPASSED\n"); return 0; }

    node_t *h_nodes = (node_t *)malloc(n * sizeof(node_t));
    node_t *ref = (node_t *)malloc(n * sizeof(node_t));
    float *h_sum = (float *)malloc(n * sizeof(float));
    int *h_last = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) {
        h_nodes[i].key = i;
        h_nodes[i].next = i % 10 == 9 ? -1 : (i * 7 + 3) % n;
        h_nodes[i].cost = (float)(i % 50);
        h_nodes[i].best = -1.0f;
        ref[i] = h_nodes[i];
        ref[i].key = ref[i].key * 3 + 1;
        ref[i].best = ref[i].cost;
        ref[i].cost += ref[i].key % 2 ? 0.5f : -0.25f;
    }

    node_t *d_nodes;
    float *d_sum;
    int *d_last;
    die(cudaMalloc((void **)&d_nodes, n * sizeof(node_t)));
    die(cudaMalloc((void **)&d_sum, n * sizeof(float)));
    die(cudaMalloc((void **)&d_last, n * sizeof(int)));
    die(cudaMemcpy(d_nodes, h_nodes, n * sizeof(node_t), cudaMemcpyHostToDevice));
    relabel<<<n / 100 + 1, 100>>>(d_nodes, n);
    raise_cost<<<n / 100 + 1, 100>>>(d_nodes, n);
    follow<<<n / 100 + 1, 100>>>(d_nodes, n, hops, d_sum, d_last);
    die(cudaGetLastError());
    die(cudaMemcpy(h_nodes, d_nodes, n * sizeof(node_t), cudaMemcpyDeviceToHost));
    die(cudaMemcpy(h_sum, d_sum, n * sizeof(float), cudaMemcpyDeviceToHost));
    die(cudaMemcpy(h_last, d_last, n * sizeof(int), cudaMemcpyDeviceToHost));
    die(cudaFree(d_nodes));
    die(cudaFree(d_sum));
    die(cudaFree(d_last));

    int failures = 0;
    long long check = 0;
    double total = 0;
    for (int i = 0; i < n; i++) {
        int at = i;
        float s = ref[i].cost;
        for (int h = 0; h < hops && ref[at].next >= 0; h++) {
            at = ref[at].next;
            s += ref[at].cost;
        }
        if (h_sum[i] != s || h_last[i] != ref[at].key) failures++;
        if (h_nodes[i].key != ref[i].key || h_nodes[i].next != ref[i].next || h_nodes[i].cost != ref[i].cost ||
            h_nodes[i].best != ref[i].best) failures++;
        check = check * 31 % 1000003 + h_nodes[i].key + h_nodes[i].next + h_last[i];
        total += (i % 4 + 1) * (h_nodes[i].cost + h_nodes[i].best + h_sum[i]);
    }
    printf("nodes=%d keys=%lld total=%.4f\n", n, check, total);
    printf("%s\n", failures ? "FAILED" : "PASSED");
    free(h_nodes); free(ref); free(h_sum); free(h_last);
    return failures ? 1 : 0;
}
