//! OpenCL programs, recorded on the CPU device that is installed.

use super::{Recorded, instrumented_sources, record_run};
use crate::arguments::ProfileArguments;
use crate::compile::Success;
use crate::verify::opencl::{compilers, request};
use layoutc_codegen::instrument::Instrumented;
use layoutc_runtime::opencl::{OpenCl, OpenClRequest};
use std::path::Path;

/// Builds the program in a folder and runs it in the mirror of the current one.
pub(super) fn record_program(
    arguments: &ProfileArguments,
    success: &Success,
    instrumented: &Instrumented,
    folder: &Path,
) -> Result<Recorded, String> {
    let opencl = OpenCl::find(&compilers()).map_err(|error| error.to_string())?;
    let texts = instrumented_sources(success, instrumented)?;
    let request =
        OpenClRequest { is_recorded: true, ..request(success, &folder.join("profiled"), texts)? };
    let built = opencl.build(&request).map_err(|error| error.to_string())?;
    let device = opencl.devices.first().map_or("OpenCL", String::as_str);
    record_run(arguments, instrumented, &|request| built.run(request), device)
}
