//! Launches whose arguments are given by their addresses.

use super::Rewriter;
use layoutc_diagnostics::Code;
use layoutc_syntax::ExprKind;

impl Rewriter<'_> {
    /// The runtime reads an argument from the variable that is named in a list: there is no room for
    /// another text, and the kernel keeps its number of parameters.
    ///
    /// Classification has shown that none is needed; this is the proof's other half.
    pub(super) fn check_launches_by_address(&mut self) {
        let program = self.program;
        for launch in &program.launches_by_address {
            let ExprKind::Launch { arguments, .. } = &program.expr(*launch).kind else { continue };
            for argument in arguments {
                let class = match self.classes.place(*argument) {
                    Some((class, _)) => Some(class),
                    None => self.changed_pointer(*argument),
                };
                let Some(class) = class.filter(|class| self.storage_of.contains_key(class)) else {
                    continue;
                };
                let span = program.expr(*argument).span;
                if self.special(*argument).is_some_and(|text| text != program.text(span)) {
                    let message = "a launch is given the address of this, which is no variable in the new layout";
                    self.refuse(class, Code::UNTYPED_POINTER, span, message);
                }
            }
        }
    }
}
