@@ launch_error
// The error of the launch in front, if it had one: `before` is what the program has not asked for yet.
static inline cudaError_t launchError(cudaError_t before)
{
    const cudaError_t error = cudaPeekAtLastError();
    return error == before ? cudaSuccess : error;
}

@@ stage_bytes
// The size of a buffer for `n` records of `width` bytes: a power of two, up to 8 MB or one record.
static inline size_t stageBytes(size_t n, size_t width)
{
    size_t bytes = 1 << 16;
    while (bytes < width || (bytes < (1 << 23) && bytes / width < n))
        bytes *= 2;
    return bytes;
}

@@ stage
// Memory on the device for records on their way; fewer `bytes` than asked for where there is not enough.
static inline cudaError_t allocateStage(char **stage, size_t *bytes, size_t width)
{
    const cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaMalloc(stage, *bytes);
    // What the program has not asked for yet would be cleared as well.
    while (error == cudaErrorMemoryAllocation && before == cudaSuccess && *bytes > (1 << 16)
        && *bytes / 2 >= width) {
        (void)cudaGetLastError();
        *bytes /= 2;
        error = cudaMalloc(stage, *bytes);
    }
    return error;
}

@@ stage_kept
// Device memory that the copies of a thread share, one after the other.
struct RecordStage {
    char *stageMemory;
    size_t stageSize;
    int stageDevice;
};

// Those of this thread, by device.
static inline RecordStage *recordStages()
{
    static thread_local RecordStage stages[8];
    return stages;
}

// Frees them where the thread ends.
struct RecordStageEnd {
    ~RecordStageEnd()
    {
        for (int i = 0; i < 8; ++i) {
            RecordStage *own = recordStages() + i;
            if (own->stageMemory != NULL)
                cudaFree(own->stageMemory);
            own->stageMemory = NULL;
            own->stageSize = 0;
        }
    }
};

// The stage of this thread on the current device, made larger where it is too small for `chunk` records;
// `chunk` becomes what it takes at once.
static inline cudaError_t openStage(char **stage, size_t *chunk, size_t width)
{
    static thread_local RecordStageEnd end;
    (void)end;
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess)
        return error;
    RecordStage *own = recordStages() + device % 8;
    size_t bytes = stageBytes(*chunk, width);
    if (own->stageMemory == NULL || own->stageDevice != device || own->stageSize < bytes) {
        if (own->stageMemory != NULL)
            cudaFree(own->stageMemory);
        own->stageMemory = NULL;
        own->stageSize = 0;
        error = allocateStage(stage, &bytes, width);
        if (error != cudaSuccess)
            return error;
        own->stageMemory = *stage;
        own->stageSize = bytes;
        own->stageDevice = device;
    }
    *stage = own->stageMemory;
    *chunk = own->stageSize / width;
    return cudaSuccess;
}

@@ stage_each
// A stage for `chunk` records, which the copy frees; `chunk` becomes what it takes at once.
static inline cudaError_t openStage(char **stage, size_t *chunk, size_t width)
{
    size_t bytes = stageBytes(*chunk, width);
    const cudaError_t error = allocateStage(stage, &bytes, width);
    *chunk = bytes / width;
    return error;
}

@@ unpack
// Records to elements.
@staged // A block reads its records as words, side by side, and takes them apart in shared memory.
template <class Array>
static __global__ void unpackRecords(Array to, const typename Array::RecordType *from, size_t first,
    unsigned n)
{
    const unsigned block = Array::blockRecords, start = blockIdx.x * block, i = threadIdx.x;
@both     if (!Array::isStaged) {
@both         if (start + i < n)
@both             to.storeRecord(first + start + i, from[start + i]);
@both         return;
@both     }
@only_direct     if (start + i < n)
@only_direct         to.storeRecord(first + start + i, from[start + i]);
@staged     typedef typename Array::WordType T;
@staged     const size_t step = sizeof(*from) + Array::padWords * sizeof(T);
@only_staged     __shared__ T words[(Array::blockRecords * step + sizeof(T) - 1) / sizeof(T)];
@both     __shared__ T words[Array::isStaged ? (Array::blockRecords * step + sizeof(T) - 1) / sizeof(T) : 1];
@staged     const unsigned count = n - start < block ? n - start : block;
@staged     const unsigned end = (count * (unsigned)sizeof(*from) + sizeof(T) - 1) / sizeof(T);
@staged     for (unsigned at = i; at < end; at += block)
@staged         words[at + at / Array::recordWords * Array::padWords] = ((const T *)(from + start))[at];
@staged     __syncthreads();
@staged     if (i < count)
@staged         to.storeRecord(first + start + i,
@staged             *(const typename Array::RecordType *)((const char *)words + i * step));
}

