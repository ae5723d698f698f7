//! Resident blocks against NVIDIA's own calculator, the header `cuda_occupancy.h`, which
//! `cargo xtask setup` brings along and any C compiler compiles.

use layoutc_analysis::cost::occupancy::{BlockNeeds, blocks};
use layoutc_analysis::device::{Device, device_names};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The header, if it was set up.
fn header() -> Option<PathBuf> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/venv/lib");
    let pythons = std::fs::read_dir(venv).ok()?.filter_map(Result::ok);
    let mut roots = pythons.map(|python| python.path().join("site-packages/nvidia"));
    roots.find_map(|root| {
        let wheels = std::fs::read_dir(root).ok()?.filter_map(Result::ok);
        let mut headers = wheels.map(|wheel| wheel.path().join("include/cuda_occupancy.h"));
        headers.find(|header| header.exists())
    })
}

/// The program: for each case a line with the number of blocks.
fn program(cases: &[(Device, BlockNeeds)]) -> String {
    let mut text = "#include <cuda_occupancy.h>\n#include <stdio.h>\nstatic void one(int major, int minor, \
        int threads, int registers, size_t shared, size_t reserved, int block, int own, size_t bytes) {\n\
        struct cudaOccDeviceProp p = {0}; struct cudaOccFuncAttributes f = {0};\n\
        struct cudaOccDeviceState s = {0}; struct cudaOccResult r;\n\
        p.computeMajor = major; p.computeMinor = minor; p.maxThreadsPerBlock = 1024;\n\
        p.maxThreadsPerMultiprocessor = threads; p.regsPerBlock = 65536;\n\
        p.regsPerMultiprocessor = registers; p.warpSize = 32; p.sharedMemPerBlock = 49152;\n\
        p.sharedMemPerMultiprocessor = shared; p.numSms = 1;\n\
        p.sharedMemPerBlockOptin = shared - reserved; p.reservedSharedMemPerBlock = reserved;\n\
        f.maxThreadsPerBlock = 1024; f.numRegs = own; f.sharedSizeBytes = bytes;\n\
        f.maxDynamicSharedSizeBytes = 0; s.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;\n\
        if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &s, block, 0)) printf(\"-1\\n\");\n\
        else printf(\"%d\\n\", r.activeBlocksPerMultiprocessor);\n}\nint main(void) {\n"
        .to_owned();
    for (device, needs) in cases {
        let (major, minor) = device.compute_capability.split_once('.').expect("a capability");
        let execution = &device.execution;
        let known = |fact: Option<&u32>| *fact.expect("a fact");
        let reserved = if major.parse::<u32>().expect("a number") >= 8 { 1024 } else { 0 };
        writeln!(
            text,
            "one({major}, {minor}, {}, {}, {}, {reserved}, {}, {}, {});",
            known(execution.threads_per_multiprocessor.known()),
            known(execution.registers_per_multiprocessor.known()),
            execution.shared_bytes_per_multiprocessor.known().expect("a fact"),
            needs.threads,
            needs.registers.expect("given"),
            needs.shared_bytes,
        )
        .expect("strings can be written");
    }
    text + "return 0; }\n"
}

#[test]
fn resident_blocks_are_nvidias() {
    let Some(header) = header() else {
        println!("left out: no cuda_occupancy.h; `cargo xtask setup` brings it");
        return;
    };
    let mut cases = Vec::new();
    for name in device_names() {
        let device = Device::built_in(name).expect("there");
        let major = device.compute_capability.split('.').next().and_then(|n| n.parse::<u32>().ok());
        if major.is_none_or(|major| major < 3) {
            continue;
        }
        for threads in [1, 32, 33, 64, 96, 128, 192, 256, 320, 512, 640, 768, 1000, 1024] {
            for registers in [16, 24, 32, 33, 40, 63, 64, 65, 96, 128, 168, 255] {
                for shared_bytes in [0, 1, 1000, 4096, 10_000, 20_480, 33_000, 47_000] {
                    let needs = BlockNeeds { threads, registers: Some(registers), shared_bytes };
                    cases.push((device.clone(), needs));
                }
            }
        }
    }
    let folder = std::env::temp_dir().join(format!("layoutc-occupancy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, binary) = (folder.join("oracle.c"), folder.join("oracle"));
    std::fs::write(&source, program(&cases)).expect("a file");
    let include = header.parent().expect("a folder");
    let compiled =
        Command::new("cc").arg("-I").arg(include).arg(&source).arg("-o").arg(&binary).output();
    let compiled = compiled.expect("a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("it runs");
    std::fs::remove_dir_all(&folder).expect("removed");
    let text = String::from_utf8(output.stdout).expect("numbers");
    let mut wrong = Vec::new();
    for ((device, needs), line) in cases.iter().zip(text.lines()) {
        let expected: i64 = line.parse().expect("a number");
        if blocks(device, *needs) as i64 != expected {
            wrong.push(format!(
                "{} {needs:?}: {} of {expected}",
                device.name,
                blocks(device, *needs)
            ));
        }
    }
    assert_eq!(text.lines().count(), cases.len());
    assert!(
        wrong.is_empty(),
        "{} of {}: {:#?}",
        wrong.len(),
        cases.len(),
        &wrong[..wrong.len().min(9)]
    );
}
