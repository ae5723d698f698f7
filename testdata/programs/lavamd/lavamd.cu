/*
 * Particle potential and relocation within a cut-off: space is divided into boxes, and each particle
 * meets the particles of its own box and of the (at most 26) boxes around it.
 *
 * One block works on one box. The block stages the home box and one neighbour box at a time in shared memory.
 *
 * usage: lavamd [boxes along one edge]
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include "lavamd.h"

static void check(cudaError_t err, const char *what)
{
	if (err != cudaSuccess)
	{
		fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(err));
		exit(1);
	}
}

__global__ void md_kernel(fp alpha, int boxes, const box_t *d_box, const elem_t *d_rv, const fp *d_qv, elem_t *d_fv)
{
	int bx = blockIdx.x;
	int tx = threadIdx.x;
	int wtx = tx;

	if (bx < boxes)
	{
		fp a2 = 2.0 * alpha * alpha;

		// home box
		int first_i = d_box[bx].first;
		const elem_t *rA = &d_rv[first_i];
		elem_t *fA = &d_fv[first_i];
		__shared__ elem_t rA_shared[PAR_PER_BOX];

		// neighbour box
		__shared__ elem_t rB_shared[PAR_PER_BOX];
		__shared__ fp qB_shared[PAR_PER_BOX];

		while (wtx < PAR_PER_BOX)
		{
			rA_shared[wtx] = rA[wtx];
			wtx = wtx + THREADS;
		}
		wtx = tx;
		__syncthreads();

		for (int k = 0; k < (1 + d_box[bx].count); k++)
		{
			int pointer;
			if (k == 0)
				pointer = bx;
			else
				pointer = d_box[bx].near_boxes[k - 1].number;

			int first_j = d_box[pointer].first;
			const elem_t *rB = &d_rv[first_j];
			const fp *qB = &d_qv[first_j];

			while (wtx < PAR_PER_BOX)
			{
				rB_shared[wtx] = rB[wtx];
				qB_shared[wtx] = qB[wtx];
				wtx = wtx + THREADS;
			}
			wtx = tx;
			__syncthreads();

			while (wtx < PAR_PER_BOX)
			{
				for (int j = 0; j < PAR_PER_BOX; j++)
				{
					fp r2 = rA_shared[wtx].v + rB_shared[j].v - DOT(rA_shared[wtx], rB_shared[j]);
					fp u2 = a2 * r2;
					fp vij = exp(-u2);
					fp fs = 2 * vij;
					elem_t d;
					d.x = rA_shared[wtx].x - rB_shared[j].x;
					d.y = rA_shared[wtx].y - rB_shared[j].y;
					d.z = rA_shared[wtx].z - rB_shared[j].z;
					fA[wtx].v += qB_shared[j] * vij;
					fA[wtx].x += qB_shared[j] * (fs * d.x);
					fA[wtx].y += qB_shared[j] * (fs * d.y);
					fA[wtx].z += qB_shared[j] * (fs * d.z);
				}
				wtx = wtx + THREADS;
			}
			wtx = tx;
			__syncthreads();
		}
	}
}

static unsigned long long lcg_state = 7ull;

static fp next_tenth(void)
{
	lcg_state = lcg_state * 6364136223846793005ull + 1442695040888963407ull;
	return (fp)(1 + (lcg_state >> 33) % 10) / 10.0;
}

static void fill_boxes(box_t *box, int edge)
{
	int nh = 0;
	for (int i = 0; i < edge; i++)
		for (int j = 0; j < edge; j++)
			for (int k = 0; k < edge; k++)
			{
				box[nh].x = k;
				box[nh].y = j;
				box[nh].z = i;
				box[nh].number = nh;
				box[nh].first = nh * PAR_PER_BOX;
				box[nh].count = 0;
				for (int e = 0; e < 26; e++)
				{
					box[nh].near_boxes[e].number = -1;
					box[nh].near_boxes[e].first = -1;
				}
				for (int l = -1; l < 2; l++)
					for (int m = -1; m < 2; m++)
						for (int n = -1; n < 2; n++)
						{
							int z = i + l, y = j + m, x = k + n;
							if (z < 0 || y < 0 || x < 0 || z >= edge || y >= edge || x >= edge)
								continue;
							if (l == 0 && m == 0 && n == 0)
								continue;
							near_t *nb = &box[nh].near_boxes[box[nh].count];
							nb->number = (z * edge + y) * edge + x;
							nb->first = nb->number * PAR_PER_BOX;
							box[nh].count++;
						}
				nh++;
			}
}

static void reference(fp alpha, int boxes, const box_t *box, const elem_t *rv, const fp *qv, elem_t *fv)
{
	fp a2 = 2.0 * alpha * alpha;
	for (int b = 0; b < boxes; b++)
		for (int k = 0; k <= box[b].count; k++)
		{
			int first = k == 0 ? box[b].first : box[b].near_boxes[k - 1].first;
			for (int i = 0; i < PAR_PER_BOX; i++)
				for (int j = 0; j < PAR_PER_BOX; j++)
				{
					const elem_t *p = &rv[box[b].first + i];
					const elem_t *q = &rv[first + j];
					elem_t *f = &fv[box[b].first + i];
					fp vij = exp(-a2 * (p->v + q->v - DOT(*p, *q)));
					fp fs = 2 * vij * qv[first + j];
					f->v += qv[first + j] * vij;
					f->x += fs * (p->x - q->x);
					f->y += fs * (p->y - q->y);
					f->z += fs * (p->z - q->z);
				}
		}
}

static int far_apart(fp a, fp b)
{
	return !(fabs(a - b) <= 1e-9 * (1.0 + fabs(b)));
}

int main(int argc, char *argv[])
{
	int edge = 2;
	if (argc > 1)
		edge = atoi(argv[1]);
	if (edge < 0)
	{
		printf("usage: lavamd [boxes along one edge]\n");
		return 2;
	}

	fp alpha = 0.5;
	int boxes = edge * edge * edge;
	int space_elem = boxes * PAR_PER_BOX;
	long box_mem = boxes * (long)sizeof(box_t);
	long space_mem = space_elem * (long)sizeof(elem_t);
	long space_mem2 = space_elem * (long)sizeof(fp);

	box_t *box_cpu = (box_t *)malloc(box_mem + 1);
	elem_t *rv_cpu = (elem_t *)malloc(space_mem + 1);
	fp *qv_cpu = (fp *)malloc(space_mem2 + 1);
	elem_t *fv_cpu = (elem_t *)malloc(space_mem + 1);
	elem_t *fv_ref = (elem_t *)malloc(space_mem + 1);

	fill_boxes(box_cpu, edge);
	for (int i = 0; i < space_elem; i++)
	{
		rv_cpu[i].v = next_tenth();
		rv_cpu[i].x = next_tenth();
		rv_cpu[i].y = next_tenth();
		rv_cpu[i].z = next_tenth();
		qv_cpu[i] = next_tenth();
		fv_cpu[i].v = fv_cpu[i].x = fv_cpu[i].y = fv_cpu[i].z = 0;
		fv_ref[i] = fv_cpu[i];
	}

	box_t *d_box_gpu;
	elem_t *d_rv_gpu;
	fp *d_qv_gpu;
	elem_t *d_fv_gpu;
	check(cudaMalloc((void **)&d_box_gpu, box_mem), "allocate boxes");
	check(cudaMalloc((void **)&d_rv_gpu, space_mem), "allocate positions");
	check(cudaMalloc((void **)&d_qv_gpu, space_mem2), "allocate charges");
	check(cudaMalloc((void **)&d_fv_gpu, space_mem), "allocate forces");

	check(cudaMemcpy(d_box_gpu, box_cpu, box_mem, cudaMemcpyHostToDevice), "copy boxes");
	check(cudaMemcpy(d_rv_gpu, rv_cpu, space_mem, cudaMemcpyHostToDevice), "copy positions");
	check(cudaMemcpy(d_qv_gpu, qv_cpu, space_mem2, cudaMemcpyHostToDevice), "copy charges");
	check(cudaMemcpy(d_fv_gpu, fv_cpu, space_mem, cudaMemcpyHostToDevice), "clear forces");

	if (boxes > 0)
	{
		dim3 blocks(boxes, 1);
		dim3 threads(THREADS, 1);
		md_kernel<<<blocks, threads>>>(alpha, boxes, d_box_gpu, d_rv_gpu, d_qv_gpu, d_fv_gpu);
		check(cudaGetLastError(), "launch");
		check(cudaDeviceSynchronize(), "kernel");
	}

	check(cudaMemcpy(fv_cpu, d_fv_gpu, space_mem, cudaMemcpyDeviceToHost), "fetch forces");

	cudaFree(d_rv_gpu);
	cudaFree(d_qv_gpu);
	cudaFree(d_fv_gpu);
	cudaFree(d_box_gpu);

	reference(alpha, boxes, box_cpu, rv_cpu, qv_cpu, fv_ref);
	int wrong = 0;
	fp sum_v = 0, sum_f = 0;
	for (int i = 0; i < space_elem; i++)
	{
		if (far_apart(fv_cpu[i].v, fv_ref[i].v) || far_apart(fv_cpu[i].x, fv_ref[i].x) ||
		    far_apart(fv_cpu[i].y, fv_ref[i].y) || far_apart(fv_cpu[i].z, fv_ref[i].z))
			wrong++;
		sum_v += (i % 3 + 1) * fv_cpu[i].v;
		sum_f += (i % 11 + 1) * (fv_cpu[i].x + 2 * fv_cpu[i].y + 3 * fv_cpu[i].z);
	}
	printf("boxes %d particles %d\n", boxes, space_elem);
	printf("potential %.17e\nforce %.17e\n", sum_v, sum_f);
	for (int i = 0; i < space_elem; i += space_elem / 5 + 1)
		printf("%d: %.9e, %.9e, %.9e, %.9e\n", i, fv_cpu[i].v, fv_cpu[i].x, fv_cpu[i].y, fv_cpu[i].z);
	printf(wrong ? "FAILED\n" : "PASSED\n");

	free(fv_ref);
	free(fv_cpu);
	free(qv_cpu);
	free(rv_cpu);
	free(box_cpu);
	return wrong ? 1 : 0;
}
