//! `docs/strips.svg`, the picture of README.md: an element in memory, before and after.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, ensure};
use roxmltree::{Document, Node, ParsingOptions};

use crate::layoutc::{Layoutc, VERIFY_LIMIT};
use crate::program::Program;

/// The program that is drawn.
const PROGRAM: &str = "nbody";
/// Pixels around the drawings, and for the line above each.
const MARGIN: u32 = 16;
const LINE: u32 = 24;

/// Bodies and steps: so many that another layout pays for its copies.
const RUN: [&str; 3] = ["--", "256", "2000"];

/// The picture: the drawings of layouts in the page that `layoutc analyze --html` writes, one below the other.
///
/// # Errors
/// The program cannot be recorded, or the page has no drawing.
pub fn memory_strips() -> Result<String> {
    let page = page()?;
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&page, options)?;
    let drawings: Vec<Node<'_, '_>> = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "svg")))
        .collect();
    ensure!(!drawings.is_empty(), "the page has no drawing");
    let (mut inner, mut width, mut y) = (String::new(), 0, MARGIN);
    for drawing in drawings {
        let label = drawing.attribute("aria-label").context("a drawing has no label")?;
        let size = |name: &str| -> Result<u32> {
            Ok(drawing.attribute(name).with_context(|| name.to_owned())?.parse()?)
        };
        // A label of the page is escaped there, and again here: it is the name of a type and a layout.
        let label = label.replace('&', "&amp;").replace('<', "&lt;");
        let text = &page[drawing.range()];
        let _ = writeln!(inner, "<text x=\"{MARGIN}\" y=\"{}\">{label}</text>", y + MARGIN);
        let _ = writeln!(inner, "<g transform=\"translate({MARGIN} {})\">{text}</g>", y + LINE);
        y += LINE + size("height")?;
        width = width.max(size("width")? + 2 * MARGIN);
    }
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {y}\" font-family=\"sans-serif\" \
         font-size=\"16\">\n<rect width=\"{width}\" height=\"{y}\" fill=\"white\"/>\n{inner}</svg>\n"
    ))
}

/// The page of one recorded run.
fn page() -> Result<String> {
    let program = Program::load(PROGRAM)?;
    let output = tempfile::tempdir()?;
    let path = |name: &str| output.path().join(name).display().to_string();
    let (profile, page) = (path("run.profile"), path("page.html"));
    let files = || program.files.iter().map(|file| file.to_string_lossy().into_owned());
    let commands: [(&[&str], &[&str]); 2] = [
        (&["profile", "-o", &profile], &RUN),
        (&["analyze", "--profile", &profile, "--html", &page], &[]),
    ];
    for (command, run) in commands {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let arguments = owned(command).into_iter().chain(files()).chain(owned(run));
        let outcome = Layoutc::built()?.run(&program.folder, VERIFY_LIMIT, arguments)?;
        ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
    }
    Ok(fs::read_to_string(page)?)
}
