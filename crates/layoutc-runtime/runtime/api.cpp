// Errors, device queries, streams and events.
#include "state.hpp"

namespace layoutc_rt {
namespace {
cudaError_t last_error = cudaSuccess;
int current_device = 0;
long long clock_ticks = 0;
}  // namespace

cudaError_t fail(cudaError_t error) { return last_error = error; }
}  // namespace layoutc_rt

using namespace layoutc_rt;

struct CUstream_st {
    int id;
};
struct CUevent_st {
    bool recorded;
};

cudaError_t cudaGetLastError() {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}
cudaError_t cudaPeekAtLastError() { return last_error; }
const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define LAYOUTC_RT_ROW(value, name, text) case name: return text;
        LAYOUTC_RT_ERRORS(LAYOUTC_RT_ROW)
#undef LAYOUTC_RT_ROW
    }
    return "unrecognized error code";
}
const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define LAYOUTC_RT_ROW(value, name, text) case name: return #name;
        LAYOUTC_RT_ERRORS(LAYOUTC_RT_ROW)
#undef LAYOUTC_RT_ROW
    }
    return "unrecognized error code";
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaThreadSynchronize() { return cudaSuccess; }
cudaError_t cudaThreadExit() { return cudaSuccess; }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice); }
cudaError_t cudaGetDevice(int* device) {
    *device = current_device;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    // Every allocation is of the one pool, which is no more than a name.
    static char the_pool;
    *pool = (cudaMemPool_t)&the_pool;
    return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
    if (device != 0) return fail(cudaErrorInvalidDevice);
    cudaDeviceProp p{};
    strcpy(p.name, "layoutc CPU runtime");
    p.totalGlobalMem = (size_t)8 << 30;
    p.sharedMemPerBlock = 48 * 1024;
    p.sharedMemPerBlockOptin = kDynamicSharedLimit;
    p.sharedMemPerMultiprocessor = 228 * 1024;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.memPitch = 2147483647;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 2147483647;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.clockRate = 1000000;
    p.totalConstMem = 65536;
    p.major = 8;
    p.minor = 0;
    p.textureAlignment = 512;
    p.texturePitchAlignment = 32;
    p.deviceOverlap = 1;
    p.multiProcessorCount = 8;
    p.canMapHostMemory = 1;
    p.concurrentKernels = 1;
    p.asyncEngineCount = 1;
    p.unifiedAddressing = 1;
    p.memoryClockRate = 1000000;
    p.memoryBusWidth = 256;
    p.l2CacheSize = 4 << 20;
    p.maxThreadsPerMultiProcessor = 2048;
    p.maxBlocksPerMultiProcessor = 32;
    p.streamPrioritiesSupported = 1;
    p.managedMemory = 1;
    p.concurrentManagedAccess = 1;
    p.cooperativeLaunch = 1;
    p.maxTexture1D = p.maxTexture1DLinear = 1 << 17;
    *out = p;
    return cudaSuccess;
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* out, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error != cudaSuccess) return error;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: *out = p.maxThreadsPerBlock; break;
        case cudaDevAttrMaxBlockDimX: *out = p.maxThreadsDim[0]; break;
        case cudaDevAttrMaxBlockDimY: *out = p.maxThreadsDim[1]; break;
        case cudaDevAttrMaxBlockDimZ: *out = p.maxThreadsDim[2]; break;
        case cudaDevAttrMaxGridDimX: *out = p.maxGridSize[0]; break;
        case cudaDevAttrMaxGridDimY: *out = p.maxGridSize[1]; break;
        case cudaDevAttrMaxGridDimZ: *out = p.maxGridSize[2]; break;
        case cudaDevAttrMaxSharedMemoryPerBlock: *out = (int)p.sharedMemPerBlock; break;
        case cudaDevAttrTotalConstantMemory: *out = (int)p.totalConstMem; break;
        case cudaDevAttrWarpSize: *out = p.warpSize; break;
        case cudaDevAttrMaxPitch: *out = (int)p.memPitch; break;
        case cudaDevAttrMaxRegistersPerBlock: *out = p.regsPerBlock; break;
        case cudaDevAttrClockRate: *out = p.clockRate; break;
        case cudaDevAttrTextureAlignment: *out = (int)p.textureAlignment; break;
        case cudaDevAttrMultiProcessorCount: *out = p.multiProcessorCount; break;
        case cudaDevAttrMemoryClockRate: *out = p.memoryClockRate; break;
        case cudaDevAttrGlobalMemoryBusWidth: *out = p.memoryBusWidth; break;
        case cudaDevAttrL2CacheSize: *out = p.l2CacheSize; break;
        case cudaDevAttrMaxThreadsPerMultiProcessor: *out = p.maxThreadsPerMultiProcessor; break;
        case cudaDevAttrComputeCapabilityMajor: *out = p.major; break;
        case cudaDevAttrComputeCapabilityMinor: *out = p.minor; break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *out = (int)p.sharedMemPerMultiprocessor; break;
        case cudaDevAttrMaxRegistersPerMultiprocessor: *out = p.regsPerMultiprocessor; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: *out = (int)p.sharedMemPerBlockOptin; break;
        case cudaDevAttrMaxBlocksPerMultiprocessor: *out = p.maxBlocksPerMultiProcessor; break;
        case cudaDevAttrIntegrated:
        case cudaDevAttrComputeMode:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrPageableMemoryAccess: *out = 0; break;
        default: *out = 1; break;
    }
    return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t* out, cudaLimit) {
    *out = 8 << 20;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceCanAccessPeer(int* out, int, int) {
    *out = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return fail(cudaErrorPeerAccessUnsupported); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return fail(cudaErrorPeerAccessNotEnabled); }
cudaError_t cudaDriverGetVersion(int* out) {
    *out = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* out) {
    *out = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

// Work is done when it is issued, which is one of the orders that streams allow.
cudaError_t cudaStreamCreate(cudaStream_t* out) {
    *out = new CUstream_st{0};
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned) { return cudaStreamCreate(out); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned, int) { return cudaStreamCreate(out); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if ((uintptr_t)stream <= 2) return fail(cudaErrorInvalidResourceHandle);
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    function(data);
    return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t* out) {
    *out = new CUevent_st{false};
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned) { return cudaEventCreate(out); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    if (!event) return fail(cudaErrorInvalidResourceHandle);
    event->recorded = true;
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!start || !end || !start->recorded || !end->recorded) return fail(cudaErrorInvalidResourceHandle);
    *milliseconds = 1.0f;
    return cudaSuccess;
}

long long int layoutc_rt_device_clock() { return clock_ticks += 100; }
