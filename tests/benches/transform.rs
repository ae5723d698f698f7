//! How fast `layoutc` is, in bytes of source per second, on programs of 200, 2,000 and 20,000
//! lines.
//!
//! `whole` is the binary from start to written files, process start included, as a build would
//! call it. `cargo xtask bench-nvcc` prints nvcc's own front end on the same files.

use std::fs;
use std::path::Path;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use layoutc_tests::generate;
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};

/// The sizes, in lines.
const SIZES: [usize; 3] = [200, 2000, 20_000];

fn whole(criterion: &mut Criterion) {
    let layoutc = Layoutc::built().expect("layoutc builds");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut group = criterion.benchmark_group("whole");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(4));
    for lines in SIZES {
        let program = generate::program(lines);
        let file = folder.path().join(format!("{lines}.cu"));
        fs::write(&file, &program).expect("the program is written");
        let out = folder.path().join("out");
        group.throughput(Throughput::Bytes(program.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(lines), |bencher| {
            bencher.iter(|| {
                let arguments = [Path::new("transform"), &file, Path::new("--out-dir"), &out]
                    .map(Path::as_os_str);
                let outcome = layoutc
                    .run(folder.path(), TRANSFORM_LIMIT, arguments)
                    .expect("layoutc runs");
                assert!(outcome.succeeded(), "{}", outcome.stderr);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, whole);
criterion_main!(benches);
