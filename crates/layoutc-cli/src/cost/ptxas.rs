//! Registers and shared memory of kernels, as `nvcc -Xptxas -v` prints them.

use super::simulate::base_name;
use cpp_demangle::{DemangleOptions, Symbol};
use std::collections::BTreeMap;

/// What a kernel uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Usage {
    /// 32-bit registers of a thread.
    pub(super) registers: u32,
    /// Bytes of shared memory of a block.
    pub(super) shared_bytes: u64,
}

/// The kernels of a log by name, without namespaces and template arguments; of several with one name
/// the most of each.
///
/// # Errors
/// The log is of no kernel.
pub(super) fn parse(log: &str) -> Result<BTreeMap<String, Usage>, String> {
    let mut found: BTreeMap<String, Usage> = BTreeMap::new();
    let mut kernel: Option<String> = None;
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().map(kernel_of);
        } else if let Some((_, rest)) = line.split_once(": Used ")
            && let Some(kernel) = kernel.take()
        {
            let usage = found.entry(kernel).or_default();
            for part in rest.split(',').map(str::trim) {
                let number = part.split(' ').next().unwrap_or_default();
                if part.ends_with(" registers") {
                    usage.registers = usage.registers.max(number.parse().unwrap_or(0));
                } else if part.ends_with(" bytes smem") {
                    usage.shared_bytes = usage.shared_bytes.max(number.parse().unwrap_or(0));
                }
            }
        }
    }
    if found.is_empty() {
        return Err(
            "it names no kernel; `nvcc -Xptxas -v -c …` prints such a log on stderr".to_owned()
        );
    }
    Ok(found)
}

/// `k` for `_ZN1a1kIfEEvPNS_1PET_`.
fn kernel_of(symbol: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    let full = Symbol::new(symbol)
        .ok()
        .and_then(|parsed| parsed.demangle_with_options(&options).ok())
        .unwrap_or_else(|| symbol.to_owned());
    base_name(&full).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Usage, parse};

    #[test]
    fn a_log_of_nvcc_13() {
        let log = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN1a1kIfEEvPNS_1PET_' for 'sm_80'
ptxas info    : Function properties for _ZN1a1kIfEEvPNS_1PET_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 364 bytes cmem[0]
ptxas info    : Compiling entry function '_Z5plainPf' for 'sm_80'
ptxas info    : Used 10 registers, used 1 barriers, 256 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function '_Z5plainPf' for 'sm_90'
ptxas info    : Used 12 registers, used 1 barriers, 128 bytes smem
ptxas info    : Compiling entry function 'cplain' for 'sm_80'
ptxas info    : Used 9 registers
";
        let found = parse(log).expect("it names kernels");
        let usage = |registers, shared_bytes| Usage { registers, shared_bytes };
        assert_eq!(found.get("k"), Some(&usage(8, 0)));
        assert_eq!(found.get("plain"), Some(&usage(12, 256)));
        assert_eq!(found.get("cplain"), Some(&usage(9, 0)));
        assert!(parse("nothing").is_err());
    }
}
