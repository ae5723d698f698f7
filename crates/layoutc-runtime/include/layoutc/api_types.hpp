// Types of the CUDA runtime API: errors, copy kinds, device properties, handles.
#pragma once

#include "vector_types.hpp"

#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

// One row an error: value, name, text, as cudaGetErrorString gives it.
#define LAYOUTC_RT_ERRORS(ROW) \
    ROW(0, cudaSuccess, "no error") \
    ROW(1, cudaErrorInvalidValue, "invalid argument") \
    ROW(2, cudaErrorMemoryAllocation, "out of memory") \
    ROW(3, cudaErrorInitializationError, "initialization error") \
    ROW(4, cudaErrorCudartUnloading, "driver shutting down") \
    ROW(5, cudaErrorProfilerDisabled, "profiler disabled") \
    ROW(6, cudaErrorProfilerNotInitialized, "profiler not initialized") \
    ROW(7, cudaErrorProfilerAlreadyStarted, "profiler already started") \
    ROW(8, cudaErrorProfilerAlreadyStopped, "profiler already stopped") \
    ROW(9, cudaErrorInvalidConfiguration, "invalid configuration argument") \
    ROW(12, cudaErrorInvalidPitchValue, "invalid pitch argument") \
    ROW(13, cudaErrorInvalidSymbol, "invalid device symbol") \
    ROW(16, cudaErrorInvalidHostPointer, "invalid host pointer") \
    ROW(17, cudaErrorInvalidDevicePointer, "invalid device pointer") \
    ROW(18, cudaErrorInvalidTexture, "invalid texture reference") \
    ROW(19, cudaErrorInvalidTextureBinding, "invalid texture binding") \
    ROW(20, cudaErrorInvalidChannelDescriptor, "invalid channel descriptor") \
    ROW(21, cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy") \
    ROW(22, cudaErrorAddressOfConstant, "address of constant") \
    ROW(23, cudaErrorTextureFetchFailed, "texture fetch failed") \
    ROW(24, cudaErrorTextureNotBound, "texture not bound") \
    ROW(25, cudaErrorSynchronizationError, "synchronization error") \
    ROW(26, cudaErrorInvalidFilterSetting, "invalid filter setting") \
    ROW(27, cudaErrorInvalidNormSetting, "invalid norm setting") \
    ROW(28, cudaErrorMixedDeviceExecution, "mixed device execution") \
    ROW(31, cudaErrorNotYetImplemented, "not yet implemented") \
    ROW(32, cudaErrorMemoryValueTooLarge, "memory value too large") \
    ROW(34, cudaErrorStubLibrary, "stub library") \
    ROW(35, cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version") \
    ROW(36, cudaErrorCallRequiresNewerDriver, "call requires newer driver") \
    ROW(37, cudaErrorInvalidSurface, "invalid surface") \
    ROW(43, cudaErrorDuplicateVariableName, "duplicate variable name") \
    ROW(44, cudaErrorDuplicateTextureName, "duplicate texture name") \
    ROW(45, cudaErrorDuplicateSurfaceName, "duplicate surface name") \
    ROW(46, cudaErrorDevicesUnavailable, "devices unavailable") \
    ROW(49, cudaErrorIncompatibleDriverContext, "incompatible driver context") \
    ROW(52, cudaErrorMissingConfiguration, "missing configuration") \
    ROW(53, cudaErrorPriorLaunchFailure, "prior launch failure") \
    ROW(65, cudaErrorLaunchMaxDepthExceeded, "launch max depth exceeded") \
    ROW(66, cudaErrorLaunchFileScopedTex, "launch file scoped tex") \
    ROW(67, cudaErrorLaunchFileScopedSurf, "launch file scoped surf") \
    ROW(68, cudaErrorSyncDepthExceeded, "sync depth exceeded") \
    ROW(69, cudaErrorLaunchPendingCountExceeded, "launch pending count exceeded") \
    ROW(98, cudaErrorInvalidDeviceFunction, "invalid device function") \
    ROW(100, cudaErrorNoDevice, "no CUDA-capable device is detected") \
    ROW(101, cudaErrorInvalidDevice, "invalid device ordinal") \
    ROW(102, cudaErrorDeviceNotLicensed, "device not licensed") \
    ROW(103, cudaErrorSoftwareValidityNotEstablished, "software validity not established") \
    ROW(127, cudaErrorStartupFailure, "startup failure") \
    ROW(200, cudaErrorInvalidKernelImage, "invalid kernel image") \
    ROW(201, cudaErrorDeviceUninitialized, "invalid device context") \
    ROW(205, cudaErrorMapBufferObjectFailed, "map buffer object failed") \
    ROW(206, cudaErrorUnmapBufferObjectFailed, "unmap buffer object failed") \
    ROW(207, cudaErrorArrayIsMapped, "array is mapped") \
    ROW(208, cudaErrorAlreadyMapped, "already mapped") \
    ROW(209, cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device") \
    ROW(210, cudaErrorAlreadyAcquired, "already acquired") \
    ROW(211, cudaErrorNotMapped, "not mapped") \
    ROW(212, cudaErrorNotMappedAsArray, "not mapped as array") \
    ROW(213, cudaErrorNotMappedAsPointer, "not mapped as pointer") \
    ROW(214, cudaErrorECCUncorrectable, "eccuncorrectable") \
    ROW(215, cudaErrorUnsupportedLimit, "unsupported limit") \
    ROW(216, cudaErrorDeviceAlreadyInUse, "device already in use") \
    ROW(217, cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices") \
    ROW(218, cudaErrorInvalidPtx, "invalid ptx") \
    ROW(219, cudaErrorInvalidGraphicsContext, "invalid graphics context") \
    ROW(220, cudaErrorNvlinkUncorrectable, "nvlink uncorrectable") \
    ROW(221, cudaErrorJitCompilerNotFound, "jit compiler not found") \
    ROW(222, cudaErrorUnsupportedPtxVersion, "unsupported ptx version") \
    ROW(223, cudaErrorJitCompilationDisabled, "jit compilation disabled") \
    ROW(224, cudaErrorUnsupportedExecAffinity, "unsupported exec affinity") \
    ROW(225, cudaErrorUnsupportedDevSideSync, "unsupported dev side sync") \
    ROW(226, cudaErrorContained, "contained") \
    ROW(300, cudaErrorInvalidSource, "invalid source") \
    ROW(301, cudaErrorFileNotFound, "file not found") \
    ROW(302, cudaErrorSharedObjectSymbolNotFound, "shared object symbol not found") \
    ROW(303, cudaErrorSharedObjectInitFailed, "shared object init failed") \
    ROW(304, cudaErrorOperatingSystem, "operating system") \
    ROW(400, cudaErrorInvalidResourceHandle, "invalid resource handle") \
    ROW(401, cudaErrorIllegalState, "illegal state") \
    ROW(402, cudaErrorLossyQuery, "lossy query") \
    ROW(500, cudaErrorSymbolNotFound, "symbol not found") \
    ROW(600, cudaErrorNotReady, "device not ready") \
    ROW(700, cudaErrorIllegalAddress, "an illegal memory access was encountered") \
    ROW(701, cudaErrorLaunchOutOfResources, "too many resources requested for launch") \
    ROW(702, cudaErrorLaunchTimeout, "the launch timed out and was terminated") \
    ROW(703, cudaErrorLaunchIncompatibleTexturing, "launch incompatible texturing") \
    ROW(704, cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled") \
    ROW(705, cudaErrorPeerAccessNotEnabled, "peer access has not been enabled") \
    ROW(708, cudaErrorSetOnActiveProcess, "set on active process") \
    ROW(709, cudaErrorContextIsDestroyed, "context is destroyed") \
    ROW(710, cudaErrorAssert, "device-side assert triggered") \
    ROW(711, cudaErrorTooManyPeers, "too many peers") \
    ROW(712, cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped") \
    ROW(713, cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region") \
    ROW(714, cudaErrorHardwareStackError, "hardware stack error") \
    ROW(715, cudaErrorIllegalInstruction, "illegal instruction") \
    ROW(716, cudaErrorMisalignedAddress, "misaligned address") \
    ROW(717, cudaErrorInvalidAddressSpace, "invalid address space") \
    ROW(718, cudaErrorInvalidPc, "invalid pc") \
    ROW(719, cudaErrorLaunchFailure, "unspecified launch failure") \
    ROW(720, cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch") \
    ROW(721, cudaErrorTensorMemoryLeak, "tensor memory leak") \
    ROW(800, cudaErrorNotPermitted, "operation not permitted") \
    ROW(801, cudaErrorNotSupported, "operation not supported") \
    ROW(802, cudaErrorSystemNotReady, "system not ready") \
    ROW(803, cudaErrorSystemDriverMismatch, "system driver mismatch") \
    ROW(804, cudaErrorCompatNotSupportedOnDevice, "compat not supported on device") \
    ROW(805, cudaErrorMpsConnectionFailed, "mps connection failed") \
    ROW(806, cudaErrorMpsRpcFailure, "mps rpc failure") \
    ROW(807, cudaErrorMpsServerNotReady, "mps server not ready") \
    ROW(808, cudaErrorMpsMaxClientsReached, "mps max clients reached") \
    ROW(809, cudaErrorMpsMaxConnectionsReached, "mps max connections reached") \
    ROW(810, cudaErrorMpsClientTerminated, "mps client terminated") \
    ROW(811, cudaErrorCdpNotSupported, "cdp not supported") \
    ROW(812, cudaErrorCdpVersionMismatch, "cdp version mismatch") \
    ROW(900, cudaErrorStreamCaptureUnsupported, "stream capture unsupported") \
    ROW(901, cudaErrorStreamCaptureInvalidated, "stream capture invalidated") \
    ROW(902, cudaErrorStreamCaptureMerge, "stream capture merge") \
    ROW(903, cudaErrorStreamCaptureUnmatched, "stream capture unmatched") \
    ROW(904, cudaErrorStreamCaptureUnjoined, "stream capture unjoined") \
    ROW(905, cudaErrorStreamCaptureIsolation, "stream capture isolation") \
    ROW(906, cudaErrorStreamCaptureImplicit, "stream capture implicit") \
    ROW(907, cudaErrorCapturedEvent, "captured event") \
    ROW(908, cudaErrorStreamCaptureWrongThread, "stream capture wrong thread") \
    ROW(909, cudaErrorTimeout, "timeout") \
    ROW(910, cudaErrorGraphExecUpdateFailure, "graph exec update failure") \
    ROW(911, cudaErrorExternalDevice, "external device") \
    ROW(912, cudaErrorInvalidClusterSize, "invalid cluster size") \
    ROW(913, cudaErrorFunctionNotLoaded, "function not loaded") \
    ROW(914, cudaErrorInvalidResourceType, "invalid resource type") \
    ROW(915, cudaErrorInvalidResourceConfiguration, "invalid resource configuration") \
    ROW(999, cudaErrorUnknown, "unknown error") \
    ROW(10000, cudaErrorApiFailureBase, "api failure base")

