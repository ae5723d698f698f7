//! The rows.

use super::Api;
use super::Effect::{
    Advises, Allocates, AsksAboutKernel, BeginsCapture, CallsBack, Computes, Copies, Describes,
    EndsCapture, Fills, Frees, ReturnsMemory, SelectsDevice, TellsAddress,
};
use super::Role::{
    Bytes, Direction, From, FromPitch, HandedOn, Memory, Other, PitchAddress, PointerAddress,
    Stream, Symbol, To, ToPitch,
};
use super::{Effect, Role, Row, Space, Target};

/// A function of the CUDA runtime whose calls are rewritten.
const fn cuda(
    api: Api,
    spellings: &'static [(Target, &'static str)],
    effect: Effect,
    roles: &'static [Role],
    required: usize,
) -> Row {
    Row { spellings, effect, roles, required, api: Some(api) }
}

/// A function that is known, and not rewritten.
const fn known(
    spellings: &'static [(Target, &'static str)],
    effect: Effect,
    roles: &'static [Role],
    required: usize,
) -> Row {
    Row { spellings, effect, roles, required, api: None }
}

/// A function of the C library that takes numbers, or pointers to what it does not hold on to.
const fn computes(spelling: &'static [(Target, &'static str)]) -> Row {
    known(spelling, Computes, &[], 0)
}

/// Copies of the driver: what is device memory is in the name.
const DRIVER_COPIES: &[(Target, &str)] = &[
    (Target::Cuda, "cuMemcpy"),
    (Target::Cuda, "cuMemcpyHtoD"),
    (Target::Cuda, "cuMemcpyHtoD_v2"),
    (Target::Cuda, "cuMemcpyDtoH"),
    (Target::Cuda, "cuMemcpyDtoH_v2"),
    (Target::Cuda, "cuMemcpyDtoD"),
    (Target::Cuda, "cuMemcpyDtoD_v2"),
];

/// The same on a stream.
const DRIVER_COPIES_ON_STREAMS: &[(Target, &str)] = &[
    (Target::Cuda, "cuMemcpyAsync"),
    (Target::Cuda, "cuMemcpyHtoDAsync"),
    (Target::Cuda, "cuMemcpyHtoDAsync_v2"),
    (Target::Cuda, "cuMemcpyDtoHAsync"),
    (Target::Cuda, "cuMemcpyDtoHAsync_v2"),
    (Target::Cuda, "cuMemcpyDtoDAsync"),
    (Target::Cuda, "cuMemcpyDtoDAsync_v2"),
];