@@ pack
// Elements to records.
@staged // A block puts its records together in shared memory, and writes them as words, side by side.
template <class Array>
static __global__ void packRecords(typename Array::RecordType *to, Array from, size_t first,
    unsigned n)
{
    const unsigned block = Array::blockRecords, start = blockIdx.x * block, i = threadIdx.x;
@both     if (!Array::isStaged) {
@both         if (start + i < n)
@both             to[start + i] = from.loadRecord(first + start + i);
@both         return;
@both     }
@only_direct     if (start + i < n)
@only_direct         to[start + i] = from.loadRecord(first + start + i);
@staged     typedef typename Array::WordType T;
@staged     const size_t step = sizeof(*to) + Array::padWords * sizeof(T);
@only_staged     __shared__ T words[(Array::blockRecords * step + sizeof(T) - 1) / sizeof(T)];
@both     __shared__ T words[Array::isStaged ? (Array::blockRecords * step + sizeof(T) - 1) / sizeof(T) : 1];
@staged     const unsigned count = n - start < block ? n - start : block;
@staged     if (i < count)
@staged         *(typename Array::RecordType *)((char *)words + i * step) = from.loadRecord(first + start + i);
@staged     __syncthreads();
@staged     const unsigned end = (count * (unsigned)sizeof(*to) + sizeof(T) - 1) / sizeof(T);
@staged     for (unsigned at = i; at < end; at += block)
@staged         ((T *)(to + start))[at] = words[at + at / Array::recordWords * Array::padWords];
}

@@ move
// Elements to elements.
template <class Array>
static __global__ void moveRecords(Array to, Array from, size_t to_at, size_t from_at, size_t n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        to.storeRecord(to_at + i, from.loadRecord(from_at + i));
}

@@ send
// Records of the host to elements from number `at` on, up to `chunk` of them at once.
template <class Array>
static inline cudaError_t sendRecords(Array to, const void *from, size_t bytes, size_t at,
    char *stage, size_t chunk, cudaStream_t stream)
{
    typedef typename Array::RecordType T;
    const unsigned block = Array::blockRecords;
    const size_t n = bytes / sizeof(T);
    const cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaSuccess;
    for (size_t first = 0; first < n && error == cudaSuccess; first += chunk) {
        const size_t count = n - first < chunk ? n - first : chunk;
        error = cudaMemcpyAsync(stage, (const T *)from + first, count * sizeof(T),
            cudaMemcpyHostToDevice, stream);
        if (error == cudaSuccess) {
            const unsigned blocks = (unsigned)((count + block - 1) / block);
            unpackRecords<<<blocks, block, 0, stream>>>(to, (const T *)stage, at + first, (unsigned)count);
            error = launchError(before);
        }
    }
@partial     const size_t rest = bytes % sizeof(T);
@partial     if (rest > 0 && error == cudaSuccess) { // the first bytes of one more record
@partial         packRecords<<<1, block, 0, stream>>>((T *)stage, to, at + n, 1);
@partial         error = launchError(before);
@partial         if (error == cudaSuccess)
@partial             error = cudaMemcpyAsync(stage, (const T *)from + n, rest, cudaMemcpyHostToDevice,
@partial                 stream);
@partial         if (error == cudaSuccess) {
@partial             unpackRecords<<<1, block, 0, stream>>>(to, (const T *)stage, at + n, 1);
@partial             error = launchError(before);
@partial         }
@partial     }
    return error;
}

@@ fetch
// Elements from number `at` on to records of the host, up to `chunk` of them at once.
template <class Array>
static inline cudaError_t fetchRecords(void *to, Array from, size_t bytes, size_t at, char *stage,
    size_t chunk, cudaStream_t stream)
{
    typedef typename Array::RecordType T;
    const unsigned block = Array::blockRecords;
    const size_t n = bytes / sizeof(T);
    const cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaSuccess;
    for (size_t first = 0; first < n && error == cudaSuccess; first += chunk) {
        const size_t count = n - first < chunk ? n - first : chunk;
        const unsigned blocks = (unsigned)((count + block - 1) / block);
        packRecords<<<blocks, block, 0, stream>>>((T *)stage, from, at + first, (unsigned)count);
        error = launchError(before);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync((T *)to + first, stage, count * sizeof(T),
                cudaMemcpyDeviceToHost, stream);
    }
@partial     const size_t rest = bytes % sizeof(T);
@partial     if (rest > 0 && error == cudaSuccess) { // the first bytes of one more record
@partial         packRecords<<<1, block, 0, stream>>>((T *)stage, from, at + n, 1);
@partial         error = launchError(before);
@partial         if (error == cudaSuccess)
@partial             error = cudaMemcpyAsync((T *)to + n, stage, rest, cudaMemcpyDeviceToHost, stream);
@partial     }
    return error;
}

