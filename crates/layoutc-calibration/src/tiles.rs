//! Decision trees for tiles from measured times.
//!
//! Each training kernel is one loop of a number of trips over elements of a number of fields; it is timed in
//! several layouts. Of a kernel, every layout that takes less than 1 % more than the fastest gives a
//! *pattern*: the features of the kernel, and the layout. The tree of one feature, the size of an element, is
//! the paper's; a second one sees the number of fields and of trips too.
//!
//! Source: Kofler, Cosenza, Fahringer, Euro-Par 2015, §3.2. Deviations: the trees are those of `linfa-trees`
//! (entropy; at least four patterns a leaf) and not of C5.0, which also prunes by confidence. A leaf is what
//! most of its patterns have; of several, array of structs, small tiles, large ones, arrays, in this order.

use layoutc_analysis::device::tree::{ClusterFacts, ClusterLayout, Feature, Tree};
use linfa::Dataset;
use linfa::prelude::Fit;
use linfa_trees::{DecisionTree, SplitQuality, TreeNode};
use ndarray::{Array1, Array2};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Layouts that take at most this much longer than the fastest are as good.
const AS_GOOD: f64 = 1.01;
/// Patterns of a leaf, at least.
const LEAF: f32 = 4.0;
/// Tests on the way to a leaf, at most.
const DEPTH: usize = 8;
/// Breaks ties between layouts, far below the weight of a pattern.
const TIE: f32 = 1e-3;

/// The time of a kernel in a layout.
#[derive(Clone, PartialEq, Debug)]
pub struct TileRun {
    /// The kernel: the element and its loop.
    pub kernel: ClusterFacts,
    /// The layout.
    pub layout: ClusterLayout,
    /// Finite and above 0.
    pub seconds: f64,
}

/// All times that were measured on a device.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TileRuns {
    /// Where, if the file says so.
    pub device: Option<String>,
    /// The times, in any order.
    pub runs: Vec<TileRun>,
}

/// Why times say nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TilesError {
    /// The text is no CSV of the expected form.
    Syntax(String),
    /// A time, counted from 1, makes no sense.
    Run(usize, &'static str),
    /// There is no time.
    Empty,
    /// The trees cannot be trained.
    Training(String),
}

impl fmt::Display for TilesError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => out.write_str(message),
            Self::Run(number, what) => write!(out, "time {number}: {what}"),
            Self::Empty => out.write_str("it holds no times"),
            Self::Training(message) => write!(out, "no tree can be trained: {message}"),
        }
    }
}

impl std::error::Error for TilesError {}

#[derive(Deserialize)]
struct Row {
    trips: u64,
    fields: u64,
    field_bytes: u64,
    layout: String,
    seconds: f64,
}

impl TileRuns {
    /// Reads CSV with the columns `trips`, `fields`, `field_bytes`, `layout` (`aos`, `soa`, `tiled(T)`) and
    /// `seconds`; `# device: NAME` names the device.
    ///
    /// # Errors
    /// The first mistake.
    pub fn from_csv(text: &str) -> Result<TileRuns, TilesError> {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let rows: Result<Vec<Row>, csv::Error> = reader.deserialize().collect();
        let rows = rows.map_err(|error| TilesError::Syntax(error.to_string()))?;
        let run = |(at, row): (usize, &Row)| {
            let wrong = |what| TilesError::Run(at + 1, what);
            let layout = ClusterLayout::named(&row.layout)
                .ok_or_else(|| wrong("the layout is none of aos, soa and tiled(T)"))?;
            if !row.seconds.is_finite() || row.seconds <= 0.0 {
                return Err(wrong("the seconds are not above 0"));
            }
            let size = row.fields.checked_mul(row.field_bytes).filter(|size| *size > 0);
            let size = size.ok_or_else(|| wrong("an element without bytes"))?;
            let kernel = ClusterFacts { size, fields: row.fields, trips: row.trips };
            Ok(TileRun { kernel, layout, seconds: row.seconds })
        };
        let runs: Vec<TileRun> = rows.iter().enumerate().map(run).collect::<Result<_, _>>()?;
        if runs.is_empty() {
            return Err(TilesError::Empty);
        }
        let device = text.lines().find_map(|line| line.strip_prefix("# device: "));
        Ok(TileRuns { device: device.map(|name| name.trim().to_owned()), runs })
    }

    /// The patterns: for each kernel, the layouts that are within 1 % of the fastest.
    #[must_use]
    pub fn patterns(&self) -> Vec<Pattern> {
        let mut kernels: BTreeMap<[u64; 3], Vec<&TileRun>> = BTreeMap::new();
        for run in &self.runs {
            kernels
                .entry(Feature::ALL.map(|feature| run.kernel.value(feature)))
                .or_default()
                .push(run);
        }
        let mut patterns = Vec::new();
        for runs in kernels.values_mut() {
            let fastest = runs.iter().map(|run| run.seconds).fold(f64::INFINITY, f64::min);
            runs.retain(|run| run.seconds <= fastest * AS_GOOD);
            runs.sort_by_key(|run| run.layout);
            patterns
                .extend(runs.iter().map(|run| Pattern { kernel: run.kernel, layout: run.layout }));
        }
        patterns
    }

