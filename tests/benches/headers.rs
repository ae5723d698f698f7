//! What the headers of libraries cost: a program of 300 lines that includes one, without its folder,
//! with it, and with a copy among the program's files.
//!
//! Budgets in processor time, the program included: glm 0.3 s, `nlohmann/json.hpp` 0.5 s, Eigen 1 s. The
//! headers are Debian's `libglm-dev`, `nlohmann-json3-dev` and `libeigen3-dev`; one that is not there is
//! passed over.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use layoutc_tests::layoutc::Layoutc;

/// A library: what it is called, the folder for `-I`, its own folder there, what is included, and text that uses it.
const LIBRARIES: [[&str; 5]; 3] = [
    [
        "glm",
        "/usr/include",
        "glm",
        "glm/glm.hpp",
        "glm::vec3 v(1.0f), w = v + v; std::printf(\"%f\", glm::dot(v, w));",
    ],
    [
        "json",
        "/usr/include",
        "nlohmann",
        "nlohmann/json.hpp",
        "nlohmann::json j; j[\"a\"] = 3; std::printf(\"%s\", j.dump().c_str());",
    ],
    [
        "eigen",
        "/usr/include/eigen3",
        "Eigen",
        "Eigen/Core",
        "Eigen::Vector3f v(1, 2, 3); std::printf(\"%f\", (Eigen::Matrix3f::Identity() * v).norm());",
    ],
];

/// How many structs, kernels and functions the program has.
const PARTS: usize = 18;

fn program(include: &str, text: &str) -> String {
    let mut out = format!("#include <cuda_runtime.h>\n#include <cstdio>\n#include <{include}>\n");
    let mut calls = String::new();
    for at in 0..PARTS {
        let _ = write!(
            out,
            "struct Part{at} {{\n  float x, y;\n  float z, m;\n  float w;\n}};\n\
             __global__ void move{at}(Part{at} *p, int n) {{\n  \
             int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {{\n    p[i].x += p[i].y;\n  }}\n}}\n\
             void run{at}(int n) {{\n  Part{at} *d;\n  cudaMalloc(&d, n * sizeof(Part{at}));\n  \
             move{at}<<<(n + 63) / 64, 64>>>(d, n);\n  cudaFree(d);\n}}\n",
        );
        let _ = writeln!(calls, "  run{at}(64);");
    }
    let _ = write!(out, "int main() {{\n  {text}\n{calls}}}\n");
    out
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn headers(criterion: &mut Criterion) {
    let layoutc = Layoutc::built().expect("layoutc builds");
    let mut group = criterion.benchmark_group("headers");
    group.sample_size(10);
    for [name, installed, own, include, text] in LIBRARIES {
        if !Path::new(installed).join(include).is_file() {
            eprintln!("{name} is passed over: there is no {installed}/{include}");
            continue;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("in.cu"), program(include, text)).expect("written");
        copy(&Path::new(installed).join(own), &folder.path().join("external").join(own))
            .expect("the library is copied");
        let ways = [
            ("not found", None),
            ("installed", Some(installed)),
            ("brought along", Some("external")),
        ];
        for (way, include_dir) in ways {
            let mut run = || {
                let mut command = Command::new(layoutc.program());
                command.args(["transform", "in.cu", "--layout", "* = soa", "--out-dir", "out"]);
                command.args(include_dir.map(|dir| format!("-I{dir}")));
                let output = command.current_dir(folder.path()).output().expect("layoutc runs");
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            };
            group.bench_function(BenchmarkId::new(name, way), |bencher| bencher.iter(&mut run));
        }
    }
    group.finish();
}

criterion_group!(benches, headers);
criterion_main!(benches);