@@ in
// Copies records of the host to elements from number `at` on, and waits.
template <class Array>
static inline cudaError_t copyIn(Array to, const void *from, size_t bytes, size_t at = 0)
{
    const size_t width = sizeof(typename Array::RecordType);
@whole     if (bytes < width)
@partial     if (bytes == 0)
        return cudaSuccess;
    char *stage = NULL;
    size_t chunk = bytes / width;
    cudaError_t error = openStage(&stage, &chunk, width);
    if (error != cudaSuccess)
        return error;
    error = sendRecords(to, from, bytes, at, stage, chunk, 0);
    const cudaError_t done = cudaStreamSynchronize(0);
@each     cudaFree(stage);
    return error != cudaSuccess ? error : done;
}

@@ out
// Copies elements from number `at` on to records of the host, and waits.
template <class Array>
static inline cudaError_t copyOut(void *to, Array from, size_t bytes, size_t at = 0)
{
    const size_t width = sizeof(typename Array::RecordType);
@whole     if (bytes < width)
@partial     if (bytes == 0)
        return cudaSuccess;
    char *stage = NULL;
    size_t chunk = bytes / width;
    cudaError_t error = openStage(&stage, &chunk, width);
    if (error != cudaSuccess)
        return error;
    error = fetchRecords(to, from, bytes, at, stage, chunk, 0);
    const cudaError_t done = cudaStreamSynchronize(0);
@each     cudaFree(stage);
    return error != cudaSuccess ? error : done;
}

@@ in_async
// Copies records of the host to elements from number `at` on, on a stream and through memory of that stream.
template <class Array>
static inline cudaError_t copyInAsync(Array to, const void *from, size_t bytes, cudaStream_t stream,
    size_t at = 0)
{
    const size_t width = sizeof(typename Array::RecordType);
@whole     if (bytes < width)
@partial     if (bytes == 0)
        return cudaSuccess;
    const size_t room = stageBytes(bytes / width, width);
    char *stage = NULL;
    cudaError_t error = cudaMallocAsync(&stage, room, stream);
    if (error != cudaSuccess)
        return error;
    error = sendRecords(to, from, bytes, at, stage, room / width, stream);
    const cudaError_t freed = cudaFreeAsync(stage, stream);
    return error != cudaSuccess ? error : freed;
}

@@ out_async
// Copies elements from number `at` on to records of the host, on a stream and through memory of that stream.
template <class Array>
static inline cudaError_t copyOutAsync(void *to, Array from, size_t bytes, cudaStream_t stream,
    size_t at = 0)
{
    const size_t width = sizeof(typename Array::RecordType);
@whole     if (bytes < width)
@partial     if (bytes == 0)
        return cudaSuccess;
    const size_t room = stageBytes(bytes / width, width);
    char *stage = NULL;
    cudaError_t error = cudaMallocAsync(&stage, room, stream);
    if (error != cudaSuccess)
        return error;
    error = fetchRecords(to, from, bytes, at, stage, room / width, stream);
    const cudaError_t freed = cudaFreeAsync(stage, stream);
    return error != cudaSuccess ? error : freed;
}

@@ within_async
// Copies elements within device memory, on a stream.
template <class Array>
static inline cudaError_t copyWithinAsync(Array to, Array from, size_t bytes, cudaStream_t stream,
    size_t to_at = 0, size_t from_at = 0)
{
    const size_t n = bytes / sizeof(typename Array::RecordType);
    if (n == 0)
        return cudaSuccess;
    const cudaError_t before = cudaPeekAtLastError();
    moveRecords<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(to, from, to_at, from_at, n);
    return launchError(before);
}

@@ within
// Copies elements within device memory, and waits.
template <class Array>
static inline cudaError_t copyWithin(Array to, Array from, size_t bytes, size_t to_at = 0,
    size_t from_at = 0)
{
    const cudaError_t error = copyWithinAsync(to, from, bytes, 0, to_at, from_at);
    const cudaError_t done = cudaDeviceSynchronize();
    return error != cudaSuccess ? error : done;
}

