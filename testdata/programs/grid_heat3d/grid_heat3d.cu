/*
 * heat equation in a box, 3-D, explicit (Jacobi), fixed temperature on the six faces
 *
 * One macro gives every index.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define IDX(x,y,z) (((z)*ny + (y))*nx + (x))

#define BX 32
#define BY 4
#define BZ 2

void checkCUDAError( const char *msg )
{
    cudaError_t err = cudaGetLastError();
    if( cudaSuccess != err )
    {
        fprintf( stderr, "Cuda error: %s: %s.\n", msg, cudaGetErrorString( err ) );
        exit( EXIT_FAILURE );
    }
}

__global__ void jacobi( const double *told, double *tnew, const double *source, int nx, int ny, int nz, double r )
{
    int x = threadIdx.x + blockIdx.x * BX;
    int y = threadIdx.y + blockIdx.y * BY;
    int z = threadIdx.z + blockIdx.z * BZ;

    if( x > 0 && x < nx-1 && y > 0 && y < ny-1 && z > 0 && z < nz-1 )
    {
        tnew[IDX(x,y,z)] = told[IDX(x,y,z)]
            + r * ( told[IDX(x-1,y,z)] + told[IDX(x+1,y,z)]
                  + told[IDX(x,y-1,z)] + told[IDX(x,y+1,z)]
                  + told[IDX(x,y,z-1)] + told[IDX(x,y,z+1)]
                  - 6.0 * told[IDX(x,y,z)] )
            + source[IDX(x,y,z)];
    }
    else if( x < nx && y < ny && z < nz )
        tnew[IDX(x,y,z)] = told[IDX(x,y,z)];
}

/* largest change along each line in x: one thread a line, a loop along it */
__global__ void change( const double *a, const double *b, double *line, int nx, int ny, int nz )
{
    int y = threadIdx.x + blockIdx.x * blockDim.x;
    int z = blockIdx.y;
    if( y < ny && z < nz )
    {
        double most = 0.0;
        for( int x = 0; x < nx; x++ )
        {
            double d = fabs( a[IDX(x,y,z)] - b[IDX(x,y,z)] );
            if( d > most ) most = d;
        }
        line[z*ny + y] = most;
    }
}

static void reference( const double *told, double *tnew, const double *source, int nx, int ny, int nz, double r )
{
    for( int z = 0; z < nz; z++ )
        for( int y = 0; y < ny; y++ )
            for( int x = 0; x < nx; x++ )
            {
                int i = IDX(x,y,z);
                tnew[i] = told[i];
                if( x == 0 || y == 0 || z == 0 || x == nx-1 || y == ny-1 || z == nz-1 ) continue;
                tnew[i] += r * ( told[i-1] + told[i+1] + told[i-nx] + told[i+nx]
                               + told[i-nx*ny] + told[i+nx*ny] - 6.0 * told[i] ) + source[i];
            }
}

int main( int argc, char **argv )
{
    int nx = 19, ny = 13, nz = 9, steps = 7;
    if( argc > 1 ) nx = ny = nz = atoi( argv[1] );
    if( argc > 2 ) ny = atoi( argv[2] );
    if( argc > 3 ) nz = atoi( argv[3] );
    if( argc > 4 ) steps = atoi( argv[4] );
    if( nx < 0 || ny < 0 || nz < 0 || steps < 0 )
    {
        fprintf( stderr, "usage: %s [nx] [ny] [nz] [steps]\n", argv[0] );
        return 2;
    }

    const int n = nx * ny * nz;
    const double r = 0.125;
    size_t size = sizeof(double) * nx * ny * nz;
    double *temperature = (double *) malloc( size + 1 );
    double *source      = (double *) malloc( size + 1 );
    double *lines       = (double *) malloc( sizeof(double) * ny * nz + 1 );
    double *a           = (double *) malloc( size + 1 );
    double *b           = (double *) malloc( size + 1 );

    unsigned int seed = 12u;
    for( int z = 0; z < nz; z++ )
        for( int y = 0; y < ny; y++ )
            for( int x = 0; x < nx; x++ )
            {
                seed = seed * 1664525u + 1013904223u;
                temperature[IDX(x,y,z)] = 20.0 + ( x + 2*y + 3*z ) % 17;
                source[IDX(x,y,z)] = ( seed >> 24 ) < 20 ? 0.5 : 0.0;
                a[IDX(x,y,z)] = b[IDX(x,y,z)] = temperature[IDX(x,y,z)];
            }

    double *d_old, *d_new, *d_source, *d_lines;
    cudaMalloc( (void **) &d_old, size );
    cudaMalloc( (void **) &d_new, size );
    cudaMalloc( (void **) &d_source, size );
    cudaMalloc( (void **) &d_lines, sizeof(double) * ny * nz );
    checkCUDAError( "cudaMalloc" );
    cudaMemcpy( d_old, temperature, size, cudaMemcpyHostToDevice );
    cudaMemcpy( d_new, temperature, size, cudaMemcpyHostToDevice );
    cudaMemcpy( d_source, source, size, cudaMemcpyHostToDevice );
    checkCUDAError( "upload" );

    if( n > 0 )
    {
        dim3 block( BX, BY, BZ );
        dim3 grid( (nx + BX-1) / BX, (ny + BY-1) / BY, (nz + BZ-1) / BZ );
        for( int t = 0; t < steps; t++ )
        {
            jacobi<<<grid, block>>>( d_old, d_new, d_source, nx, ny, nz, r );
            double *d_tmp = d_old;
            d_old = d_new;
            d_new = d_tmp;
        }
        checkCUDAError( "jacobi" );
        change<<<dim3( (ny + 63) / 64, nz ), 64>>>( d_old, d_new, d_lines, nx, ny, nz );
        checkCUDAError( "change" );
    }

    cudaMemcpy( temperature, d_old, size, cudaMemcpyDeviceToHost );
    cudaMemcpy( lines, d_lines, sizeof(double) * ny * nz, cudaMemcpyDeviceToHost );
    checkCUDAError( "download" );
    cudaFree( d_old );
    cudaFree( d_new );
    cudaFree( d_source );
    cudaFree( d_lines );

    for( int t = 0; t < steps; t++ )
    {
        reference( a, b, source, nx, ny, nz, r );
        double *tmp = a; a = b; b = tmp;
    }

    int wrong = 0;
    double sum = 0.0, largest = 0.0, lineSum = 0.0;
    unsigned long long bits = 0;
    for( int i = 0; i < n; i++ )
    {
        unsigned long long word;
        memcpy( &word, &temperature[i], sizeof word );
        bits = bits * 31 + word;
        if( !( fabs( temperature[i] - a[i] ) < 1e-9 ) ) wrong++;
        sum += ( i % 11 + 1 ) * temperature[i];
    }
    for( int i = 0; i < ny * nz && n > 0; i++ )
    {
        double most = 0.0;
        for( int x = 0; x < nx; x++ ) most = fmax( most, fabs( a[i*nx + x] - b[i*nx + x] ) );
        if( !( fabs( lines[i] - most ) < 1e-9 ) ) wrong++;
        largest = fmax( largest, lines[i] );
        lineSum += ( i % 5 + 1 ) * lines[i];
    }
    printf( "%d x %d x %d cells, %d steps\n", nx, ny, nz, steps );
    printf( "temperature %.14e change %.14e lines %.14e bits %016llx\n", sum, largest, lineSum, bits );
    printf( wrong ? "FAILED\n" : "PASSED\n" );

    free( temperature );
    free( source );
    free( lines );
    free( a );
    free( b );
    return wrong ? 1 : 0;
}
