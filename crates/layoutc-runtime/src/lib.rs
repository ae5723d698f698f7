//! Runs CUDA programs on the CPU: runtime headers and launch lowering.