@@ rows
// Some elements of each row of an array: number i is in row i / `row`, which begins `step` elements behind
// the one before.
template <class Array>
struct RecordRows {
    typedef typename Array::RecordType RecordType;
    typedef typename Array::WordType WordType;
    static const unsigned blockRecords = Array::blockRecords, recordWords = Array::recordWords,
        padWords = Array::padWords;
@both     static const bool isStaged = Array::isStaged;
    Array array;
    size_t first, row, step;

    __device__ __forceinline__ void storeRecord(size_t i, const RecordType &e) const
    {
        array.storeRecord(first + i / row * step + i % row, e);
    }
    __device__ __forceinline__ RecordType loadRecord(size_t i) const
    {
        return array.loadRecord(first + i / row * step + i % row);
    }
};

@@ send_rows
// Rows of records of the host to rows of elements, up to `chunk` of them at once.
template <class Array>
static inline cudaError_t sendRows(Array to, size_t to_pitch, const void *from, size_t from_pitch,
    size_t width, size_t height, size_t at, char *stage, size_t chunk, cudaStream_t stream)
{
    typedef typename Array::RecordType T;
    const unsigned block = Array::blockRecords;
    const size_t row = width / sizeof(T), step = to_pitch / sizeof(T);
    const cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaSuccess;
    for (size_t first = 0; first < height && error == cudaSuccess; first += chunk) {
        const size_t count = height - first < chunk ? height - first : chunk, n = count * row;
        error = cudaMemcpy2DAsync(stage, width, (const char *)from + first * from_pitch, from_pitch,
            width, count, cudaMemcpyHostToDevice, stream);
        if (error == cudaSuccess) {
            const RecordRows<Array> rows = {to, at + first * step, row, step};
            const unsigned blocks = (unsigned)((n + block - 1) / block);
            unpackRecords<<<blocks, block, 0, stream>>>(rows, (const T *)stage, 0, (unsigned)n);
            error = launchError(before);
        }
    }
    return error;
}

@@ fetch_rows
// Rows of elements to rows of records of the host, up to `chunk` of them at once.
template <class Array>
static inline cudaError_t fetchRows(void *to, size_t to_pitch, Array from, size_t from_pitch,
    size_t width, size_t height, size_t at, char *stage, size_t chunk, cudaStream_t stream)
{
    typedef typename Array::RecordType T;
    const unsigned block = Array::blockRecords;
    const size_t row = width / sizeof(T), step = from_pitch / sizeof(T);
    const cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaSuccess;
    for (size_t first = 0; first < height && error == cudaSuccess; first += chunk) {
        const size_t count = height - first < chunk ? height - first : chunk, n = count * row;
        const RecordRows<Array> rows = {from, at + first * step, row, step};
        const unsigned blocks = (unsigned)((n + block - 1) / block);
        packRecords<<<blocks, block, 0, stream>>>((T *)stage, rows, 0, (unsigned)n);
        error = launchError(before);
        if (error == cudaSuccess)
            error = cudaMemcpy2DAsync((char *)to + first * to_pitch, to_pitch, stage, width, width,
                count, cudaMemcpyDeviceToHost, stream);
    }
    return error;
}

@@ rows_in
// Copies rows of records of the host to rows of elements, and waits.
template <class Array>
static inline cudaError_t copyRowsIn(Array to, size_t to_pitch, const void *from, size_t from_pitch,
    size_t width, size_t height, size_t at = 0)
{
    const size_t size = sizeof(typename Array::RecordType);
    if (width < size || height == 0)
        return cudaSuccess;
    if (height > 1 && to_pitch / size < width / size)
        return cudaErrorInvalidPitchValue;
    char *stage = NULL;
    size_t chunk = height;
    cudaError_t error = openStage(&stage, &chunk, width);
    if (error != cudaSuccess)
        return error;
    error = sendRows(to, to_pitch, from, from_pitch, width, height, at, stage, chunk, 0);
    const cudaError_t done = cudaStreamSynchronize(0);
@each     cudaFree(stage);
    return error != cudaSuccess ? error : done;
}

@@ rows_in_async
// Copies rows of records of the host to rows of elements, on a stream and through memory of that stream.
template <class Array>
static inline cudaError_t copyRowsInAsync(Array to, size_t to_pitch, const void *from,
    size_t from_pitch, size_t width, size_t height, cudaStream_t stream, size_t at = 0)
{
    const size_t size = sizeof(typename Array::RecordType);
    if (width < size || height == 0)
        return cudaSuccess;
    if (height > 1 && to_pitch / size < width / size)
        return cudaErrorInvalidPitchValue;
    const size_t room = stageBytes(height, width);
    char *stage = NULL;
    cudaError_t error = cudaMallocAsync(&stage, room, stream);
    if (error != cudaSuccess)
        return error;
    error = sendRows(to, to_pitch, from, from_pitch, width, height, at, stage, room / width,
        stream);
    const cudaError_t freed = cudaFreeAsync(stage, stream);
    return error != cudaSuccess ? error : freed;
}

