//! JSON: the report of `--report`.

use super::Findings;
use crate::report::report;

/// The report.
pub(super) fn text(findings: &Findings<'_>) -> String {
    report(findings)
}
