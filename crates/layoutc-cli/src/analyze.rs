//! `layoutc analyze`: the structured grids of a program, and which layout serves them; what recorded runs did with
//! arrays of structs.

mod costs;
mod graphs;
mod recorded;
mod text;

use crate::arguments::{AnalyzeArguments, ProgramArguments, SelectorName};
use crate::compile::{Purpose, Success, compile_for, parse_layouts};
use crate::exit::{Exit, fail, say};
use crate::format::{Findings, Format};
use crate::outputs::{input_conflicts, is_same_file};
use crate::refusals::has_errors;
use crate::summary;
use crate::write::{Target, write_all};
use costs::{Costs, costs};
use graphs::Graph;
use layoutc_analysis::grid::{
    Agreement, BusyBits, DigitExplanation, GridDimension, Launch, Model, digit_text, drawing,
};
use layoutc_analysis::grid_choice::{GridChoice, Verdict};
use layoutc_analysis::grid_model::BlockSource;
use layoutc_dataflow::layout::notation::LayoutSpec;
use layoutc_diagnostics::{Code, Diagnostic, SourceSet, Span};
use layoutc_driver::{GridReport, Status};
use recorded::Recorded;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The schema's version.
const VERSION: u32 = 1;

/// Everything that is shown.
#[derive(Serialize)]
struct Analysis {
    version: u32,
    device: String,
    grids: Vec<Grid>,
    /// Kernel Data Layout Graphs, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    graphs: Option<Vec<Graph>>,
    /// What was recorded, where there is a profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<Recorded>,
}

/// A grid.
#[derive(Serialize)]
struct Grid {
    names: Vec<String>,
    #[serde(rename = "type")]
    type_name: String,
    /// Slowest first; empty where the indices have no coordinates.
    dimensions: Vec<GridDimension>,
    kernel: Option<String>,
    launch: Option<Launch>,
    block_source: Option<BlockSource>,
    accesses: Vec<Access>,
    /// The pattern that all have in common.
    common_pattern: Option<String>,
    /// The two accesses that differ, if not all have one pattern.
    difference: Option<String>,
    /// Which columns were compared.
    agreement: Option<Agreement>,
    busy_bits: Vec<Busy>,
    model: Option<Model>,
    /// The digits that serve the accesses best, slowest first.
    layout: Option<String>,
    digits: Vec<DigitExplanation>,
    dimension_vector: Option<String>,
    flattening_function: Option<String>,
    costs: Option<Costs>,
    /// `changes`, `stays` or `refused`.
    status: &'static str,
    /// Why.
    because: String,
    /// What is in the way of a change.
    reasons: Vec<Reason>,
    notes: Vec<String>,
    /// The drawing's file, if drawings are asked for.
    drawing: Option<String>,
}

/// Accesses that have one matrix.
#[derive(Serialize)]
struct Access {
    matrix: String,
    /// Terms that are not affine.
    auxiliary: Vec<String>,
    /// Where, and the text there.
    places: Vec<Place>,
}

#[derive(Serialize)]
struct Place {
    file: String,
    line: u32,
    column: u32,
    text: String,
}

#[derive(Serialize)]
struct Busy {
    dimension: String,
    is_fastest: bool,
    #[serde(flatten)]
    bits: BusyBits,
}

#[derive(Serialize)]
struct Reason {
    code: String,
    message: String,
    file: String,
    line: u32,
    column: u32,
}

