//! What programs cost in layouts that were chosen for them.

use anyhow::{Context, Result, bail, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::program::Program;

use crate::rank::{Costs, LIMIT, SOURCE, Simulated, common};

/// Each text with its simulated cost in that of the source's layout.
///
/// # Errors
/// When the program cannot be run in one of them.
pub fn simulated(
    layoutc: &Layoutc,
    program: &Program,
    device: &str,
    texts: &[String],
) -> Result<Vec<(String, f64)>> {
    let mut columns: Vec<&String> = texts.iter().filter(|text| *text != SOURCE).collect();
    columns.sort_unstable();
    columns.dedup();
    let mut arguments: Vec<String> = ["cost", "--simulate", "--json"].map(str::to_owned).into();
    arguments.extend(common(program, device, "sectors"));
    for column in &columns {
        arguments.extend(["--layout".to_owned(), (*column).clone()]);
    }
    arguments.push("--".to_owned());
    arguments.extend(program.simulated().iter().cloned());
    let outcome = layoutc.run(&program.folder, LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "{}: {}\n{}", program.name, outcome.ending(), outcome.stderr);
    let costs: Costs = serde_json::from_str(&outcome.stdout).context(program.name.clone())?;
    let table = costs.tables.into_iter().next().context("no table of costs")?;
    let own = |text: &str| {
        let own = table.layouts.iter().find(|layout| layout.layout == text);
        match own.with_context(|| format!("{text} was not priced"))?.simulated.as_ref() {
            Some(Simulated::Cost { cost, .. }) => Ok(*cost),
            Some(Simulated::Error(message)) => bail!("{}, {text}: {message}", program.name),
            None => bail!("{}, {text}: not simulated", program.name),
        }
    };
    let source = table.layouts.first().and_then(|layout| match layout.simulated {
        Some(Simulated::Cost { cost, .. }) => Some(cost),
        _ => None,
    });
    let source = source.with_context(|| format!("{}: no cost of the source", program.name))?;
    let cost = |text: &String| {
        let cost = if text == SOURCE { source } else { own(text)? };
        Ok((text.clone(), cost / source))
    };
    texts.iter().map(cost).collect()
}
