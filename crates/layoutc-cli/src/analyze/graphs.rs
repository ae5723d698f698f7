//! Kernel Data Layout Graphs of the arrays of structs.

use crate::arguments::{AnalyzeArguments, SelectorName};
use crate::compile::Success;
use crate::exit::say;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use layoutc_analysis::kdlg::choice::{Decision, Selection};
use layoutc_analysis::kdlg::drawing::{Drawn, dot, svg};
use layoutc_analysis::kdlg::{Distance, Kdlg};
use layoutc_driver::Status;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

/// The graph of a class, and what is made of it.
#[derive(Serialize)]
pub(super) struct Graph {
    #[serde(rename = "type")]
    type_name: String,
    names: Vec<String>,
    fields: Vec<Field>,
    /// δ by field and field; `null` where it is infinite, and of a field to itself.
    distances: Vec<Vec<Option<u64>>>,
    /// Fields nearer than this are one cluster.
    epsilon: u64,
    clusters: Vec<Cluster>,
    /// In the notation of `--layout`.
    layout: String,
    /// Whether `transform --selector kdlg` changes the array: `changes`, `stays` or, where the selector was
    /// not asked for, `free` or `refused`.
    status: &'static str,
    /// Why it stays.
    because: Option<String>,
    /// What `transform` does without `--selector kdlg`, where that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    transform: Option<Transform>,
}

/// What `transform` does with the same options: another selector may decide otherwise.
#[derive(Serialize)]
struct Transform {
    /// In the notation of `--layout`; `aos` if it stays.
    layout: String,
    because: String,
}

#[derive(Serialize)]
struct Field {
    name: String,
    size: u64,
}

#[derive(Serialize)]
struct Cluster {
    fields: Vec<String>,
    size: u64,
    /// Trips of the loop around its accesses.
    trips: u64,
    layout: String,
    /// `tree`, `one value` or `no tree`.
    chosen_by: String,
}

/// The graphs of all arrays of structs that kernels access; adds a file if one is asked for.
pub(super) fn graphs(
    success: &Success,
    arguments: &AnalyzeArguments,
    files: &mut Vec<(PathBuf, String)>,
) -> Vec<Graph> {
    let compiled = &success.compiled;
    let options = arguments.program.kdlg();
    let device = &arguments.program.device;
    let selection = Selection { model: &compiled.cost_model, device, options };
    let (mut graphs, mut decisions) = (Vec::new(), Vec::new());
    for (id, outcome) in compiled.record_classes.ids().zip(&compiled.classes) {
        let decision = match selection.decide(id) {
            Ok(decision) => decision,
            Err(why) => {
                say(format_args!("{} of `{}`: {why}", outcome.names.join(", "), outcome.type_name));
                continue;
            }
        };
        let is_chosen = arguments.program.selector == Some(SelectorName::Kdlg);
        let is_free = compiled.record_classes.class(id).is_free();
        let status = match (is_chosen, outcome.status) {
            (true, Status::Changed) => "changes",
            (true, Status::Kept) => "stays",
            (false, _) if is_free => "free",
            (false, _) => "refused",
        };
        let reason = outcome.reasons.first().filter(|_| matches!(status, "stays" | "refused"));
        graphs.push(Graph {
            type_name: outcome.type_name.clone(),
            names: outcome.names.clone(),
            fields: (decision.graph.fields.iter())
                .map(|field| Field { name: field.name.clone(), size: field.size })
                .collect(),
            distances: matrix(&decision.graph),
            epsilon: decision.epsilon,
            clusters: clusters(&decision),
            layout: decision.notation.clone(),
            status,
            because: reason.map(|pin| pin.message.clone()),
            transform: (!is_chosen).then(|| Transform {
                layout: outcome.layout.clone(),
                because: match outcome.reasons.first() {
                    Some(pin) => pin.message.clone(),
                    None => outcome.because.clone(),
                },
            }),
        });
        decisions.push((outcome, decision));
    }
    if let Some(file) = &arguments.graph {
        let drawn: Vec<Drawn<'_>> = (decisions.iter().zip(&graphs))
            .map(|((outcome, decision), graph)| Drawn {
                graph: &decision.graph,
                title: format!(
                    "{} ({}), ε = {} B, {}",
                    outcome.type_name,
                    outcome.names.join(", "),
                    decision.epsilon,
                    device.name
                ),
                clusters: (decision.clusters.iter().zip(&graph.clusters))
                    .map(|(cluster, shown)| (cluster.fields.clone(), shown.layout.clone()))
                    .collect(),
            })
            .collect();
        let text = if file.is_svg { svg(&drawn) } else { dot(&drawn) };
        files.push((file.path.clone(), text));
    }
    graphs
}

fn matrix(graph: &Kdlg) -> Vec<Vec<Option<u64>>> {
    let fields = 0..graph.fields.len();
    let distance = |f: usize, g: usize| match (f != g).then(|| graph.distance(f, g)) {
        Some(Distance::Bytes(bytes)) => Some(bytes),
        Some(Distance::Infinite) | None => None,
    };
    fields.clone().map(|f| fields.clone().map(|g| distance(f, g)).collect()).collect()
}

fn clusters(decision: &Decision) -> Vec<Cluster> {
    let name = |at: &usize| decision.graph.fields[*at].name.clone();
    (decision.clusters.iter())
        .map(|cluster| Cluster {
            fields: cluster.fields.iter().map(name).collect(),
            size: cluster.facts.size,
            trips: cluster.facts.trips,
            layout: cluster.layout.to_string(),
            chosen_by: cluster.chooser.to_string(),
        })
        .collect()
}

impl Graph {
    /// For people.
    pub(super) fn text(&self, device: &str) -> String {
        let mut out = format!("{}: {}\n", self.names.join(", "), self.type_name);
        let mut table = Table::new();
        table.load_style(NOTHING);
        let mut head = vec!["field".to_owned(), "bytes".to_owned()];
        head.extend(self.fields.iter().map(|field| field.name.clone()));
        table.set_header(head);
        for (at, (field, distances)) in self.fields.iter().zip(&self.distances).enumerate() {
            let mut row = vec![field.name.clone(), field.size.to_string()];
            row.extend(distances.iter().enumerate().map(|(to, distance)| match distance {
                _ if to == at => "-".to_owned(),
                Some(bytes) => bytes.to_string(),
                None => "∞".to_owned(),
            }));
            table.add_row(row);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        for line in table.to_string().lines() {
            let _ = writeln!(out, "  {}", line.trim_end());
        }
        let _ =
            writeln!(out, "  clusters of fields nearer than {} bytes ({device}):", self.epsilon);
        for cluster in &self.clusters {
            let _ = writeln!(
                out,
                "    {{{}}} of {} bytes: {} ({})",
                cluster.fields.join(" "),
                cluster.size,
                cluster.layout,
                cluster.chosen_by
            );
        }
        let because = self.because.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let status = match self.status {
            "free" => "may change",
            other => other,
        };
        let _ = writeln!(out, "  layout      {}\n  {status}{because}", self.layout);
        if let Some(own) = self.transform.as_ref().filter(|_| self.status == "free") {
            let by = match own.layout == self.layout {
                true => "agrees".to_owned(),
                false => {
                    format!("gives `{}`, as it chooses by cost and not by clusters", own.layout)
                }
            };
            let _ = writeln!(out, "  transform   {by}: {}", own.because);
            if own.layout != self.layout {
                let _ = writeln!(
                    out,
                    "              `--selector kdlg` takes the layout of the clusters"
                );
            }
        }
        out
    }
}