/// Analyses the program and prints what was found. Of the program nothing is written.
pub fn run(arguments: &AnalyzeArguments) -> Exit {
    let format = if arguments.json { Format::Json } else { arguments.program.format };
    let (layouts, errors) = parse_layouts(&arguments.program.layouts);
    if has_errors(&errors) {
        return format.show_errors(&SourceSet::new(), &errors);
    }
    let has_graphs =
        arguments.graph.is_some() || arguments.program.selector == Some(SelectorName::Kdlg);
    // What kernels access says which recorded array is which.
    let has_model = has_graphs || !arguments.program.profiles.is_empty();
    let purpose = if has_model { Purpose::Graph } else { Purpose::Analyze };
    let success = match compile_for(&arguments.program, purpose) {
        Ok(success) => success,
        Err(failure) => return format.show_failure(&failure),
    };
    let mut drawings: Vec<(PathBuf, String)> = Vec::new();
    let mut grids: Vec<Grid> = success
        .compiled
        .grids
        .iter()
        .map(|report| grid(&success, arguments, &layouts, report, &mut drawings))
        .collect();
    say_what_transform_does(&mut grids, arguments);
    let device = arguments.program.device.name.clone();
    let graphs = has_graphs.then(|| graphs::graphs(&success, arguments, &mut drawings));
    let recorded = success.profile.as_ref().map(|own| recorded::recorded(&success, arguments, own));
    let analysis = Analysis { version: VERSION, device, grids, graphs, recorded };
    if let (Some(path), Some(recorded)) = (&arguments.html, &analysis.recorded) {
        let errors = page_conflicts(path, arguments, &success);
        if !errors.is_empty() {
            return format.show_errors(success.sources(), &errors);
        }
        drawings.push((path.clone(), recorded.page()));
    }
    let targets: Vec<Target<'_>> = drawings
        .iter()
        .map(|(path, text)| Target {
            path: path.clone(),
            bytes: text.as_bytes().into(),
            creates_folders: true,
            keeps_unchanged: false,
        })
        .collect();
    if let Err(error) = write_all(&targets) {
        return format.show_errors(success.sources(), &[error.diagnostic()]);
    }
    let text = text::text(&analysis, arguments.html.is_none());
    let json = || {
        // Strings, numbers and lists cannot fail to be written.
        let mut text = serde_json::to_string_pretty(&analysis).unwrap_or_default();
        text.push('\n');
        text
    };
    let findings = Findings { text: &text, ..Findings::of(&success) };
    if let Err(message) = format.finish(&findings, json) {
        return fail(message);
    }
    if analysis.graphs.as_ref().is_some_and(Vec::is_empty) {
        say("no kernel accesses an array of structs in device memory");
    } else if analysis.grids.is_empty() && analysis.graphs.is_none() && analysis.recorded.is_none()
    {
        say("no array in device memory is indexed by several coordinates");
    }
    if let Some(missing) = summary::missing_headers(&success) {
        say(missing);
    }
    if !analysis.grids.is_empty() {
        say(grid_counts(&analysis.grids));
    }
    if let Some(path) = &arguments.html {
        say(format_args!("wrote {}", path.display()));
    }
    Exit::Done
}

/// Notes at grids that would change, and that `transform` leaves alone if nobody asks: it looks only at arrays of numbers
/// that may gain something.
fn say_what_transform_does(grids: &mut [Grid], arguments: &AnalyzeArguments) {
    let mut changing = grids.iter_mut().filter(|grid| grid.status == "changes").peekable();
    if changing.peek().is_none() {
        return;
    }
    let program = ProgramArguments { layouts: Vec::new(), ..arguments.program.clone() };
    let Ok(success) = compile_for(&program, Purpose::Transform) else { return };
    for grid in changing {
        let mut classes = success.compiled.classes.iter();
        let is_changed =
            classes.any(|class| class.status == Status::Changed && class.names == grid.names);
        if let (false, Some(layout), [name, ..]) = (is_changed, &grid.layout, &*grid.names) {
            grid.notes.push(format!(
                "`transform` leaves this array alone unasked; `--layout '{name} = {layout}'` asks for it"
            ));
        }
    }
}

/// How many grids change, and why the others stay.
fn grid_counts(grids: &[Grid]) -> String {
    let plural = if grids.len() == 1 { "" } else { "s" };
    let with = |status: &str| grids.iter().filter(|grid| grid.status == status).count();
    let mut line = format!("{} of {} grid{plural} would change", with("changes"), grids.len());
    if with("stays") > 0 {
        line.push_str(&format!("; {} would gain nothing", with("stays")));
    }
    if with("refused") > 0 {
        let reasons: Vec<String> = grids
            .iter()
            .filter(|grid| grid.status == "refused")
            .filter_map(|grid| grid.reasons.first())
            .map(|reason| format!("{} (`{}:{}`)", reason.code, reason.file, reason.line))
            .collect();
        line.push_str(&format!("; {} cannot: {}", with("refused"), summary::listed(&reasons)));
    }
    line
}

/// An error where the page would replace a file of the program, a profile or another output.
fn page_conflicts(path: &Path, arguments: &AnalyzeArguments, success: &Success) -> Vec<Diagnostic> {
    let mut errors = input_conflicts([path], success);
    let graph = arguments.graph.as_ref().map(|graph| &graph.path);
    for other in arguments.program.profiles.iter().chain(graph) {
        if is_same_file(path, other) {
            let message = format!("`--html {}` would replace a file of this call", path.display());
            errors.push(Diagnostic::error(Code::OUTPUT_CONFLICT, message));
        }
    }
    errors
}

