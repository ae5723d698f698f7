//! Distances by the letter: loops unrolled, one data flow from each instruction.

use layoutc_analysis::cost::flow::Leave;
use layoutc_analysis::kdlg::distance::Node;

/// Instructions of an unrolled kernel; predecessors come before.
#[derive(Default)]
pub struct Unrolled {
    /// Field, bytes, predecessors.
    instructions: Vec<(Option<usize>, u64, Vec<usize>)>,
    /// Runs of instructions that no way leads through.
    rare: Vec<std::ops::Range<usize>>,
}

/// The instructions that are last on the ways to each exit.
#[derive(Clone, Default)]
struct Ends {
    next: Vec<usize>,
    trip: Vec<usize>,
    function: Vec<usize>,
}

impl Unrolled {
    pub fn new(kernel: &[Node]) -> Unrolled {
        // Where the kernel begins is an instruction that accesses nothing.
        let mut all = Unrolled { instructions: vec![(None, 0, Vec::new())], rare: Vec::new() };
        all.list(kernel, vec![0]);
        all
    }

    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    fn list(&mut self, nodes: &[Node], from: Vec<usize>) -> Ends {
        let mut ends = Ends { next: from, ..Ends::default() };
        for node in nodes {
            if ends.next.is_empty() {
                break;
            }
            let own = self.node(node, std::mem::take(&mut ends.next));
            ends.next = own.next;
            ends.trip.extend(own.trip);
            ends.function.extend(own.function);
        }
        ends
    }

    fn node(&mut self, node: &Node, from: Vec<usize>) -> Ends {
        let mut ends = Ends::default();
        match node {
            Node::Access { field, bytes } => {
                self.instructions.push((*field, *bytes, from));
                ends.next.push(self.instructions.len() - 1);
            }
            Node::Leave(Leave::Function) => ends.function = from,
            Node::Leave(Leave::Trip) => ends.trip = from,
            Node::Branch(ways) => {
                for way in ways {
                    let own = self.list(way, from.clone());
                    ends.next.extend(own.next);
                    ends.trip.extend(own.trip);
                    ends.function.extend(own.function);
                }
            }
            Node::Guard { usual, rare } => {
                ends = self.list(usual, from.clone());
                let comes_back = self.leads(&from, &ends.next);
                // An instruction of its own, so that an empty way has no way through it either.
                let start = self.len();
                self.instructions.push((None, 0, from));
                let own = self.list(rare, vec![start]);
                if comes_back {
                    self.rare.push(start..self.len());
                }
                ends.next.extend(own.next);
                ends.trip.extend(own.trip);
                ends.function.extend(own.function);
            }
            Node::Call(body) => {
                let own = self.list(body, from);
                ends.next = own.next;
                ends.next.extend(own.function);
            }
            Node::Loop { trips, body } => {
                ends.next = from;
                for _ in 0..*trips {
                    let own = self.list(body, std::mem::take(&mut ends.next));
                    ends.next = own.next;
                    ends.next.extend(own.trip);
                    ends.function.extend(own.function);
                    ends.next.sort_unstable();
                    ends.next.dedup();
                    if ends.next.is_empty() {
                        break;
                    }
                }
            }
        }
        ends
    }

    /// Whether a way leads from some instructions to the end of others.
    fn leads(&self, from: &[usize], to: &[usize]) -> bool {
        let mut reached: Vec<bool> = (0..self.len()).map(|at| from.contains(&at)).collect();
        let is_rare =
            |x: usize, j: usize| self.rare.iter().any(|run| run.contains(&x) && !run.contains(&j));
        for (j, (.., predecessors)) in self.instructions.iter().enumerate() {
            let is_open = |x: &usize| reached[*x] && (from.contains(x) || !is_rare(*x, j));
            reached[j] = reached[j] || predecessors.iter().any(is_open);
        }
        to.iter().any(|x| reached[*x] && (from.contains(x) || !is_rare(*x, self.len())))
    }

    /// `OUT_i` for all instructions.
    fn out(&self, i: usize) -> Vec<Option<u64>> {
        let mut out: Vec<Option<u64>> = Vec::new();
        for (j, (_, bytes, predecessors)) in self.instructions.iter().enumerate() {
            let is_open = |x: &&usize| {
                let leaves = |run: &&std::ops::Range<usize>| run.contains(*x) && !run.contains(&j);
                self.rare.iter().filter(leaves).all(|run| run.contains(&i))
            };
            let arriving = predecessors.iter().filter(is_open).filter_map(|x| out[*x]).min();
            out.push(if j == i { Some(0) } else { arriving.map(|arriving| arriving + bytes) });
        }
        out
    }

    /// For each pair of fields the greatest distance from an instance of the first to its nearest instance of
    /// the second, as [`layoutc_analysis::kdlg::distance::Nearness::of`] has it.
    pub fn nearness(&self, fields: usize) -> Vec<Vec<Option<Option<u64>>>> {
        let outs: Vec<Vec<Option<u64>>> = (0..self.len()).map(|i| self.out(i)).collect();
        // What only few threads get to is left out, as what none gets to.
        let is_instance =
            |i: usize, field: usize| self.instructions[i].0 == Some(field) && outs[0][i].is_some();
        let instances = |field: usize| (0..self.len()).filter(move |i| is_instance(*i, field));
        let memory_distance = |i: usize, j: usize| match (outs[i][j], outs[j][i]) {
            (Some(_), Some(_)) => panic!("the graph has no cycle"),
            (way, None) | (None, way) => way,
        };
        let pair = |f: usize, g: usize| {
            let nearest = |i| instances(g).filter_map(|j| memory_distance(i, j)).min();
            let all: Vec<Option<u64>> = instances(f).map(nearest).collect();
            let is_reached = all.iter().all(Option::is_some);
            let most = all.iter().flatten().max().copied().filter(|_| is_reached);
            (!all.is_empty()).then_some(most)
        };
        (0..fields)
            .map(|f| (0..fields).map(|g| if f == g { None } else { pair(f, g) }).collect())
            .collect()
    }
}
