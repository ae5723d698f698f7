//! What is linked with programs that are recorded or traced, compiled once for each compiler.

use super::{OpenCl, OpenClError, OpenClRequest, io_error, output_of};
use crate::embedded::hash;
use crate::object_cache::ObjectCache;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of C++.
pub(super) struct Linked {
    name: &'static str,
    text: &'static str,
    /// Name and text of the header that it includes.
    header: Option<(&'static str, &'static str)>,
}

pub(super) const RECORDER: Linked = Linked {
    name: "recorder",
    text: include_str!("../../opencl/recorder.cpp"),
    header: Some(("profile_sums.hpp", include_str!("../../runtime/profile_sums.hpp"))),
};

pub(super) const TRACER: Linked =
    Linked { name: "tracer", text: include_str!("../../opencl/tracer.cpp"), header: None };

/// The compiled file, from the cache if it is there.
pub(super) fn object(
    opencl: &OpenCl,
    program: &OpenClRequest,
    objects: &Path,
    file: &Linked,
) -> Result<PathBuf, OpenClError> {
    let source = objects.join(file.name).with_extension("cpp");
    let compiler = &opencl.compilers.cpp;
    let compile_to = |object: &Path| {
        fs::write(&source, file.text).map_err(io_error(&source))?;
        if let Some((name, text)) = file.header {
            let header = objects.join(name);
            fs::write(&header, text).map_err(io_error(&header))?;
        }
        let mut compile = Command::new(compiler);
        compile.args(["-std=gnu++17", "-O2", "-w", "-c", "-o"]).arg(object).arg(&source);
        match output_of(&mut compile)? {
            Some(messages) => Err(OpenClError::Compile { file: source.clone(), messages }),
            None => Ok(()),
        }
    };
    let Some(cache) = &program.cache_dir else {
        let object = objects.join(file.name).with_extension("o");
        compile_to(&object)?;
        return Ok(object);
    };
    let folder = cache.join("linked");
    let header = file.header.map_or("", |(_, text)| text);
    let texts = [compiler.as_str(), file.text, header];
    let key = hash(texts.iter().flat_map(|text| text.bytes()));
    let cache = ObjectCache::open(&folder).map_err(io_error(&folder))?;
    cache.object(file.name, key, compile_to, |path, error| io_error(path)(error))
}