fn grid(
    success: &Success,
    arguments: &AnalyzeArguments,
    layouts: &[LayoutSpec],
    report: &GridReport,
    drawings: &mut Vec<(PathBuf, String)>,
) -> Grid {
    let sources = success.sources();
    let choice = report.choice.as_ref();
    let explanation = choice.and_then(|choice| Some(&choice.layout.as_ref()?.explanation));
    let because = match (&report.layout, choice.map(|choice| &choice.verdict)) {
        (_, Some(Verdict::Gain(why) | Verdict::NoGain(why) | Verdict::Ineligible(why))) => {
            why.clone()
        }
        (_, None) => report.reasons.first().map_or_else(String::new, |pin| pin.message.clone()),
    };
    let would_gain = match choice {
        Some(choice) => choice.is_gain(),
        None => report.reasons.first().is_some_and(|pin| pin.code != Code::NO_GAIN),
    };
    let drawing = arguments.svg.as_ref().zip(explanation).map(|(folder, explanation)| {
        let name = drawing_name(report, drawings);
        let path = folder.join(name);
        drawings.push((path.clone(), drawing::svg(explanation)));
        path.display().to_string()
    });
    let busy = explanation.into_iter().flat_map(|explanation| &explanation.dimensions);
    let pattern = choice.and_then(|choice| choice.pattern.as_ref().ok());
    Grid {
        names: report.names.clone(),
        type_name: report.type_name.clone(),
        dimensions: choice.map_or_else(Vec::new, |choice| choice.shape.dimensions.clone()),
        kernel: report.kernel.clone(),
        launch: choice.map(|choice| choice.launch.clone()),
        block_source: choice.map(|choice| choice.block),
        accesses: choice.map_or_else(Vec::new, |choice| accesses(sources, report, choice)),
        common_pattern: pattern.map(ToString::to_string),
        difference: choice.and_then(|choice| choice.difference.clone()),
        agreement: pattern.and(choice).map(|choice| choice.agreement),
        busy_bits: busy
            .map(|dimension| Busy {
                dimension: dimension.name.clone(),
                is_fastest: dimension.is_fastest,
                bits: dimension.busy.clone(),
            })
            .collect(),
        model: explanation.map(|explanation| explanation.model.clone()),
        layout: choice.and_then(|choice| {
            let digits = &choice.layout.as_ref()?.digits;
            let texts: Vec<String> =
                digits.iter().map(|digit| digit_text(&choice.shape, *digit)).collect();
            Some(format!("[{}]", texts.join(", ")))
        }),
        digits: explanation.map_or_else(Vec::new, |explanation| explanation.digits.clone()),
        dimension_vector: explanation.map(|explanation| explanation.dimension_vector.clone()),
        flattening_function: explanation.map(|explanation| explanation.flattening_function.clone()),
        costs: choice.map(|choice| costs(arguments, layouts, report, choice)),
        status: match (&report.layout, would_gain) {
            (Some(_), _) => "changes",
            (None, true) => "refused",
            (None, false) => "stays",
        },
        because,
        reasons: report
            .reasons
            .iter()
            .filter(|_| report.layout.is_none() && would_gain)
            .map(|pin| {
                let place = place(sources, pin.span, String::new());
                Reason {
                    code: pin.code.to_string(),
                    message: pin.message.clone(),
                    file: place.file,
                    line: place.line,
                    column: place.column,
                }
            })
            .collect(),
        notes: explanation.map_or_else(Vec::new, |explanation| explanation.notes.clone()),
        drawing,
    }
}

/// The accesses by matrix, in the order in which they stand in the program.
fn accesses(sources: &SourceSet, report: &GridReport, choice: &GridChoice) -> Vec<Access> {
    let mut order: Vec<usize> = (0..report.places.len()).collect();
    order.sort_by_key(|at| report.places[*at].0);
    let mut found: Vec<Access> = Vec::new();
    for at in order {
        let matrix = &choice.model.matrices[at];
        let (span, text) = &report.places[at];
        let place = place(sources, *span, text.clone());
        let auxiliary: Vec<String> = matrix
            .rows
            .iter()
            .zip(&choice.shape.dimensions)
            .flat_map(|(row, dimension)| {
                row.auxiliary.iter().map(|term| text::auxiliary(&dimension.name, term))
            })
            .collect();
        let matrix = matrix.to_string();
        match found.iter_mut().find(|own| own.matrix == matrix && own.auxiliary == auxiliary) {
            Some(own) => own.places.push(place),
            None => found.push(Access { matrix, auxiliary, places: vec![place] }),
        }
    }
    found
}

fn place(sources: &SourceSet, span: Span, text: String) -> Place {
    let file = sources.file(span.file);
    let at = file.line_column(span.start as usize);
    Place { file: file.path().display().to_string(), line: at.line, column: at.column, text }
}

/// `f.svg`, and `f-2.svg` if there is one already.
fn drawing_name(report: &GridReport, drawings: &[(PathBuf, String)]) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = report.names.first().map_or("grid", String::as_str);
    let name: String = name.chars().map(|c| if is_word(c) { c } else { '_' }).collect();
    let taken: BTreeSet<_> = drawings.iter().filter_map(|(path, _)| path.file_name()).collect();
    let mut wish = format!("{name}.svg");
    let mut number = 2;
    while taken.contains(std::ffi::OsStr::new(&wish)) {
        wish = format!("{name}-{number}.svg");
        number += 1;
    }
    wish
}
