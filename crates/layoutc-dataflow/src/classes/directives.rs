//! Preprocessor directives inside expressions whose text would be replaced.
//!
//! A compiler sees one branch of `p\n#ifdef A\n + a\n#else\n + b\n#endif`, and so does the model. A new text for the
//! whole expression would lose the other, or half of the directives.

use super::{ClassId, Classes, Pin, PlaceKind};
use layoutc_diagnostics::Code;
use layoutc_syntax::preprocess::has_directive;
use layoutc_syntax::{ExprId, ExprKind, Program};

/// Pins the classes of expressions with directives inside.
pub(super) fn pin_by_directives(program: &Program, classes: &mut Classes) {
    let mut pins: Vec<(ClassId, Pin)> = Vec::new();
    for id in program.expr_ids() {
        let Some(class) = rewritten_class(program, classes, id) else { continue };
        let span = program.expr(id).span;
        let text = program.text(span);
        if text.contains('\n') && has_directive(text) {
            let message = "a preprocessor directive stands inside this expression".to_owned();
            let code = Code::UNMODELLED_CONSTRUCT;
            pins.push((class, Pin { span, code, message, related: Vec::new() }));
        }
    }
    for (class, pin) in pins {
        classes.classes[class.index()].pins.push(pin);
    }
}

/// The class for which the whole text of an expression may be replaced. Of calls and initializers only the arguments are.
fn rewritten_class(program: &Program, classes: &Classes, id: ExprId) -> Option<ClassId> {
    let own = |id: ExprId| {
        let place = classes.place(id).map(|(class, _)| class);
        place.or_else(|| classes.value(id).map(|(class, _)| class))
    };
    match &program.expr(id).kind {
        ExprKind::Call { .. }
        | ExprKind::Launch { .. }
        | ExprKind::Lambda { .. }
        | ExprKind::Construct { .. }
        | ExprKind::InitList(_) => None,
        // A store to a member leaves the value's text alone.
        ExprKind::Assign(_, left, _) => match classes.place(*left) {
            Some((class, PlaceKind::Element)) => Some(class),
            _ => classes.value(*left).map(|(class, _)| class),
        },
        ExprKind::Binary(_, left, right) => own(id)
            .or_else(|| classes.value(*left).or(classes.value(*right)).map(|(class, _)| class)),
        _ => own(id),
    }
}
