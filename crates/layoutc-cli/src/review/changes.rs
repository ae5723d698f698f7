//! What is different from an earlier state of the program: arrays by their type and names.

use layoutc_driver::{ClassOutcome, Status};

/// An array that is not what it was.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// It changed before, and stays now.
    StaysNow(&'a ClassOutcome, &'a ClassOutcome),
    /// It stayed before, and changes now.
    ChangesNow(&'a ClassOutcome, &'a ClassOutcome),
    /// It gets another layout than before.
    OtherLayout(&'a ClassOutcome, &'a ClassOutcome),
    /// It stays as before, for another reason.
    OtherReason(&'a ClassOutcome, &'a ClassOutcome),
    /// It was not there.
    New(&'a ClassOutcome),
    /// It is not there any more.
    Gone(&'a ClassOutcome),
}

/// What is different, in the order of the arrays now; what is gone comes last.
pub fn changes<'a>(before: &[&'a ClassOutcome], now: &[&'a ClassOutcome]) -> Vec<Change<'a>> {
    let mut left: Vec<&ClassOutcome> = before.to_vec();
    let mut partners: Vec<Option<&ClassOutcome>> = vec![None; now.len()];
    // The most names in common first, so that a shared parameter does not part two arrays; then the type alone.
    let most = now.iter().map(|class| class.names.len()).max().unwrap_or(0);
    for common in (0..=most).rev() {
        for (own, partner) in now.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none())
        {
            let found = left.iter().position(|other| {
                other.type_name == own.type_name && shared_names(other, own) >= common
            });
            *partner = found.map(|at| left.remove(at));
        }
    }
    let changed = now.iter().zip(&partners).filter_map(|(own, partner)| match partner {
        None => Some(Change::New(own)),
        Some(partner) => change(partner, own),
    });
    changed.chain(left.iter().copied().map(Change::Gone)).collect()
}

fn shared_names(one: &ClassOutcome, other: &ClassOutcome) -> usize {
    one.names.iter().filter(|name| other.names.contains(name)).count()
}

fn change<'a>(before: &'a ClassOutcome, now: &'a ClassOutcome) -> Option<Change<'a>> {
    let reason =
        |class: &ClassOutcome| class.reasons.first().map(|pin| (pin.code, pin.message.clone()));
    match (before.status, now.status) {
        (Status::Changed, Status::Kept) => Some(Change::StaysNow(before, now)),
        (Status::Kept, Status::Changed) => Some(Change::ChangesNow(before, now)),
        (Status::Changed, Status::Changed) => {
            (before.layout != now.layout).then_some(Change::OtherLayout(before, now))
        }
        (Status::Kept, Status::Kept) => {
            (reason(before) != reason(now)).then_some(Change::OtherReason(before, now))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_dataflow::classes::Pin;
    use layoutc_diagnostics::{Code, FileId, Span};

    fn class(names: &[&str], layout: &str) -> ClassOutcome {
        ClassOutcome {
            type_name: "P".to_owned(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            status: if layout == "aos" { Status::Kept } else { Status::Changed },
            layout: layout.to_owned(),
            because: String::new(),
            reasons: Vec::new(),
            allocations: Vec::new(),
            geometry: None,
            assumed: Vec::new(),
            elements: Vec::new(),
            holders: Vec::new(),
            is_automatic: false,
            is_generated: false,
            targets: Vec::new(),
        }
    }

    fn kept(names: &[&str], code: Code) -> ClassOutcome {
        let span = Span::new(FileId(0), 0, 0);
        let pin = Pin { span, code, message: String::new(), related: Vec::new() };
        ClassOutcome { reasons: vec![pin], ..class(names, "aos") }
    }

    fn shown(before: &[ClassOutcome], now: &[ClassOutcome]) -> Vec<String> {
        let text = |change: Change<'_>| match change {
            Change::StaysNow(_, now) => format!("stays {}", now.names.join(" ")),
            Change::ChangesNow(_, now) => format!("changes {}", now.names.join(" ")),
            Change::OtherLayout(before, now) => format!("{} to {}", before.layout, now.layout),
            Change::OtherReason(_, now) => format!("reason {}", now.names.join(" ")),
            Change::New(now) => format!("new {}", now.names.join(" ")),
            Change::Gone(before) => format!("gone {}", before.names.join(" ")),
        };
        let refs = |all: &[ClassOutcome]| -> Vec<ClassOutcome> { all.to_vec() };
        let (before, now) = (refs(before), refs(now));
        let own: Vec<&ClassOutcome> = now.iter().collect();
        changes(&before.iter().collect::<Vec<_>>(), &own).into_iter().map(text).collect()
    }

    #[test]
    fn equal_programs_have_no_changes() {
        let all = [class(&["p", "d"], "soa"), kept(&["q"], Code::OFFSETOF)];
        assert!(shown(&all, &all).is_empty());
    }

    #[test]
    fn every_kind_of_change_is_told() {
        let before = [
            class(&["a"], "soa"),
            kept(&["b"], Code::OFFSETOF),
            class(&["c"], "soa"),
            kept(&["d"], Code::OFFSETOF),
        ];
        let now = [
            kept(&["a"], Code::OFFSETOF),
            class(&["b"], "soa"),
            class(&["c"], "tiled(32)"),
            kept(&["d"], Code::LAMBDA),
        ];
        assert_eq!(shown(&before, &now), ["stays a", "changes b", "soa to tiled(32)", "reason d"]);
        assert_eq!(shown(&before[..1], &[]), ["gone a"]);
        assert_eq!(shown(&[], &now[2..3]), ["new c"]);
    }

    #[test]
    fn arrays_are_told_by_the_most_names_they_share() {
        let before = [class(&["p", "d_old"], "soa"), class(&["p", "d_new"], "tiled(32)")];
        let now = [class(&["p", "d_new"], "tiled(32)"), class(&["p", "d_old"], "soa")];
        assert!(shown(&before, &now).is_empty());
        // A renamed array is the only one of its type that is left.
        assert!(shown(&[class(&["old"], "soa")], &[class(&["new"], "soa")]).is_empty());
    }
}
