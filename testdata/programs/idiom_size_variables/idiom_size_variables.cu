// Sizes that are not written as n * sizeof(T) in the call: variables, constants, macros, sizeof of an
// expression, sizes computed in another function or in several steps.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

struct Token {
	int kind;
	int begin, end;
	float score;
};

#define TOKEN_SIZE sizeof(Token)
#define CUDA(x) do { if ((x) != cudaSuccess) { fprintf(stderr, #x "\n"); exit(1); } } while (0)

static size_t bytes_for(int count)
{
	return (size_t)count * sizeof(Token);
}

__global__ void rate(Token *tokens, int count, float bonus)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count) tokens[i].score = (tokens[i].end - tokens[i].begin) * bonus + tokens[i].kind;
}

__global__ void append(Token *tokens, const Token *more, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count) {
		tokens[i].end += more[i].end - more[i].begin;
		tokens[i].kind = more[i].kind * 10 + tokens[i].kind;
	}
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000;
	if (count < 0) return 2;

	const size_t one = sizeof(struct Token);
	size_t total = one;
	total *= count;
	const unsigned long again = count * TOKEN_SIZE;

	Token *first = (Token *)malloc(total + 1);
	Token *second = (Token *)malloc(again + 1);
	for (int i = 0; i < count; i++) {
		first[i].kind = i % 5;
		first[i].begin = i * 2;
		first[i].end = i * 2 + i % 9;
		first[i].score = -1.0f;
		second[i].kind = i % 3;
		second[i].begin = i;
		second[i].end = i + i % 4;
		second[i].score = 100.0f + i % 10;
	}

	Token *d_first, *d_second, *d_third;
	int blocks = count / 128 + 1;
	CUDA(cudaMalloc((void **)&d_first, total));
	CUDA(cudaMalloc((void **)&d_second, again));
	CUDA(cudaMalloc((void **)&d_third, bytes_for(count)));
	CUDA(cudaMemcpy(d_first, first, sizeof(*first) * count, cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(d_second, second, again, cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(d_third, second, bytes_for(count), cudaMemcpyHostToDevice));

	rate<<<blocks, 128>>>(d_first, count, 0.5f);
	append<<<blocks, 128>>>(d_first, d_second, count);
	append<<<blocks, 128>>>(d_third, d_first, count);
	CUDA(cudaGetLastError());

	Token *result = (Token *)malloc(2 * bytes_for(count) + 1);
	CUDA(cudaMemcpy(result, d_first, total, cudaMemcpyDeviceToHost));
	total = count * sizeof(*d_third);
	CUDA(cudaMemcpy(result + count, d_third, total, cudaMemcpyDeviceToHost));
	CUDA(cudaFree(d_first));
	CUDA(cudaFree(d_second));
	CUDA(cudaFree(d_third));

	int bad = 0;
	double sum = 0;
	for (int i = 0; i < count; i++) {
		Token a = first[i], b = second[i], c = second[i];
		a.score = (a.end - a.begin) * 0.5f + a.kind;
		a.end += b.end - b.begin;
		a.kind = b.kind * 10 + a.kind;
		c.end += a.end - a.begin;
		c.kind = a.kind * 10 + c.kind;
		const Token *x = &result[i], *y = &result[count + i];
		if (x->kind != a.kind || x->begin != a.begin || x->end != a.end || x->score != a.score) bad++;
		if (y->kind != c.kind || y->begin != c.begin || y->end != c.end || y->score != c.score) bad++;
		sum += (i % 7 + 1) * (x->kind + x->begin + x->end + x->score + y->kind + y->begin + 2.0 * y->end + y->score);
	}
	printf("%d tokens %.2f\n%s\n", count, sum, bad ? "FAILED" : "PASSED");
	free(first);
	free(second);
	free(result);
	return bad ? 1 : 0;
}
