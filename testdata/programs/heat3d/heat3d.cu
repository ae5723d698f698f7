/*
 * heat3d - explicit heat conduction in a block of mixed materials
 *
 * Every voxel is a record: temperature now, temperature next, conductivity, heat capacity and a source.
 * The outermost voxels are held at their temperature.
 */

#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cstring>
#include <memory>

using real = double;

struct Voxel
{
	real  now;
	real  next;
	float conductivity;
	float capacity;
	float source;
	short material;
	bool  held;
};

struct Extent { int nx, ny, nz; };

static void require( cudaError_t status, const char* doing )
{
	if( status != cudaSuccess )
	{
		std::fprintf( stderr, "while %s: %s\n", doing, cudaGetErrorString( status ) );
		std::exit( 1 );
	}
}

__host__ __device__ inline int at( const Extent& e, int x, int y, int z )
{
	return ( z * e.ny + y ) * e.nx + x;
}

// Heat that flows from voxel b into voxel a.
__device__ inline real inflow( const Voxel& a, const Voxel& b )
{
	real k = 2.0 * a.conductivity * b.conductivity / ( a.conductivity + b.conductivity );
	return k * ( b.now - a.now );
}

__global__ void diffuse( Voxel* grid, Extent e, real dt )
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int z = blockIdx.z * blockDim.z + threadIdx.z;
	if( x >= e.nx || y >= e.ny || z >= e.nz )
		return;

	int idx = at( e, x, y, z );
	if( grid[idx].held )
	{
		grid[idx].next = grid[idx].now;
		return;
	}
	int plane = e.nx * e.ny;
	real heat = grid[idx].source;
	heat += inflow( grid[idx], grid[idx - 1] );
	heat += inflow( grid[idx], grid[idx + 1] );
	heat += inflow( grid[idx], grid[idx - e.nx] );
	heat += inflow( grid[idx], grid[idx + e.nx] );
	heat += inflow( grid[idx], grid[idx - plane] );
	heat += inflow( grid[idx], grid[idx + plane] );
	grid[idx].next = grid[idx].now + dt * heat / grid[idx].capacity;
}

__global__ void commit( Voxel* grid, int voxels )
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if( i < voxels )
		grid[i].now = grid[i].next;
}

static Voxel* uploadGrid( const Voxel* host, int voxels )
{
	Voxel* device = nullptr;
	require( cudaMalloc( &device, voxels * sizeof( Voxel ) ), "allocating the grid" );
	require( cudaMemcpy( device, host, voxels * sizeof( Voxel ), cudaMemcpyHostToDevice ), "uploading the grid" );
	return device;
}

static void simulate( Voxel* device, const Extent& e, int steps, real dt )
{
	const dim3 block( 16, 4, 2 );
	const dim3 blocks( ( e.nx + 15 ) / 16, ( e.ny + 3 ) / 4, ( e.nz + 1 ) / 2 );
	const int voxels = e.nx * e.ny * e.nz;
	for( int s = 0; s < steps; ++s )
	{
		diffuse<<< blocks, block >>>( device, e, dt );
		commit<<< ( voxels + 127 ) / 128, 128 >>>( device, voxels );
		require( cudaGetLastError(), "launching" );
	}
	require( cudaDeviceSynchronize(), "running" );
}

static void fillGrid( Voxel* grid, const Extent& e )
{
	unsigned lcg = 4711u;
	for( int z = 0; z < e.nz; ++z )
		for( int y = 0; y < e.ny; ++y )
			for( int x = 0; x < e.nx; ++x )
			{
				Voxel& v = grid[at( e, x, y, z )];
				lcg = lcg * 1664525u + 1013904223u;
				v.material = static_cast<short>( ( lcg >> 20 ) % 3u );
				v.conductivity = v.material == 0 ? 1.0f : v.material == 1 ? 0.25f : 4.0f;
				v.capacity = 2.0f + v.material;
				v.source = ( lcg >> 25 ) == 0 ? 10.0f : 0.0f;
				v.held = x == 0 || y == 0 || z == 0 || x == e.nx - 1 || y == e.ny - 1 || z == e.nz - 1;
				v.now = 20.0 + ( ( x + 2 * y + 3 * z ) % 10 );
				v.next = 0.0;
			}
}