    /// How much longer the kernels take in the layouts of a tree than in their fastest ones, on average.
    #[must_use]
    pub fn loss(&self, tree: &Tree) -> f64 {
        let mut fastest: BTreeMap<[u64; 3], (f64, Option<f64>)> = BTreeMap::new();
        for run in &self.runs {
            let key = Feature::ALL.map(|feature| run.kernel.value(feature));
            let (best, chosen) = fastest.entry(key).or_insert((f64::INFINITY, None));
            *best = best.min(run.seconds);
            if tree.layout(&run.kernel) == Some(run.layout) {
                *chosen = Some(run.seconds);
            }
        }
        let losses: Vec<f64> =
            fastest.values().filter_map(|(best, chosen)| Some((*chosen)? / best - 1.0)).collect();
        losses.iter().sum::<f64>() / losses.len().max(1) as f64
    }
}

/// A training pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The features.
    pub kernel: ClusterFacts,
    /// The layout that is to be chosen.
    pub layout: ClusterLayout,
}

/// The tree of these features for the patterns.
///
/// # Errors
/// [`TilesError::Empty`] without patterns.
pub fn train(patterns: &[Pattern], features: &[Feature]) -> Result<Tree, TilesError> {
    if patterns.is_empty() {
        return Err(TilesError::Empty);
    }
    let mut layouts: Vec<ClusterLayout> = patterns.iter().map(|pattern| pattern.layout).collect();
    layouts.sort_unstable();
    layouts.dedup();
    let class = |layout: ClusterLayout| layouts.iter().position(|own| *own == layout).unwrap_or(0);
    let records = Array2::from_shape_fn((patterns.len(), features.len()), |(row, column)| {
        patterns[row].kernel.value(features[column]) as f64
    });
    let targets: Array1<usize> = patterns.iter().map(|pattern| class(pattern.layout)).collect();
    let weight = |layout| 1.0 - TIE * class(layout) as f32 / layouts.len() as f32;
    let weights: Array1<f32> = patterns.iter().map(|pattern| weight(pattern.layout)).collect();
    let data = Dataset::new(records, targets).with_weights(weights);
    let fitted: DecisionTree<f64, usize> = DecisionTree::params()
        .split_quality(SplitQuality::Entropy)
        .max_depth(Some(DEPTH))
        .min_weight_leaf(LEAF)
        .fit(&data)
        .map_err(|error| TilesError::Training(error.to_string()))?;
    let all: Vec<&Pattern> = patterns.iter().collect();
    Ok(converted(fitted.root_node(), features, &all))
}

/// A node as our tree: tests as they are, layouts from the patterns that get there.
fn converted(node: &TreeNode<f64, usize>, features: &[Feature], patterns: &[&Pattern]) -> Tree {
    let children = node.children();
    let (feature, value, _) = node.split();
    if let ([Some(below), Some(above)], false) = (&children[..], node.is_leaf()) {
        let feature = features[feature];
        let at_most = value.floor().max(0.0) as u64;
        let (low, high): (Vec<&Pattern>, Vec<&Pattern>) =
            patterns.iter().partition(|pattern| pattern.kernel.value(feature) <= at_most);
        let below = converted(below, features, &low);
        let above = converted(above, features, &high);
        if below == above {
            return below;
        }
        return Tree::Split { feature, at_most, branches: Box::new([below, above]) };
    }
    let mut counts: BTreeMap<ClusterLayout, usize> = BTreeMap::new();
    for pattern in patterns {
        *counts.entry(pattern.layout).or_default() += 1;
    }
    // Of equals, the first.
    let most = counts.iter().rev().max_by_key(|(_, count)| **count);
    Tree::Leaf(most.map(|(layout, _)| *layout))
}

/// Both trees of a device.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainedTiles {
    /// By size alone.
    pub by_size: Tree,
    /// By size, fields and trips.
    pub by_access: Tree,
    /// How many kernels were timed, and how many patterns they gave.
    pub counts: (usize, usize),
    /// What the trees lose against the fastest layout of each kernel, on average.
    pub losses: [f64; 2],
}

/// Trains both trees.
///
/// # Errors
/// As [`train`].
pub fn trained(runs: &TileRuns) -> Result<TrainedTiles, TilesError> {
    let patterns = runs.patterns();
    let by_size = train(&patterns, &[Feature::Size])?;
    let by_access = train(&patterns, &Feature::ALL)?;
    let mut kernels: Vec<[u64; 3]> =
        runs.runs.iter().map(|run| Feature::ALL.map(|feature| run.kernel.value(feature))).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let losses = [runs.loss(&by_size), runs.loss(&by_access)];
    Ok(TrainedTiles { by_size, by_access, counts: (kernels.len(), patterns.len()), losses })
}

impl TrainedTiles {
    /// The `[tiles]` table of a device file; `source` says where the times come from.
    #[must_use]
    pub fn device_fragment(&self, source: &str) -> String {
        let (kernels, patterns) = self.counts;
        let mut text = format!(
            "# {kernels} kernels timed, {patterns} patterns within 1 % of the fastest layout.\n"
        );
        let source = toml::Value::String(source.to_owned());
        let trees = [("by_size", &self.by_size), ("by_access", &self.by_access)];
        for ((name, tree), loss) in trees.into_iter().zip(self.losses) {
            let percent = loss * 100.0;
            let tree = tree.to_string();
            let tree = tree.trim_end();
            let _ = writeln!(
                text,
                "# On these kernels the tree takes {percent:.1} % more than the fastest layouts.\n\
                 [tiles.{name}]\nvalue = '''\n{tree}\n'''\nsource = {source}\nconfidence = \"A\"\n"
            );
        }
        text
    }
}