/// All functions with rows.
pub(super) static ROWS: &[Row] = &[
    cuda(
        Api::Malloc,
        &[(Target::Cuda, "cudaMalloc")],
        Allocates(Space::Device),
        &[PointerAddress, Bytes],
        2,
    ),
    cuda(
        Api::Malloc,
        &[(Target::Cuda, "cudaMallocAsync")],
        Allocates(Space::Device),
        &[PointerAddress, Bytes, Stream],
        3,
    ),
    cuda(
        Api::MallocFromPool,
        &[(Target::Cuda, "cudaMallocFromPoolAsync")],
        Allocates(Space::Device),
        &[PointerAddress, Bytes, Other, Stream],
        4,
    ),
    cuda(
        Api::MallocManaged,
        &[(Target::Cuda, "cudaMallocManaged")],
        Allocates(Space::Managed),
        &[PointerAddress, Bytes, Other],
        2,
    ),
    cuda(
        Api::Prefetch,
        &[(Target::Cuda, "cudaMemPrefetchAsync")],
        Advises,
        &[Memory, Bytes, Other, Stream],
        3,
    ),
    cuda(
        Api::Advise,
        &[(Target::Cuda, "cudaMemAdvise")],
        Advises,
        &[Memory, Bytes, Other, Other],
        3,
    ),
    cuda(
        Api::Attach,
        &[(Target::Cuda, "cudaStreamAttachMemAsync")],
        Advises,
        &[Stream, Memory, Other, Other],
        2,
    ),
    cuda(Api::Free, &[(Target::Cuda, "cudaFree")], Frees, &[Memory], 1),
    cuda(Api::Free, &[(Target::Cuda, "cudaFreeAsync")], Frees, &[Memory, Stream], 2),
    cuda(Api::Memcpy, &[(Target::Cuda, "cudaMemcpy")], Copies, &[To, From, Bytes, Direction], 4),
    cuda(
        Api::Memcpy,
        &[(Target::Cuda, "cudaMemcpyAsync")],
        Copies,
        &[To, From, Bytes, Direction, Stream],
        4,
    ),
    cuda(
        Api::Memcpy2D,
        &[(Target::Cuda, "cudaMemcpy2D")],
        Copies,
        &[To, ToPitch, From, FromPitch, Bytes, Other, Direction],
        7,
    ),
    cuda(
        Api::Memcpy2D,
        &[(Target::Cuda, "cudaMemcpy2DAsync")],
        Copies,
        &[To, ToPitch, From, FromPitch, Bytes, Other, Direction, Stream],
        7,
    ),
    cuda(
        Api::MemcpyPeer,
        &[(Target::Cuda, "cudaMemcpyPeer")],
        Copies,
        &[To, Other, From, Other, Bytes],
        5,
    ),
    cuda(
        Api::MemcpyPeer,
        &[(Target::Cuda, "cudaMemcpyPeerAsync")],
        Copies,
        &[To, Other, From, Other, Bytes, Stream],
        5,
    ),
    cuda(
        Api::ToSymbol,
        &[(Target::Cuda, "cudaMemcpyToSymbol")],
        Copies,
        &[Symbol, From, Bytes, Other, Direction],
        3,
    ),
    cuda(
        Api::ToSymbol,
        &[(Target::Cuda, "cudaMemcpyToSymbolAsync")],
        Copies,
        &[Symbol, From, Bytes, Other, Direction, Stream],
        5,
    ),
    cuda(
        Api::FromSymbol,
        &[(Target::Cuda, "cudaMemcpyFromSymbol")],
        Copies,
        &[To, Symbol, Bytes, Other, Direction],
        3,
    ),
    cuda(
        Api::FromSymbol,
        &[(Target::Cuda, "cudaMemcpyFromSymbolAsync")],
        Copies,
        &[To, Symbol, Bytes, Other, Direction, Stream],
        5,
    ),
    cuda(
        Api::SymbolAddress,
        &[(Target::Cuda, "cudaGetSymbolAddress")],
        TellsAddress,
        &[PointerAddress, Symbol],
        2,
    ),
    cuda(Api::Memset, &[(Target::Cuda, "cudaMemset")], Fills, &[Memory, Other, Bytes], 3),
    cuda(
        Api::Memset,
        &[(Target::Cuda, "cudaMemsetAsync")],
        Fills,
        &[Memory, Other, Bytes, Stream],
        3,
    ),
    cuda(
        Api::MallocHost,
        &[(Target::Cuda, "cudaMallocHost")],
        Allocates(Space::Host),
        &[PointerAddress, Bytes],
        2,
    ),
    cuda(
        Api::HostAlloc,
        &[(Target::Cuda, "cudaHostAlloc")],
        Allocates(Space::Host),
        &[PointerAddress, Bytes, Other],
        3,
    ),
    cuda(Api::FreeHost, &[(Target::Cuda, "cudaFreeHost")], Frees, &[Memory], 1),
    cuda(Api::LibraryFree, &[(Target::C, "free")], Frees, &[Memory], 1),
    cuda(Api::LibraryMemset, &[(Target::C, "memset")], Fills, &[Memory, Other, Bytes], 3),
    cuda(Api::LibraryMemcpy, &[(Target::C, "memcpy")], Copies, &[To, From, Bytes], 3),
    // Known, so that what they are given stays.
    known(
        &[(Target::Cuda, "cudaMallocPitch")],
        Allocates(Space::Device),
        &[PointerAddress, PitchAddress, Other, Other],
        4,
    ),
    known(&[(Target::Cuda, "cudaMalloc3D")], Allocates(Space::Device), &[PointerAddress, Other], 2),
    known(&[(Target::Cuda, "make_cudaPitchedPtr")], Describes, &[Memory, ToPitch, Other, Other], 4),
    known(&[(Target::Cuda, "cudaMemcpy3D")], Copies, &[Other], 1),
    known(&[(Target::Cuda, "cudaMemcpy3DAsync")], Copies, &[Other, Stream], 2),
    known(&[(Target::Cuda, "cudaMemset2D")], Fills, &[Memory, ToPitch, Other, Bytes, Other], 5),
    known(
        &[(Target::Cuda, "cudaMemset2DAsync")],
        Fills,
        &[Memory, ToPitch, Other, Bytes, Other, Stream],
        6,
    ),
    known(&[(Target::Cuda, "cudaLaunchHostFunc")], CallsBack, &[Stream, Other, HandedOn], 3),
    known(
        &[(Target::Cuda, "cudaStreamAddCallback")],
        CallsBack,
        &[Stream, Other, HandedOn, Other],
        4,
    ),
    known(&[(Target::Cuda, "cudaStreamBeginCapture")], BeginsCapture, &[Stream, Other], 2),
    known(&[(Target::Cuda, "cudaStreamBeginCaptureToGraph")], BeginsCapture, &[Stream], 1),
    known(&[(Target::Cuda, "cudaStreamEndCapture")], EndsCapture, &[Stream, Other], 2),
    known(&[(Target::Cuda, "cuStreamBeginCapture")], BeginsCapture, &[Stream, Other], 2),
    known(&[(Target::Cuda, "cuStreamBeginCapture_v2")], BeginsCapture, &[Stream, Other], 2),
    known(&[(Target::Cuda, "cuStreamBeginCaptureToGraph")], BeginsCapture, &[Stream], 1),
    known(&[(Target::Cuda, "cuStreamEndCapture")], EndsCapture, &[Stream, Other], 2),
    known(&[(Target::Cuda, "cudaSetDevice")], SelectsDevice, &[Other], 1),
    known(&[(Target::Cuda, "cudaFuncGetAttributes")], AsksAboutKernel, &[], 0),
    known(&[(Target::Cuda, "cudaFuncGetName")], AsksAboutKernel, &[], 0),
    known(&[(Target::Cuda, "cudaFuncGetParamInfo")], AsksAboutKernel, &[], 0),
    known(&[(Target::Cuda, "cudaFuncSetAttribute")], AsksAboutKernel, &[], 0),
    known(&[(Target::Cuda, "cudaFuncSetCacheConfig")], AsksAboutKernel, &[], 0),
    known(&[(Target::Cuda, "cudaFuncSetSharedMemConfig")], AsksAboutKernel, &[], 0),
    known(&[(Target::Cuda, "cudaOccupancyAvailableDynamicSMemPerBlock")], AsksAboutKernel, &[], 0),
    known(
        &[(Target::Cuda, "cudaOccupancyMaxActiveBlocksPerMultiprocessor")],
        AsksAboutKernel,
        &[],
        0,
    ),
    known(
        &[(Target::Cuda, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")],
        AsksAboutKernel,
        &[],
        0,
    ),
    known(&[(Target::Cuda, "cudaOccupancyMaxActiveClusters")], AsksAboutKernel, &[], 0),
    known(&[(Target::Cuda, "cudaOccupancyMaxPotentialBlockSize")], AsksAboutKernel, &[], 0),
    known(
        &[(Target::Cuda, "cudaOccupancyMaxPotentialBlockSizeVariableSMem")],
        AsksAboutKernel,
        &[],
        0,
    ),
    known(
        &[(Target::Cuda, "cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags")],
        AsksAboutKernel,
        &[],
        0,
    ),
    known(
        &[(Target::Cuda, "cudaOccupancyMaxPotentialBlockSizeWithFlags")],
        AsksAboutKernel,
        &[],
        0,
    ),
    known(&[(Target::Cuda, "cudaOccupancyMaxPotentialClusterSize")], AsksAboutKernel, &[], 0),
    known(
        &[(Target::Cuda, "cuMemAlloc"), (Target::Cuda, "cuMemAlloc_v2")],
        Allocates(Space::Device),
        &[PointerAddress, Bytes],
        2,
    ),
    known(
        &[(Target::Cuda, "cuMemAllocPitch"), (Target::Cuda, "cuMemAllocPitch_v2")],
        Allocates(Space::Device),
        &[PointerAddress, PitchAddress, Other, Other, Other],
        5,
    ),
    known(
        &[(Target::Cuda, "cuMemAllocAsync")],
        Allocates(Space::Device),
        &[PointerAddress, Bytes, Stream],
        3,
    ),
    known(
        &[(Target::Cuda, "cuMemAllocFromPoolAsync")],
        Allocates(Space::Device),
        &[PointerAddress, Bytes, Other, Stream],
        4,
    ),
    known(
        &[(Target::Cuda, "cuMemAllocManaged")],
        Allocates(Space::Managed),
        &[PointerAddress, Bytes, Other],
        3,
    ),
    known(&[(Target::Cuda, "cuMemFree"), (Target::Cuda, "cuMemFree_v2")], Frees, &[Memory], 1),
    known(&[(Target::Cuda, "cuMemFreeAsync")], Frees, &[Memory, Stream], 2),
    known(DRIVER_COPIES, Copies, &[To, From, Bytes], 3),
    known(DRIVER_COPIES_ON_STREAMS, Copies, &[To, From, Bytes, Stream], 4),
    known(
        &[
            (Target::Cuda, "cuMemsetD8"),
            (Target::Cuda, "cuMemsetD8_v2"),
            (Target::Cuda, "cuMemsetD16"),
            (Target::Cuda, "cuMemsetD16_v2"),
            (Target::Cuda, "cuMemsetD32"),
            (Target::Cuda, "cuMemsetD32_v2"),
        ],
        Fills,
        // The last is a number of values of 1, 2 or 4 bytes.
        &[Memory, Other, Other],
        3,
    ),
    known(
        &[
            (Target::Cuda, "cuMemsetD8Async"),
            (Target::Cuda, "cuMemsetD16Async"),
            (Target::Cuda, "cuMemsetD32Async"),
        ],
        Fills,
        &[Memory, Other, Other, Stream],
        4,
    ),
    known(&[(Target::OpenCl, "clCreateBuffer")], Allocates(Space::Device), &[], 0),
    // The C library.
    known(&[(Target::C, "malloc")], ReturnsMemory, &[], 0),
    known(&[(Target::C, "calloc")], ReturnsMemory, &[], 0),
    known(&[(Target::C, "realloc")], ReturnsMemory, &[], 0),
    known(&[(Target::C, "aligned_alloc")], ReturnsMemory, &[], 0),
    known(&[(Target::C, "memalign")], ReturnsMemory, &[], 0),
    known(&[(Target::C, "_aligned_malloc")], ReturnsMemory, &[], 0),
    known(&[(Target::C, "strdup")], ReturnsMemory, &[], 0),
    known(&[(Target::C, "pthread_create")], CallsBack, &[Other, Other, Other, HandedOn], 4),
    // It comes back as it is, to be cast to its type.
    known(&[(Target::C, "glfwSetWindowUserPointer")], CallsBack, &[Other, HandedOn], 2),
    known(&[(Target::C, "thrd_create")], CallsBack, &[Other, Other, HandedOn], 3),
    known(&[(Target::C, "SDL_CreateThread")], CallsBack, &[Other, Other, HandedOn], 3),
    computes(&[(Target::C, "abs")]),
    computes(&[(Target::C, "assert")]),
    computes(&[(Target::C, "assign")]),
    computes(&[(Target::C, "atoi")]),
    computes(&[(Target::C, "exit")]),
    computes(&[(Target::C, "exp")]),
    computes(&[(Target::C, "expf")]),
    computes(&[(Target::C, "fabs")]),
    computes(&[(Target::C, "fabsf")]),
    computes(&[(Target::C, "fprintf")]),
    computes(&[(Target::C, "fread")]),
    computes(&[(Target::C, "fwrite")]),
    computes(&[(Target::C, "max")]),
    computes(&[(Target::C, "memcmp")]),
    computes(&[(Target::C, "memmove")]),
    computes(&[(Target::C, "min")]),
    computes(&[(Target::C, "pow")]),
    computes(&[(Target::C, "powf")]),
    computes(&[(Target::C, "printf")]),
    computes(&[(Target::C, "puts")]),
    computes(&[(Target::C, "reserve")]),
    computes(&[(Target::C, "resize")]),
    computes(&[(Target::C, "snprintf")]),
    computes(&[(Target::C, "sprintf")]),
    computes(&[(Target::C, "sqrt")]),
    computes(&[(Target::C, "sqrtf")]),
    computes(&[(Target::C, "to_string")]),
];

/// `cudaMemcpyToSymbol(pointer, &p, sizeof p)`, which only types tell from a copy of elements.
pub(super) static POINTER_TO_SYMBOL: Row =
    cuda(Api::PointerToSymbol, &[], Copies, &[Symbol, PointerAddress, Bytes], 3);

/// `cudaMemcpyFromSymbol(&p, pointer, sizeof p)`.
pub(super) static POINTER_FROM_SYMBOL: Row =
    cuda(Api::PointerFromSymbol, &[], Copies, &[PointerAddress, Symbol, Bytes], 3);
