//! What code generation writes for calls.

/// What codegen writes for a call on another layout. Functions that differ only by a stream are one; the row
/// says what a function does, and what its arguments are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Api {
    /// `cudaMalloc(&p, bytes)`.
    Malloc,
    /// `cudaMallocFromPoolAsync(&p, bytes, pool, stream)`.
    MallocFromPool,
    /// `cudaMallocManaged(&p, bytes)`.
    MallocManaged,
    /// `cudaMemPrefetchAsync(p, bytes, …)`.
    Prefetch,
    /// `cudaMemAdvise(p, bytes, …)`.
    Advise,
    /// `cudaStreamAttachMemAsync(stream, p, 0, …)`.
    Attach,
    /// `cudaFree(p)`.
    Free,
    /// `cudaMemcpy(to, from, bytes, kind)`.
    Memcpy,
    /// `cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind)`.
    Memcpy2D,
    /// `cudaMemcpyPeer(to, to_device, from, from_device, bytes)`.
    MemcpyPeer,
    /// `cudaMemcpyToSymbol(array, from, bytes, offset, kind)`.
    ToSymbol,
    /// `cudaMemcpyFromSymbol(to, array, bytes, offset, kind)`.
    FromSymbol,
    /// `cudaMemcpyToSymbol(pointer, &p, sizeof p)`.
    PointerToSymbol,
    /// `cudaMemcpyFromSymbol(&p, pointer, sizeof p)`.
    PointerFromSymbol,
    /// `cudaGetSymbolAddress(&p, array)`.
    SymbolAddress,
    /// `cudaMemset(p, value, bytes)`.
    Memset,
    /// `cudaMallocHost(&p, bytes)`.
    MallocHost,
    /// `cudaHostAlloc(&p, bytes, flags)`.
    HostAlloc,
    /// `cudaFreeHost(p)`.
    FreeHost,
    /// `free(p)` in host code.
    LibraryFree,
    /// `memset(p, value, bytes)` in host code.
    LibraryMemset,
    /// `memcpy(to, from, bytes)` in host code.
    LibraryMemcpy,
}
