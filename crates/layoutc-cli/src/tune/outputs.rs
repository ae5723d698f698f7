//! What a program prints, and what of it is the same in every run.

use layoutc_runtime::process::RunStatus;

/// What every candidate has to print and how it has to end, as far as the source's own runs agree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    status: RunStatus,
    /// The lines; `None` for one that differs from run to run, or has the figure. No list where runs differ in the number
    /// of their lines.
    lines: Option<Vec<Option<Vec<u8>>>>,
}

impl Expected {
    /// What one run says; lines with the text `figure` are not compared.
    pub fn of(status: RunStatus, output: &[u8], figure: Option<&str>) -> Expected {
        let has_figure = |line: &[u8]| {
            figure.is_some_and(|figure| String::from_utf8_lossy(line).contains(figure))
        };
        let line = |line: &[u8]| (!has_figure(line)).then(|| line.to_vec());
        Expected { status, lines: Some(lines(output).map(line).collect()) }
    }

    /// What is the same in another run of the source.
    pub fn agree(&mut self, output: &[u8]) {
        let Some(known) = &mut self.lines else { return };
        if lines(output).count() != known.len() {
            self.lines = None;
            return;
        }
        for (known, line) in known.iter_mut().zip(lines(output)) {
            if known.as_deref().is_some_and(|known| known != line) {
                *known = None;
            }
        }
    }

    /// How many lines differ from run to run; `None` if even their number does.
    pub fn unsettled(&self) -> Option<usize> {
        Some(self.lines.as_ref()?.iter().filter(|line| line.is_none()).count())
    }

    /// How a run differs from this, in words.
    pub fn difference(&self, status: RunStatus, output: &[u8]) -> Option<String> {
        if status != self.status {
            return Some(format!("it ended with {status}, and the source with {}", self.status));
        }
        let known = self.lines.as_ref()?;
        let count = lines(output).count();
        if count != known.len() {
            return Some(format!("it prints {count} lines, and the source {}", known.len()));
        }
        for (number, (known, line)) in (1..).zip(known.iter().zip(lines(output))) {
            if let Some(known) = known.as_deref().filter(|known| *known != line) {
                let [own, known] = [line, known].map(String::from_utf8_lossy);
                return Some(format!(
                    "line {number} of its output is `{own}`, and the source's `{known}`"
                ));
            }
        }
        None
    }
}

fn lines(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.strip_suffix(b"\n").unwrap_or(output).split(|byte| *byte == b'\n')
}

/// The number behind the last place of a text.
pub fn figure(output: &[u8], text: &str) -> Option<f64> {
    let output = String::from_utf8_lossy(output);
    let behind = output.rsplit_once(text)?.1;
    let number = behind.trim_start_matches([' ', '\t', ':', '=']);
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    let end = number.find(|c| !is_part(c)).unwrap_or(number.len());
    // Behind the digits may stand a letter of the unit, or the full stop of a sentence.
    (1..=end)
        .rev()
        .find_map(|end| number[..end].parse().ok())
        .filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: RunStatus = RunStatus::Exited(0);

    #[test]
    fn lines_that_change_are_not_compared() {
        let mut expected = Expected::of(DONE, b"sum 3\ntook 1 ms\n", None);
        expected.agree(b"sum 3\ntook 2 ms\n");
        assert_eq!(expected.unsettled(), Some(1));
        assert_eq!(expected.difference(DONE, b"sum 3\ntook 9 ms\n"), None);
        let other = expected.difference(DONE, b"sum 4\ntook 9 ms\n").expect("another sum");
        assert!(other.contains("line 1 of its output is `sum 4`"), "{other}");
        assert!(expected.difference(DONE, b"sum 3\n").is_some_and(|own| own.contains("1 lines")));
        assert!(expected.difference(RunStatus::Exited(1), b"sum 3\ntook 1 ms\n").is_some());
        expected.agree(b"sum 3\n");
        assert_eq!((expected.unsettled(), expected.difference(DONE, b"x\ny\nz\n")), (None, None));
    }

    #[test]
    fn a_figure_is_the_number_behind_its_text() {
        let found = |text| figure(text, "time");
        assert_eq!(found(b"time: 12.5ms"), Some(12.5));
        assert_eq!(found(b"time 1\ntime = 2e-3 s\n"), Some(2e-3));
        assert_eq!(found(b"the time is 3"), None);
        assert_eq!(found(b"time 7."), Some(7.0));
        assert_eq!(found(b"time 4 examples"), Some(4.0));
        assert_eq!(found(b"time 5exact"), Some(5.0));
        assert_eq!(found(b"nothing"), None);
        // Its line is not compared, whatever it says.
        let expected = Expected::of(DONE, b"time 1\nx\n", Some("time"));
        assert_eq!(expected.difference(DONE, b"time 2\nx\n"), None);
    }
}
