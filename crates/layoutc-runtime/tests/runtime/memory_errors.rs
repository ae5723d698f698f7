//! Memory errors are reported where they happen, with exit status 97.

use crate::support::{is_reported, prints, run_text};
use layoutc_runtime::process::RunStatus;

#[test]
fn device_memory_starts_poisoned() {
    prints(
        "",
        "unsigned *p, h; cudaMalloc(&p, 4); cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); printf(\"%x\\n\", h);",
        "a5a5a5a5\n",
    );
}

const WRITE: &str = "__global__ void write(int *p, long i) { p[i] = 1; }\n__global__ void read(int *p, long i, int *out) { *out = p[i]; }";

#[test]
fn a_write_past_the_end_hits_the_guard_page() {
    is_reported(
        WRITE,
        "int *p; cudaMalloc(&p, 256); write<<<1, 1>>>(p, 64);",
        &[
            "in kernel `write`, block (0,0,0), thread (0,0,0): out-of-bounds write at byte 256 of device allocation #0 (256 bytes",
        ],
    );
}

#[test]
fn a_write_into_the_slack_is_found_after_the_kernel() {
    is_reported(
        WRITE,
        "int *p; cudaMalloc(&p, 100); write<<<1, 1>>>(p, 25);",
        &["out-of-bounds write found after kernel `write`: byte 100 of device allocation #0"],
    );
}

#[test]
fn a_write_before_the_start_is_found() {
    is_reported(
        WRITE,
        "int *p; cudaMalloc(&p, 100); write<<<1, 1>>>(p, -1);",
        &["byte -4 of device allocation"],
    );
}

#[test]
fn a_read_past_the_end_is_found() {
    is_reported(
        WRITE,
        "int *p; cudaMalloc(&p, 512); read<<<1, 1>>>(p, 128, p);",
        &["out-of-bounds read at byte 512"],
    );
}

#[test]
fn a_kernel_that_uses_freed_memory_is_reported() {
    is_reported(
        WRITE,
        "int *p; cudaMalloc(&p, 100); cudaFree(p); write<<<1, 1>>>(p, 0);",
        &["write of freed memory, byte 0"],
    );
}

#[test]
fn a_null_pointer_in_a_kernel_is_reported() {
    is_reported(
        WRITE,
        "write<<<1, 1>>>(NULL, 0);",
        &["in kernel `write`", "which is no device memory"],
    );
}

#[test]
fn a_copy_beyond_the_allocation_is_reported() {
    is_reported(
        "",
        "int h[30], *p; cudaMalloc(&p, 100); cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);",
        &[
            "cudaMemcpy: the destination overruns its allocation: 120 bytes from byte 0 of device allocation #0 (100 bytes, call site 0, occurrence 0)",
        ],
    );
}

#[test]
fn a_memset_beyond_the_allocation_is_reported() {
    is_reported(
        "",
        "char *p; cudaMalloc(&p, 10); cudaMemset(p + 5, 0, 6);",
        &["cudaMemset: the destination overruns", "6 bytes from byte 5"],
    );
}

#[test]
fn copies_in_the_wrong_direction_are_reported() {
    is_reported(
        "",
        "int h, g; cudaMemcpy(&h, &g, 4, cudaMemcpyHostToDevice);",
        &["cudaMemcpy: the destination", "is not device memory"],
    );
    is_reported(
        "",
        "int h, *p; cudaMalloc(&p, 4); cudaMemcpy(p, &h, 4, cudaMemcpyDeviceToHost);",
        &["the destination should be host memory"],
    );
}

#[test]
fn host_access_to_device_memory_is_reported() {
    is_reported(
        "",
        "int *p; cudaMalloc(&p, 8); p[1] = 3;",
        &["host code writes device memory: byte 4 of device allocation #0"],
    );
    is_reported(
        WRITE,
        "int *p; cudaMalloc(&p, 8); write<<<1, 1>>>(p, 0); printf(\"%d\", p[0]);",
        &["host code reads device memory: byte 0"],
    );
}

#[test]
fn wrong_frees_are_reported() {
    is_reported(
        "",
        "int *p = (int*)malloc(4); cudaFree(p);",
        &["cudaFree:", "was not allocated by the CUDA runtime"],
    );
    is_reported("", "int *p; cudaMalloc(&p, 4); cudaFree(p); cudaFree(p);", &["is freed already"]);
}

#[test]
fn too_little_dynamic_shared_memory_is_reported() {
    is_reported(
        "__global__ void k() { extern __shared__ float s[]; s[threadIdx.x] = 1; }",
        "k<<<1, 8, 7 * sizeof(float)>>>();",
        &["kernel `k` wrote dynamic shared memory at offset 28, but its launch asked for 28 bytes"],
    );
}

#[test]
fn a_trap_and_a_crash_of_host_code_differ() {
    is_reported("__global__ void k() { __trap(); }", "k<<<1, 1>>>();", &["__trap() in kernel `k`"]);
    let crash = run_text("int main() { volatile int *p = nullptr; *p = 1; }\n");
    assert_eq!(crash.status, RunStatus::Signalled(11));
}

#[test]
fn a_failed_assertion_aborts() {
    let result = run_text(
        "#include <cassert>\n__global__ void k(int n) { assert(n == 2); }\nint main() { k<<<1, 1>>>(2); k<<<1, 1>>>(3); }\n",
    );
    assert_eq!(result.status, RunStatus::Signalled(6));
    assert!(String::from_utf8_lossy(&result.stderr).contains("n == 2"));
}
