//! Layout requests drawn at random.

use fastrand::Rng;
use layoutc_dataflow::layout::notation::EVERY_ARRAY;
use layoutc_syntax::preprocess::{TokenKind, tokens};

use super::programs::Input;

/// Words of the layout notation, and numbers at its limits.
const NOTATION: &[&str] = &[
    "{",
    "}",
    "*",
    ",",
    "=",
    "(",
    ")",
    "[",
    "]",
    "/",
    "%",
    "::",
    ".",
    "soa",
    "aos",
    "tiled",
    "align",
    "field",
    "i",
    "0",
    "1",
    "32",
    "33",
    "65536",
    "65537",
    "18446744073709551616",
    "-1",
    "\u{e9}",
    "\"",
    "#",
    "",
];

/// Replaces the request of a program by one drawn at random: often sensible, sometimes not.
pub fn draw(input: &mut Input, rng: &mut Rng) {
    let own = std::mem::take(&mut input.layouts);
    let require = std::mem::take(&mut input.require);
    if rng.u32(..4) == 0 {
        input.require = require;
    }
    let records = records(input);
    let count = match rng.u32(..10) {
        // The first rule decides.
        0..3 => 0,
        3..9 => 1,
        _ => 2,
    };
    for _ in 0..count {
        let mut layout = match rng.choice(&own) {
            Some(own) if rng.bool() => own.clone(),
            _ => match rng.choice(&records) {
                Some(record) => format!("{} = {}", record.name, body(record, rng)),
                None => format!("{EVERY_ARRAY} = soa"),
            },
        };
        if rng.u32(..20) == 0 {
            let body = layout.split_once('=').map_or("", |(_, body)| body);
            layout = format!("{EVERY_ARRAY} ={body}");
        }
        if rng.u32(..10) == 0 {
            layout = spoil(&layout, rng);
        }
        input.layouts.push(layout);
    }
}

/// A struct by its text: its name and what may be its fields.
struct Record {
    name: String,
    fields: Vec<String>,
}

/// What looks like a struct definition. A guess is good enough: the request may be wrong.
fn records(input: &Input) -> Vec<Record> {
    let mut records = Vec::new();
    for file in &input.files {
        let text = String::from_utf8_lossy(&file.bytes);
        let found = tokens(&text);
        let spelled = |at: usize| found.get(at).map_or("", |token| token.text(&text));
        for at in 0..found.len() {
            if !matches!(spelled(at), "struct" | "class") || spelled(at + 2) != "{" {
                continue;
            }
            let until = (at + 3..found.len()).find(|at| spelled(*at) == "}").unwrap_or(found.len());
            let is_field = |at: &usize| {
                found[*at].kind == TokenKind::Identifier
                    && matches!(spelled(at + 1), ";" | "," | "[")
            };
            let fields = (at + 3..until).filter(is_field).map(|at| spelled(at).to_owned());
            records.push(Record { name: spelled(at + 1).to_owned(), fields: fields.collect() });
        }
    }
    records
}

fn body(record: &Record, rng: &mut Rng) -> String {
    match rng.u32(..8) {
        0 | 1 => "soa".to_owned(),
        2 | 3 => format!("tiled({})", tile(rng)),
        4 => format!("aos align({})", 8 << rng.u32(..3)),
        5 => format!("tiled({}) align({})", tile(rng), 16 << rng.u32(..5)),
        _ => {
            let mut fields = record.fields.clone();
            rng.shuffle(&mut fields);
            let mut groups = Vec::new();
            while !fields.is_empty() && groups.len() < 3 {
                let rest = fields.split_off(rng.usize(1..=fields.len()));
                let form = [
                    "".to_owned(),
                    format!(" tiled({})", tile(rng)),
                    " align(16)".to_owned(),
                    " aos".to_owned(),
                ];
                let form = rng.choice(&form).cloned().unwrap_or_default();
                groups.push(format!("{{{}}}{form}", fields.join(" ")));
                fields = rest;
            }
            groups.push("{*}".to_owned());
            groups.join(", ")
        }
    }
}

fn tile(rng: &mut Rng) -> u32 {
    match rng.u32(..4) {
        0 => rng.u32(1..70),
        _ => 1 << rng.u32(..8),
    }
}

/// Changes one token of a request.
#[must_use]
pub fn spoil(layout: &str, rng: &mut Rng) -> String {
    let found = tokens(layout);
    let Some(token) = rng.choice(&found) else { return "=".to_owned() };
    let word = rng.choice(NOTATION).copied().unwrap_or_default();
    let range = match rng.u32(..3) {
        0 => token.range(),
        1 => token.range().start..token.range().start,
        _ => return layout[..token.range().start].to_owned(),
    };
    [&layout[..range.start], word, " ", &layout[range.end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::malformed::programs::File;

    #[test]
    fn structs_are_found_and_layouts_vary() {
        let bytes = b"struct P { float x, y; int a[3]; };\nclass Q { double z; };".to_vec();
        let mut input = Input::default();
        input.files.push(File { name: "a.cu".to_owned(), is_root: true, bytes });
        let found = records(&input);
        assert_eq!(found[0].fields, ["x", "y", "a"]);
        assert_eq!((found[1].name.as_str(), found[1].fields.len()), ("Q", 1));
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let mut input = input.clone();
            draw(&mut input, &mut Rng::with_seed(seed));
            seen.extend(input.layouts);
        }
        assert!(seen.len() > 60, "{}", seen.len());
    }
}
