//! Decision trees that choose the layout of a cluster: the paper's `SELECT-TILESIZE`.
//!
//! A tree is written as C5.0 prints one: a test on each line, what holds below it indented by two
//! blanks, and the layout behind a colon.
//!
//! ```text
//! size <= 48
//!   size <= 20: soa
//!   size > 20: tiled(8192)
//! size > 48: tiled(32768)
//! ```
//!
//! Tests are on `size` (bytes of all fields of the cluster), `fields` (how many) and `trips` (of the loop
//! around the accesses). Layouts are `aos`, `soa` and `tiled(T)`; `lost` stands where the paper's figure
//! cannot be read.

use layoutc_dataflow::layout::MAX_TILE;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a test is on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Feature {
    /// σ of the cluster, in bytes.
    Size,
    /// Its fields.
    Fields,
    /// Trips of the loop around the accesses.
    Trips,
}

impl Feature {
    /// All, in the order of their numbers.
    pub const ALL: [Feature; 3] = [Feature::Size, Feature::Fields, Feature::Trips];

    /// What a tree calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Feature::Size => "size",
            Feature::Fields => "fields",
            Feature::Trips => "trips",
        }
    }
}

/// A cluster, as trees see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClusterFacts {
    /// Bytes of its fields.
    pub size: u64,
    /// How many they are.
    pub fields: u64,
    /// Trips of the loop around their accesses; 1 without one.
    pub trips: u64,
}

impl ClusterFacts {
    /// The value of a feature.
    #[must_use]
    pub fn value(&self, feature: Feature) -> u64 {
        match feature {
            Feature::Size => self.size,
            Feature::Fields => self.fields,
            Feature::Trips => self.trips,
        }
    }
}

/// The layout of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ClusterLayout {
    /// An array of structs.
    Aos,
    /// Tiles of so many elements.
    Tiled(u64),
    /// An array for each field.
    Soa,
}

impl ClusterLayout {
    /// The layout that a tree's leaf or a measurement names.
    #[must_use]
    pub fn named(text: &str) -> Option<ClusterLayout> {
        match text {
            "aos" => Some(ClusterLayout::Aos),
            "soa" => Some(ClusterLayout::Soa),
            _ => {
                let tile = text.strip_prefix("tiled(")?.strip_suffix(')')?.parse().ok()?;
                (2..=MAX_TILE).contains(&tile).then_some(ClusterLayout::Tiled(tile))
            }
        }
    }
}

impl fmt::Display for ClusterLayout {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClusterLayout::Aos => out.write_str("aos"),
            ClusterLayout::Soa => out.write_str("soa"),
            ClusterLayout::Tiled(tile) => write!(out, "tiled({tile})"),
        }
    }
}

/// A decision tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Tree {
    /// A layout; `None`: the paper's figure cannot be read here.
    Leaf(Option<ClusterLayout>),
    /// A test.
    Split {
        /// What is tested.
        feature: Feature,
        /// Up to this value the first tree decides, above it the second.
        at_most: u64,
        /// The trees.
        branches: Box<[Tree; 2]>,
    },
}

impl Tree {
    /// The layout of a cluster, if it can be read.
    #[must_use]
    pub fn layout(&self, cluster: &ClusterFacts) -> Option<ClusterLayout> {
        match self {
            Tree::Leaf(layout) => *layout,
            Tree::Split { feature, at_most, branches } => {
                let is_above = cluster.value(*feature) > *at_most;
                branches[usize::from(is_above)].layout(cluster)
            }
        }
    }

    /// Reads a tree.
    ///
    /// # Errors
    /// The line that is not as it should be, and why.
    pub fn parse(text: &str) -> Result<Tree, String> {
        let lines: Vec<(usize, &str)> = (text.lines())
            .filter(|line| !line.trim().is_empty())
            .map(|line| (line.len() - line.trim_start_matches(' ').len(), line.trim()))
            .collect();
        let mut rest = lines.as_slice();
        let tree = match rest {
            [(0, only)] if !only.contains(char::is_whitespace) => {
                rest = &[];
                leaf(only)?
            }
            _ => split(&mut rest, 0)?,
        };
        match rest {
            [] => Ok(tree),
            [(_, line), ..] => Err(format!("`{line}`: nothing is expected here")),
        }
    }

    fn write(&self, depth: usize, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tree::Split { feature, at_most, branches } = self else { return Ok(()) };
        for (sign, branch) in ["<=", ">"].into_iter().zip(branches.iter()) {
            write!(out, "{:indent$}{} {sign} {at_most}", "", feature.name(), indent = depth * 2)?;
            match branch {
                Tree::Leaf(_) => writeln!(out, ": {branch}")?,
                Tree::Split { .. } => {
                    writeln!(out)?;
                    branch.write(depth + 1, out)?;
                }
            }
        }
        Ok(())
    }
}

