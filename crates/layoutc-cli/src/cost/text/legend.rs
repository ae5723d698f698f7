//! What the columns mean.

use super::super::table::Costs;
use layoutc_analysis::cost::DYNAMIC_TRIPS;
use layoutc_analysis::cost::price::Model;
use std::fmt::Write;

/// By column: what it is, and what Nsight Compute calls it.
const COLUMNS: [(&str, &str, &str); 10] = [
    ("stride", "bytes between neighbouring threads; `with :N`: loaded together with line N", ""),
    ("", "mixed: not the same between all; large: at least a line", ""),
    (
        "",
        "any: not known. Neighbours whose index comes from memory count as runs of 8 elements,",
        "",
    ),
    ("", "which is few sectors for random gathers; a recorded run knows (`layoutc profile`)", ""),
    (
        "requests",
        "memory instructions of warps, one launch on average",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum and _op_st.sum",
    ),
    (
        "sectors/request",
        "sectors of 32 bytes that a request touches",
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
    ),
    (
        "ideal",
        "as many as its bytes would fill side by side",
        "memory_l2_theoretical_sectors_global_ideal per request",
    ),
    (
        "excess sectors",
        "sectors beyond ideal, of all requests",
        "derived__memory_l2_theoretical_sectors_global_excessive",
    ),
    ("L2", "bytes between L1 and L2", "32 x lts__t_sectors_srcunit_tex.sum"),
    ("DRAM", "bytes read and written", "dram__bytes_read.sum + dram__bytes_write.sum"),
];

/// The legend.
pub(super) fn legend(costs: &Costs) -> String {
    let mut out = String::from("Legend: predicted from the text, not measured\n");
    let mut line = |name: &str, text: &str| {
        let _ = writeln!(out, "  {name:<15} {text}");
    };
    match costs.model {
        Model::Sectors => {
            for (name, what, metric) in COLUMNS {
                line(name, what);
                if !metric.is_empty() {
                    line("", &format!("ncu: {metric}"));
                }
            }
            let text = format!(
                "estimate: the busiest level of memory at its peak rate on {}, without latencies and launch overhead",
                costs.device
            );
            line("est.", &text);
            line(
                "",
                "of a launch: the levels of memory and arithmetic, as they overlap (docs/decisions.md)",
            );
            line("cost", "sectors, weighed by the level that serves them, and instructions");
        }
        Model::Peng => {
            line("t", "transactions of lines that a warp asks for each time");
            line("L1, L2, DRAM", "the level that serves most of them");
            line("cost", "transactions, weighed by the level that serves them (Peng et al.)");
        }
    }
    line("n", &format!("a length that the text does not say; counted as {DYNAMIC_TRIPS}"));
    out
}