static void referenceStep( Voxel* grid, const Extent& e, real dt )
{
	const int offsets[6] = { -1, 1, -e.nx, e.nx, -e.nx * e.ny, e.nx * e.ny };
	const int voxels = e.nx * e.ny * e.nz;
	for( int i = 0; i < voxels; ++i )
	{
		Voxel& v = grid[i];
		v.next = v.now;
		if( v.held )
			continue;
		real heat = v.source;
		for( int offset : offsets )
		{
			const Voxel& w = grid[i + offset];
			heat += 2.0 * v.conductivity * w.conductivity / ( v.conductivity + w.conductivity ) * ( w.now - v.now );
		}
		v.next += dt * heat / v.capacity;
	}
	for( int i = 0; i < voxels; ++i )
		grid[i].now = grid[i].next;
}

int main( int argc, char* argv[] )
{
	Extent e = { 13, 11, 9 };
	int steps = 5;
	if( argc > 1 ) e.nx = e.ny = e.nz = std::atoi( argv[1] );
	if( argc > 2 ) steps = std::atoi( argv[2] );
	if( e.nx < 0 ) { std::fprintf( stderr, "usage: heat3d [edge] [steps]\n" ); return 2; }

	const int voxels = e.nx * e.ny * e.nz;
	const real dt = 0.05;
	std::unique_ptr<Voxel[]> grid( new Voxel[voxels] );
	std::unique_ptr<Voxel[]> expected( new Voxel[voxels] );
	fillGrid( grid.get(), e );
	for( int i = 0; i < voxels; ++i )
		expected[i] = grid[i];

	if( voxels > 0 )
	{
		Voxel* device = uploadGrid( grid.get(), voxels );
		simulate( device, e, steps, dt );
		require( cudaMemcpy( grid.get(), device, voxels * sizeof( Voxel ), cudaMemcpyDeviceToHost ), "downloading" );
		require( cudaFree( device ), "freeing" );
	}
	for( int s = 0; s < steps; ++s )
		referenceStep( expected.get(), e, dt );

	int wrong = 0;
	double now = 0.0, next = 0.0, rest = 0.0;
	unsigned long long bits = 0; // of the temperatures: shows what the sums round away
	for( int i = 0; i < voxels; ++i )
	{
		const Voxel& a = grid[i];
		const Voxel& b = expected[i];
		if( !( std::fabs( a.now - b.now ) < 1e-9 ) || !( std::fabs( a.next - b.next ) < 1e-9 ) ||
		    a.conductivity != b.conductivity || a.capacity != b.capacity || a.source != b.source ||
		    a.material != b.material || a.held != b.held )
			++wrong;
		unsigned long long pair[2];
		std::memcpy( &pair[0], &a.now, sizeof( real ) );
		std::memcpy( &pair[1], &a.next, sizeof( real ) );
		bits = ( bits * 31 + pair[0] ) * 31 + pair[1];
		now += ( i % 7 + 1 ) * a.now;
		next += ( i % 11 + 1 ) * a.next;
		rest += ( i % 13 + 1 ) * ( a.conductivity + 2.0 * a.capacity + 3.0 * a.source + 4.0 * a.material + 5.0 * a.held );
	}
	std::printf( "%d x %d x %d voxels, %d steps\n", e.nx, e.ny, e.nz, steps );
	std::printf( "now %.17e next %.17e rest %.14e bits %016llx\n", now, next, rest, bits );
	std::printf( "%s\n", wrong ? "FAILED" : "PASSED" );
	return wrong ? 1 : 0;
}
