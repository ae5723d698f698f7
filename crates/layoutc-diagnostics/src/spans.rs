//! Many spans, asked whether one of them holds another.

use crate::Span;

/// A set of spans. A question takes a binary search, however many there are and however they nest.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// In order of file and start; with each the furthest end of those of its file up to it.
    sorted: Vec<(Span, u32)>,
}

impl Spans {
    /// Whether one of the spans holds `inner` ([`Span::contains`]).
    #[must_use]
    pub fn hold(&self, inner: Span) -> bool {
        let behind = self
            .sorted
            .partition_point(|(own, _)| (own.file, own.start) <= (inner.file, inner.start));
        behind
            .checked_sub(1)
            .map(|last| &self.sorted[last])
            .is_some_and(|(own, furthest)| own.file == inner.file && inner.end <= *furthest)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }
}

impl FromIterator<Span> for Spans {
    fn from_iter<T: IntoIterator<Item = Span>>(spans: T) -> Self {
        let mut sorted: Vec<(Span, u32)> = spans.into_iter().map(|span| (span, span.end)).collect();
        sorted.sort_unstable();
        for at in 1..sorted.len() {
            let (before, furthest) = sorted[at - 1];
            if before.file == sorted[at].0.file {
                sorted[at].1 = sorted[at].1.max(furthest);
            }
        }
        Spans { sorted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[test]
    fn a_question_is_answered_as_by_asking_each_span() {
        let mut number = 1_u32;
        let mut below = |bound: u32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 16) % bound
        };
        for count in [0, 1, 2, 7, 40] {
            let mut span = || {
                let start = below(50);
                Span { file: FileId(below(3)), start, end: start + below(20) }
            };
            let all: Vec<Span> = (0..count).map(|_| span()).collect();
            let spans: Spans = all.iter().copied().collect();
            for inner in (0..500).map(|_| span()) {
                let expected = all.iter().any(|own| own.contains(inner));
                assert_eq!(spans.hold(inner), expected, "{inner:?} in {all:?}");
            }
        }
    }
}
