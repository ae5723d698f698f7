/* CRLF line endings and letters beyond ASCII, größer als gedacht */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct
{
	float laenge;
	float breite;
	int nr;
} Feld;

#define OK(e) \
	if ((e) != CL_SUCCESS) \
	{ \
		printf("✗ line %d\n", __LINE__); \
		return 1; \
	}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 99, wrong = 0;
	if (n < 1)
	{
		printf("∅\nPASSED\n");
		return 0;
	}
	Feld *felder = (Feld *)malloc(n * sizeof(Feld));
	for (int i = 0; i < n; i++)
	{
		felder[i].laenge = 0.5f * i;
		felder[i].breite = 1.5f * i;
		felder[i].nr = i;
	}
	char text[2000] = "";
	const char *source = text;
	FILE *file = fopen("fields.cl", "rb");
	if (!file || !fread(text, 1, sizeof(text) - 1, file))
		return 1;
	fclose(file);

	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	OK(clGetPlatformIDs(1, &platform, NULL));
	OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	OK(err);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
	OK(err);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	OK(err);
	OK(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
	cl_kernel messen = clCreateKernel(program, "messen", &err);
	OK(err);
	cl_mem d_felder = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(Feld), NULL, &err);
	OK(err);
	OK(clEnqueueWriteBuffer(queue, d_felder, CL_TRUE, 0, n * sizeof(Feld), felder, 0, NULL, NULL));
	OK(clSetKernelArg(messen, 0, sizeof(cl_mem), &d_felder));
	OK(clSetKernelArg(messen, 1, sizeof(int), &n));
	size_t items = n;
	OK(clEnqueueNDRangeKernel(queue, messen, 1, NULL, &items, NULL, 0, NULL, NULL));
	OK(clEnqueueReadBuffer(queue, d_felder, CL_TRUE, 0, n * sizeof(Feld), felder, 0, NULL, NULL));

	double sum = 0;
	for (int i = 0; i < n; i++)
	{
		wrong += felder[i].laenge != 1.0f * i || felder[i].breite != 1.5f * i || felder[i].nr != n - i;
		sum += (i % 3 + 1) * felder[i].laenge + (i % 5 + 1) * felder[i].breite + (i % 7 + 1) * felder[i].nr;
	}
	printf("%d Felder → Größe %.1f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
	clReleaseMemObject(d_felder);
	clReleaseKernel(messen);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	free(felder);
	return wrong != 0;
}
