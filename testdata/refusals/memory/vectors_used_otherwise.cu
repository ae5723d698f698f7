//@ layout = "* = soa"
#include <cuda_runtime.h>
#include <list>
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sequence.h>
#include <vector>
namespace detail {
struct Inner { float x, y; };
}
struct Listed { float x, y; };
struct Braces { float x, y; };
struct Compared { float x, y; bool operator==(const Compared &other) const { return x == other.x; } };
struct Erased { float x, y; };
struct Placed { float x, y; };
struct Read { float x, y; };
struct Sized { float x, y; };
struct Other { float x, y; };
struct Given { float x, y; };
struct Computed { float x, y; };
struct Compute {
    __device__ Computed operator()(int i) const { return Computed{(float)i, 1}; }
};
struct Made { float x, y; __host__ __device__ Made(float a, float b) : x(a), y(b) {} }; //~ LC0010 elements without a default constructor are not modelled in a vector
__global__ void step_inner(detail::Inner *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; } //~ LC0010 in the library the namespace of this type is another one
__global__ void step_listed(Listed *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_braces(Braces *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_compared(Compared *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_erased(Erased *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_placed(Placed *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_read(Read *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_sized(Sized *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_other(Other *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_given(Given *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_made(Made *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_computed(Computed *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
struct Fetched { float x, y; };
struct Mixed { float x, y; };
#define FETCH(vector, list) thrust::copy((vector).begin(), (vector).end(), (list).begin()) //~ LC0010 no definition of `copy` is found, and it may access the array
__global__ void step_fetched(Fetched *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_mixed(Mixed *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
template <class T> static std::vector<T> fetch(const thrust::device_vector<T> &v) {
    std::vector<T> h(v.size());
    thrust::copy(v.begin(), v.end(), h.begin()); //~ LC0010 a template copies between the vector and the host or calls an algorithm
    return h;
}
int main() {
    thrust::device_vector<Fetched> fetched(64);
    step_fetched<<<1, 64>>>(thrust::raw_pointer_cast(fetched.data()), 64);
    std::vector<Fetched> list_of_fetched = fetch(fetched);
    thrust::device_vector<Mixed> mixed(64);
    step_mixed<<<1, 64>>>(thrust::raw_pointer_cast(mixed.data()), 64);
    std::vector<Mixed> list_of_mixed(64);
    FETCH(mixed, list_of_mixed);
    thrust::device_vector<Computed> computed(64);
    auto first = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Compute());
    thrust::copy(first, first + 64, computed.begin()); //~ LC0010 what is copied into the vector is not seen to be in host memory
    step_computed<<<1, 64>>>(thrust::raw_pointer_cast(computed.data()), 64);
    thrust::device_vector<Made> made(64, Made(1, 2));
    step_made<<<1, 64>>>(thrust::raw_pointer_cast(made.data()), 64);
    thrust::device_vector<detail::Inner> inner(64);
    step_inner<<<1, 64>>>(thrust::raw_pointer_cast(inner.data()), 64);
    std::list<Listed> list(64);
    thrust::device_vector<Listed> listed(list.begin(), list.end()); //~ LC0010 this vector is made in a way that is not modelled
    step_listed<<<1, 64>>>(thrust::raw_pointer_cast(listed.data()), 64);
    thrust::device_vector<Braces> braces = {Braces{1, 2}, Braces{3, 4}}; //~ LC0010 this vector is made in a way that is not modelled
    step_braces<<<1, 64>>>(thrust::raw_pointer_cast(braces.data()), 2);
    thrust::device_vector<Compared> compared(64), same(compared);
    step_compared<<<1, 64>>>(thrust::raw_pointer_cast(compared.data()), 64);
    bool equal = compared == same; //~ LC0010 this operator of vectors is not modelled
    thrust::device_vector<Erased> erased(64);
    step_erased<<<1, 64>>>(thrust::raw_pointer_cast(erased.data()), 64);
    erased.erase(erased.begin()); //~ LC0010 this member of the vector is not modelled //~ LC0010 this place in the vector is used in a way that is not modelled
    thrust::device_vector<Placed> placed(64);
    auto place = placed.begin(); //~ LC0010 this place in the vector is used in a way that is not modelled
    step_placed<<<1, 64>>>(thrust::raw_pointer_cast(placed.data()), 64);
    thrust::device_vector<Read> read(64);
    step_read<<<1, 64>>>(thrust::raw_pointer_cast(read.data()), 64);
    Read first = read[0]; //~ LC0023 host code accesses an element in device memory
    thrust::device_vector<Sized> sized(64);
    step_sized<<<1, 64>>>(thrust::raw_pointer_cast(sized.data()), 64);
    thrust::device_vector<Given> given(64);
    thrust::device_vector<Other> other(given.begin(), given.end()); //~ LC0010 this place in the vector is used in a way that is not modelled //~ LC0010 this vector is made in a way that is not modelled
    step_other<<<1, 64>>>(thrust::raw_pointer_cast(other.data()), 64);
    step_given<<<1, 64>>>(thrust::raw_pointer_cast(given.data()), 64);
    return equal + (int)first.x + (int)sizeof(sized) + (place == placed.end()); //~ LC0010 this place in the vector is used in a way that is not modelled //~ LC0078 the size of the object that holds the array would change
}
