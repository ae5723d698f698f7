/* Only the first part of an array is copied: the buffer has room for more elements than are in use, and a
 * second copy fetches less than was sent. */
#include <stdio.h>
#include <stdlib.h>

struct Job
{
	long long id;
	int priority;
	float cost;
};

#define CAPACITY 2000

static int check(cudaError_t e) { if (e) fprintf(stderr, "%s\n", cudaGetErrorString(e)); return e != cudaSuccess; }

__global__ void schedule(Job *jobs, int used)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < used)
	{
		jobs[i].priority = (int)(jobs[i].id % 100) - jobs[i].priority;
		jobs[i].cost *= 2.0f;
	}
}

/* adds jobs behind those that the host has sent */
__global__ void spawn(Job *jobs, int used, int extra)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < extra)
	{
		jobs[used + i].id = 1000000 + i;
		jobs[used + i].priority = i % 7;
		jobs[used + i].cost = 0.5f * (i % 3);
	}
}

int main(int argc, char **argv)
{
	int used = argc > 1 ? atoi(argv[1]) : 1000;
	if (used < 0 || used > CAPACITY) { fprintf(stderr, "0 to %d jobs\n", CAPACITY); return 2; }
	int extra = used / 3;
	if (used + extra > CAPACITY) extra = CAPACITY - used;

	Job *jobs = (Job *)malloc(CAPACITY * sizeof(Job));
	Job *best = (Job *)malloc(CAPACITY * sizeof(Job));
	for (int i = 0; i < CAPACITY; i++)
	{
		jobs[i].id = i * 1000003LL;
		jobs[i].priority = i % 50;
		jobs[i].cost = (float)(i % 20);
		best[i].id = -7;
		best[i].priority = -7;
		best[i].cost = -7.0f;
	}

	Job *d_jobs;
	int bad = 0;
	bad += check(cudaMalloc((void **)&d_jobs, CAPACITY * sizeof(Job)));
	bad += check(cudaMemcpy(d_jobs, jobs, used * sizeof(Job), cudaMemcpyHostToDevice));
	if (used > 0) schedule<<<(used + 127) / 128, 128>>>(d_jobs, used);
	if (extra > 0) spawn<<<(extra + 127) / 128, 128>>>(d_jobs, used, extra);
	bad += check(cudaGetLastError());
	/* half of them, then all that exist */
	bad += check(cudaMemcpy(best, d_jobs, used / 2 * sizeof(Job), cudaMemcpyDeviceToHost));
	bad += check(cudaMemcpy(jobs, d_jobs, (used + extra) * sizeof(Job), cudaMemcpyDeviceToHost));
	bad += check(cudaFree(d_jobs));

	unsigned long long sum = 0;
	for (int i = 0; i < CAPACITY; i++)
	{
		long long id = i * 1000003LL;
		int priority = i % 50;
		float cost = (float)(i % 20);
		if (i < used)
		{
			priority = (int)(id % 100) - priority;
			cost *= 2.0f;
		}
		else if (i < used + extra)
		{
			id = 1000000 + (i - used);
			priority = (i - used) % 7;
			cost = 0.5f * ((i - used) % 3);
		}
		if (jobs[i].id != id || jobs[i].priority != priority || jobs[i].cost != cost) bad++;
		if (i < used / 2)
			bad += best[i].id != id || best[i].priority != priority || best[i].cost != cost;
		else
			bad += best[i].id != -7 || best[i].priority != -7 || best[i].cost != -7.0f;
		sum = sum * 31 + jobs[i].id;
		sum = sum * 31 + jobs[i].priority;
		sum = sum * 31 + (int)(4 * jobs[i].cost);
		sum = sum * 31 + best[i].priority;
	}
	printf("%d jobs and %d more: %016llx\n", used, extra, sum);
	printf("%s\n", bad ? "FAILED" : "PASSED");
	free(jobs);
	free(best);
	return bad != 0;
}