@@ rows_out
// Copies rows of elements to rows of records of the host, and waits.
template <class Array>
static inline cudaError_t copyRowsOut(void *to, size_t to_pitch, Array from, size_t from_pitch,
    size_t width, size_t height, size_t at = 0)
{
    const size_t size = sizeof(typename Array::RecordType);
    if (width < size || height == 0)
        return cudaSuccess;
    if (height > 1 && from_pitch / size < width / size)
        return cudaErrorInvalidPitchValue;
    char *stage = NULL;
    size_t chunk = height;
    cudaError_t error = openStage(&stage, &chunk, width);
    if (error != cudaSuccess)
        return error;
    error = fetchRows(to, to_pitch, from, from_pitch, width, height, at, stage, chunk, 0);
    const cudaError_t done = cudaStreamSynchronize(0);
@each     cudaFree(stage);
    return error != cudaSuccess ? error : done;
}

@@ rows_out_async
// Copies rows of elements to rows of records of the host, on a stream and through memory of that stream.
template <class Array>
static inline cudaError_t copyRowsOutAsync(void *to, size_t to_pitch, Array from, size_t from_pitch,
    size_t width, size_t height, cudaStream_t stream, size_t at = 0)
{
    const size_t size = sizeof(typename Array::RecordType);
    if (width < size || height == 0)
        return cudaSuccess;
    if (height > 1 && from_pitch / size < width / size)
        return cudaErrorInvalidPitchValue;
    const size_t room = stageBytes(height, width);
    char *stage = NULL;
    cudaError_t error = cudaMallocAsync(&stage, room, stream);
    if (error != cudaSuccess)
        return error;
    error = fetchRows(to, to_pitch, from, from_pitch, width, height, at, stage, room / width,
        stream);
    const cudaError_t freed = cudaFreeAsync(stage, stream);
    return error != cudaSuccess ? error : freed;
}

@@ peer
// Copies elements between devices, as records: each device converts its own side.
template <class Array>
static inline cudaError_t copyPeer(Array to, int to_device, Array from, int from_device,
    size_t bytes, size_t to_at = 0, size_t from_at = 0)
{
    typedef typename Array::RecordType T;
    const unsigned block = Array::blockRecords;
    const size_t n = bytes / sizeof(T);
    if (n == 0)
        return cudaSuccess;
    size_t chunk = stageBytes(n, sizeof(T)) / sizeof(T);
    chunk = chunk < n ? chunk : n;
    const cudaError_t before = cudaPeekAtLastError();
    int device = 0;
    cudaGetDevice(&device);
    char *stage = NULL, *end = NULL;
    cudaError_t error = cudaSetDevice(from_device);
    // The last word of the last record may reach behind it.
    if (error == cudaSuccess)
        error = cudaMalloc(&stage, chunk * sizeof(T) + 16);
    if (error == cudaSuccess)
        error = cudaSetDevice(to_device);
    if (error == cudaSuccess)
        error = cudaMalloc(&end, chunk * sizeof(T) + 16);
    for (size_t first = 0; first < n && error == cudaSuccess; first += chunk) {
        const size_t count = n - first < chunk ? n - first : chunk;
        cudaSetDevice(from_device);
        const unsigned blocks = (unsigned)((count + block - 1) / block);
        packRecords<<<blocks, block>>>((T *)stage, from, from_at + first, (unsigned)count);
        error = launchError(before);
        if (error == cudaSuccess)
            error = cudaMemcpyPeer(end, to_device, stage, from_device, count * sizeof(T));
        cudaSetDevice(to_device);
        if (error == cudaSuccess) {
            unpackRecords<<<blocks, block>>>(to, (const T *)end, to_at + first, (unsigned)count);
            error = launchError(before);
        }
    }
    const cudaError_t freed = end ? cudaFree(end) : cudaSuccess;
    if (stage) {
        cudaSetDevice(from_device);
        cudaFree(stage);
    }
    cudaSetDevice(device);
    return error != cudaSuccess ? error : freed;
}

@@ device
// Makes the device of an array the current one, and says which it was.
static inline int enterDevice(const void *p)
{
    int device = 0;
    cudaGetDevice(&device);
    cudaPointerAttributes where;
    if (cudaPointerGetAttributes(&where, p) == cudaSuccess)
        cudaSetDevice(where.device);
    return device;
}