enum cudaError {
#define LAYOUTC_RT_ROW(value, name, text) name = value,
    LAYOUTC_RT_ERRORS(LAYOUTC_RT_ROW)
#undef LAYOUTC_RT_ROW
};
typedef enum cudaError cudaError_t;

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* userData);
typedef void (*cudaHostFn_t)(void* userData);

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum { cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2, cudaHostRegisterIoMemory = 4, cudaHostRegisterReadOnly = 8 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };
enum { cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16 };
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };

enum cudaFuncCache { cudaFuncCachePreferNone = 0, cudaFuncCachePreferShared = 1, cudaFuncCachePreferL1 = 2, cudaFuncCachePreferEqual = 3 };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault = 0, cudaSharedMemBankSizeFourByte = 1, cudaSharedMemBankSizeEightByte = 2 };
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 15
};
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100, cudaSharedmemCarveoutMaxL1 = 0 };
enum cudaLimit { cudaLimitStackSize = 0, cudaLimitPrintfFifoSize = 1, cudaLimitMallocHeapSize = 2, cudaLimitDevRuntimeSyncDepth = 3, cudaLimitDevRuntimePendingLaunchCount = 4, cudaLimitMaxL2FetchGranularity = 5, cudaLimitPersistingL2CacheSize = 6 };
enum cudaComputeMode { cudaComputeModeDefault = 0, cudaComputeModeExclusive = 1, cudaComputeModeProhibited = 2, cudaComputeModeExclusiveProcess = 3 };
enum cudaMemoryType { cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2, cudaMemoryTypeManaged = 3 };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy };

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };
typedef struct cudaArray* cudaArray_t;
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};
static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
    struct cudaExtent e = {w, h, d};
    return e;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos p = {x, y, z};
    return p;
}
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void* d, size_t p, size_t xs, size_t ys) {
    struct cudaPitchedPtr q = {d, p, xs, ys};
    return q;
}

typedef struct cudaUUID_t { char bytes[16]; } cudaUUID_t;
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DLinear, maxTexture2D[2], maxTexture2DLinear[3], maxTexture3D[3];
    int maxTexture1DLayered[2], maxTexture2DLayered[3];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX = 2, cudaDevAttrMaxBlockDimY = 3, cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5, cudaDevAttrMaxGridDimY = 6, cudaDevAttrMaxGridDimZ = 7, cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9, cudaDevAttrWarpSize = 10, cudaDevAttrMaxPitch = 11, cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13, cudaDevAttrTextureAlignment = 14, cudaDevAttrGpuOverlap = 15, cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrIntegrated = 18, cudaDevAttrCanMapHostMemory = 19, cudaDevAttrComputeMode = 20, cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32, cudaDevAttrMemoryClockRate = 36, cudaDevAttrGlobalMemoryBusWidth = 37, cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39, cudaDevAttrAsyncEngineCount = 40, cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81, cudaDevAttrMaxRegistersPerMultiprocessor = 82, cudaDevAttrManagedMemory = 83,
    cudaDevAttrPageableMemoryAccess = 88, cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97, cudaDevAttrMaxBlocksPerMultiprocessor = 106, cudaDevAttrMemoryPoolsSupported = 115
};
