//! Builds CUDA files to be traced, runs the program and prints what its kernels accessed:
//! `cargo run -p layoutc-runtime --example trace_cuda -- FILE… [-- ARGS…]`.

use layoutc_runtime::lowering::SiteId;
use layoutc_runtime::process::RunRequest;
use layoutc_runtime::program::{device_variables, read_program};
use layoutc_runtime::toolchain::{BuildRequest, build};
use layoutc_runtime::trace::{
    Allocation, Block, Launch, Locations, Place, PlaceId, TraceSink, trace,
};
use std::path::PathBuf;

#[derive(Default)]
struct Counts {
    places: Vec<(Place, u64)>,
    allocations: Vec<(Option<SiteId>, u64)>,
    launches: Vec<(String, u64)>,
}

impl TraceSink for Counts {
    fn place(&mut self, _: PlaceId, place: Place) {
        self.places.push((place, 0));
    }
    fn allocation(&mut self, allocation: Allocation) {
        self.allocations.push((allocation.site, allocation.bytes));
    }
    fn launch(&mut self, launch: Launch) {
        self.launches.push((format!("{launch:?}"), 0));
    }
    fn block(&mut self, block: Block<'_>) {
        if let Some((_, count)) = self.launches.last_mut() {
            *count += block.accesses.len() as u64;
        }
        for access in block.accesses {
            self.places[access.place.0 as usize].1 += 1;
        }
    }
    fn launch_end(&mut self) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args_os().skip(1);
    let files: Vec<PathBuf> =
        words.by_ref().take_while(|word| word != "--").map(PathBuf::from).collect();
    let scratch = tempfile::tempdir()?;
    let sources = read_program(&files, &[])?;
    let variables = device_variables(&sources);
    let mut request = BuildRequest::new(sources, scratch.path().to_path_buf());
    request.is_traced = true;
    request.cache_dir = Some(std::env::temp_dir().join("layoutc-run-cuda"));
    let built = build(&request)?;
    let mut counts = Counts::default();
    let result = trace(&built, &variables, &RunRequest::new(words.collect()), &mut counts)?;
    println!("{:?}\n{}", result.status, String::from_utf8_lossy(&result.stderr));
    for (launch, count) in counts.launches {
        println!("{count:10} {launch}");
    }
    let locations = Locations::new(&built)?;
    for (place, count) in counts.places {
        println!("{count:10} {place:?} {:?}", locations.of(&place));
    }
    Ok(())
}