/// A test and its opposite, with what is below them.
fn split(lines: &mut &[(usize, &str)], indent: usize) -> Result<Tree, String> {
    let (feature, at_most, below) = branch(lines, indent, "<=")?;
    let (other, value, above) = branch(lines, indent, ">")?;
    if (other, value) != (feature, at_most) {
        let name = feature.name();
        return Err(format!("`{name} <= {at_most}` is not followed by `{name} > {at_most}`"));
    }
    Ok(Tree::Split { feature, at_most, branches: Box::new([below, above]) })
}

fn branch(
    lines: &mut &[(usize, &str)],
    indent: usize,
    sign: &str,
) -> Result<(Feature, u64, Tree), String> {
    let Some(((own, line), rest)) = lines.split_first() else {
        return Err(format!("a line with `{sign}` is missing at the end"));
    };
    let (own, line) = (*own, *line);
    if own != indent {
        return Err(format!("`{line}`: {indent} blanks are expected in front of it"));
    }
    *lines = rest;
    let (test, layout) = match line.split_once(':') {
        Some((test, layout)) => (test, Some(layout.trim())),
        None => (line, None),
    };
    let words: Vec<&str> = test.split_whitespace().collect();
    let found = match words[..] {
        [name, found, value] if found == sign => {
            let feature = Feature::ALL.into_iter().find(|feature| feature.name() == name);
            feature.zip(value.parse().ok())
        }
        _ => None,
    };
    let Some((feature, at_most)) = found else {
        return Err(format!("`{line}`: a test like `size {sign} 20` is expected"));
    };
    let tree = match layout {
        Some(layout) => leaf(layout)?,
        None => split(lines, indent + 2)?,
    };
    Ok((feature, at_most, tree))
}

fn leaf(text: &str) -> Result<Tree, String> {
    match ClusterLayout::named(text) {
        Some(layout) => Ok(Tree::Leaf(Some(layout))),
        None if text == "lost" => Ok(Tree::Leaf(None)),
        None => Err(format!("`{text}` is none of aos, soa, tiled(T) and lost")),
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Leaf(Some(layout)) => layout.fmt(out),
            Tree::Leaf(None) => out.write_str("lost"),
            Tree::Split { .. } => self.write(0, out),
        }
    }
}

impl TryFrom<String> for Tree {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Tree::parse(&text)
    }
}

impl From<Tree> for String {
    fn from(tree: Tree) -> String {
        tree.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
size <= 48
  size <= 20: soa
  size > 20
    trips <= 512: aos
    trips > 512: lost
size > 48: tiled(32768)
";

    fn facts(size: u64, trips: u64) -> ClusterFacts {
        ClusterFacts { size, fields: 1, trips }
    }

    #[test]
    fn trees_are_read_and_written() {
        let tree = Tree::parse(TEXT).expect("a tree");
        assert_eq!(tree.to_string(), TEXT);
        assert_eq!(tree.layout(&facts(20, 1)), Some(ClusterLayout::Soa));
        assert_eq!(tree.layout(&facts(21, 512)), Some(ClusterLayout::Aos));
        assert_eq!(tree.layout(&facts(21, 513)), None);
        assert_eq!(tree.layout(&facts(49, 1)), Some(ClusterLayout::Tiled(32768)));
        let leaf = Tree::parse("soa\n").expect("a tree");
        assert_eq!(
            (leaf.to_string().as_str(), leaf.layout(&facts(1, 1))),
            ("soa", Some(ClusterLayout::Soa))
        );
    }

    #[test]
    fn what_is_no_tree_is_named() {
        for (text, cause) in [
            ("", "is missing"),
            ("size <= 4: soa", "`>` is missing"),
            ("size <= 4: soa\nsize > 5: aos", "not followed by `size > 4`"),
            ("size <= 4: soa\nfields > 4: aos", "not followed by `size > 4`"),
            ("width <= 4: soa\nwidth > 4: aos", "`width <= 4: soa`"),
            ("size <= 4: tiled(0)\nsize > 4: aos", "`tiled(0)` is none of"),
            ("size <= 4: tiled(1)\nsize > 4: aos", "`tiled(1)` is none of"),
            ("size <= 4\nsize > 4: aos", "2 blanks"),
            ("size <= 4: aos\nsize > 4: aos\nsoa", "`soa`: nothing"),
        ] {
            let error = Tree::parse(text).expect_err(text);
            assert!(error.contains(cause), "{text}: {error}");
        }
    }
}
