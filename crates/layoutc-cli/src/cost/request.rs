//! What a column of prices stands for: `A = soa; x + vx = aos`.

use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_diagnostics::Diagnostic;

/// The layout of an array, or of several that lie together as one.
pub(super) struct Request {
    /// The names; more than one for arrays that are put together.
    pub(super) targets: Vec<String>,
    /// The layout; its target is the first name.
    pub(super) spec: LayoutSpec,
    /// As it was written.
    pub(super) text: String,
}

impl Request {
    /// The requests of one column.
    ///
    /// # Errors
    /// A request that is no layout.
    pub(super) fn parse_all(text: &str) -> Result<Vec<Request>, Diagnostic> {
        text.split(';').map(Request::parse).collect()
    }

    fn parse(text: &str) -> Result<Request, Diagnostic> {
        let text = text.trim();
        let (targets, body) = text.split_once('=').unwrap_or((text, ""));
        let names: Vec<String> = targets.split('+').map(|name| name.trim().to_owned()).collect();
        let single = match names.as_slice() {
            [first, _, ..] => format!("{first} ={body}"),
            _ => text.to_owned(),
        };
        let spec = LayoutSpec::parse(&single).map_err(|error| error.diagnostic(&single))?;
        let targets = if names.len() > 1 { names } else { vec![spec.target.clone()] };
        Ok(Request { targets, spec, text: text.to_owned() })
    }
}
