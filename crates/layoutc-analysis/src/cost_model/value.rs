//! The values that indices are made of: polynomials over threads, trips of loops and symbols.

use crate::cost::kernel::{ArrayId, BaseId, ElementIndex, Factor, Lanes, LoopId};
use layoutc_dataflow::catalogue::builtins::{Axis, Builtin};
use layoutc_dataflow::grid::polynomial::Polynomial;
use layoutc_dataflow::layout::LeafId;
use layoutc_syntax::{BinaryOp, FieldId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What a value is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Atom {
    /// `threadIdx`.
    Thread(Axis),
    /// `blockIdx`.
    Block(Axis),
    /// How often the body of a loop has run.
    Trip(LoopId),
    /// Where an array begins.
    Root(Root),
    /// The address of an object in the thread's own memory.
    Object(VarId),
    /// Anything else, by number.
    Symbol(u32),
}

/// What holds the address of an array's first element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Root {
    /// A parameter of a kernel, or an array or pointer at file scope.
    Variable(VarId),
    /// A member of a record.
    Field(FieldId),
}

/// A value, multiplied out.
pub(super) type Value = Polynomial<Atom>;

/// What tells a symbol from others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    /// A variable that is not followed further.
    Variable(VarId),
    /// `blockDim` and `gridDim`.
    Extent(Builtin, Axis),
    /// An operation, spelled, on values.
    Operation(String, Vec<Value>),
    /// A member of what a value is.
    Member(FieldId, Vec<Value>),
    /// A value from memory: of an array, a leaf, at an index; of which item, where the leaf is an array.
    Load(ArrayId, LeafId, Value, Option<Value>),
    /// A value that is met once.
    Once(u32),
}

/// How a symbol may change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Variation {
    /// It differs between the lanes of a warp.
    pub(super) lanes: bool,
    /// It differs between the trips of these loops.
    pub(super) loops: BTreeSet<LoopId>,
    /// It differs between blocks.
    pub(super) blocks: bool,
    /// It comes from memory.
    pub(super) data: bool,
    /// Where it is taken to be the same in all lanes, that is not shown: branches or calls that differ
    /// between lanes may have set it, or it is a quotient that changes within a warp.
    pub(super) guessed: bool,
    /// It comes from an array of indices, at an index that is a formula (1), or that comes from such an
    /// array itself (2): the lists of neighbours of rows.
    pub(super) listed: u8,
}

impl Variation {
    /// How something made of both changes; it comes from no array itself.
    pub(super) fn join(&mut self, other: &Variation) {
        self.lanes |= other.lanes;
        self.blocks |= other.blocks;
        self.data |= other.data;
        self.guessed |= other.guessed;
        self.loops.extend(&other.loops);
    }
}

/// All symbols of a kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    known: BTreeMap<Key, u32>,
    variations: Vec<Variation>,
    bases: BTreeMap<Value, BaseId>,
}

impl Symbols {
    /// The symbol with a key.
    pub(super) fn symbol(&mut self, key: Key, variation: Variation) -> Value {
        let next = self.variations.len() as u32;
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            self.variations.push(variation);
        }
        Value::atom(Atom::Symbol(number))
    }

    /// A size of the launch.
    pub(super) fn extent(&mut self, builtin: Builtin, axis: Axis) -> Value {
        self.symbol(Key::Extent(builtin, axis), Variation::default())
    }

    /// The size of the launch that a symbol stands for.
    pub(super) fn size_of_launch(&self, symbol: u32) -> Option<Builtin> {
        self.known.iter().find_map(|(key, number)| match key {
            Key::Extent(builtin, _) if *number == symbol => Some(*builtin),
            _ => None,
        })
    }

    /// A symbol that equals no other.
    pub(super) fn once(&mut self, variation: Variation) -> Value {
        let next = self.variations.len() as u32;
        self.symbol(Key::Once(next), variation)
    }

    /// How a value may change.
    pub(super) fn variation(&self, value: &Value) -> Variation {
        let mut found = Variation::default();
        for atom in value.atoms() {
            match atom {
                Atom::Thread(_) => found.lanes = true,
                Atom::Trip(id) => {
                    found.loops.insert(id);
                }
                Atom::Symbol(number) => found.join(&self.variations[number as usize]),
                Atom::Block(_) => found.blocks = true,
                Atom::Root(_) | Atom::Object(_) => {}
            }
        }
        found
    }

    /// How a value from memory at this index, and of this item of a leaf, may change.
    pub(super) fn loaded(&self, index: &Value, item: Option<&Value>) -> Variation {
        let mut variation = self.variation(index);
        if let Some(item) = item {
            variation.join(&self.variation(item));
        }
        variation.data = true;
        let mut depth = 1;
        for (monomial, coefficient) in index.terms() {
            for atom in monomial {
                if let Atom::Symbol(number) = atom
                    && self.variations[*number as usize].lanes
                {
                    let listed = self.variations[*number as usize].listed;
                    let is_plain = monomial.len() == 1 && coefficient == 1 && listed == 1;
                    depth = if is_plain && depth > 0 { 2 } else { 0 };
                }
            }
        }
        variation.listed = if variation.lanes { depth } else { 0 };
        variation
    }

    /// An operation that is no polynomial.
    pub(super) fn operation(&mut self, name: &str, operands: Vec<Value>) -> Value {
        let mut variation = Variation::default();
        for operand in &operands {
            variation.join(&self.variation(operand));
        }
        self.symbol(Key::Operation(name.to_owned(), operands), variation)
    }

    /// `left op right`.
    ///
    /// A remainder of neighbouring values is neighbouring values again, but for where it wraps around;
    /// a quotient by much is the same in all lanes.
    pub(super) fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Value {
        const WARP: i64 = 32;
        let exact = match op {
            BinaryOp::Add => left.plus(right),
            BinaryOp::Sub => left.minus(right),
            BinaryOp::Mul => left.times(right),
            BinaryOp::Shl => match right.as_constant() {
                Some(by @ 0..=31) => left.times(&Value::constant(1 << by)),
                _ => None,
            },
            BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr | BinaryOp::And => {
                match (left.as_constant(), right.as_constant(), op) {
                    (Some(a), Some(b), BinaryOp::Div) if b > 0 && a >= 0 => {
                        Some(Value::constant(a / b))
                    }
                    (Some(a), Some(b), BinaryOp::Rem) if b > 0 && a >= 0 => {
                        Some(Value::constant(a % b))
                    }
                    (_, Some(1), BinaryOp::Div) => Some(left.clone()),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(value) = exact {
            return value;
        }
        let divisor = match (op, right.as_constant()) {
            (BinaryOp::Div | BinaryOp::Rem, Some(by)) => Some(by),
            (BinaryOp::Div | BinaryOp::Rem, None) => Some(i64::MAX),
            (BinaryOp::Shr, Some(by @ 0..=31)) => Some(1 << by),
            (BinaryOp::And, Some(mask)) if mask >= 0 && (mask + 1).count_ones() == 1 => {
                Some(mask + 1)
            }
            _ => None,
        };
        let is_large = divisor.is_some_and(|by| by >= WARP);
        let operands = vec![left.clone(), right.clone()];
        let mut variation = self.variation(left);
        variation.join(&self.variation(right));
        let is_uniform = |this: &Self, value: &Value| !this.variation(value).lanes;
        match op {
            // Whole rows of threads: `i / nx`.
            BinaryOp::Div | BinaryOp::Shr
                if is_large && is_uniform(self, right) && self.is_affine(left) =>
            {
                variation.guessed |= variation.lanes;
                variation.lanes = false;
                self.symbol(Key::Operation("/".to_owned(), operands), variation)
            }
            // `i % nx` is `i` less a multiple of `nx`.
            BinaryOp::Rem | BinaryOp::And
                if is_large && is_uniform(self, right) && self.is_affine(left) =>
            {
                variation.guessed |= variation.lanes;
                variation.lanes = false;
                let wrapped = self.symbol(Key::Operation("%".to_owned(), operands), variation);
                left.plus(&wrapped).unwrap_or(wrapped)
            }
            BinaryOp::Div => self.operation("/", operands),
            BinaryOp::Rem => self.operation("%", operands),
            BinaryOp::Shr => self.operation(">>", operands),
            BinaryOp::Shl => self.operation("<<", operands),
            BinaryOp::And => self.operation("&", operands),
            BinaryOp::Or => self.operation("|", operands),
            // The lanes of a warp change places, and all of them go somewhere else.
            BinaryOp::Xor if is_uniform(self, right) && self.is_affine(left) => {
                self.elsewhere(left, operands, variation)
            }
            BinaryOp::Xor if is_uniform(self, left) && self.is_affine(right) => {
                self.elsewhere(right, operands, variation)
            }
            BinaryOp::Xor => self.operation("^", operands),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.operation("+*", operands),
            BinaryOp::LogicalAnd
            | BinaryOp::LogicalOr
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::Other => self.once(variation),
        }
    }

    /// A value, and what an exclusive or with something that all lanes share adds to it.
    fn elsewhere(
        &mut self,
        value: &Value,
        operands: Vec<Value>,
        mut variation: Variation,
    ) -> Value {
        variation.guessed |= variation.lanes;
        variation.lanes = false;
        let moved = self.symbol(Key::Operation("^".to_owned(), operands), variation);
        value.plus(&moved).unwrap_or(moved)
    }

    /// Whether the lanes of a value are as far apart as factors of the thread's index say.
    pub(super) fn is_affine(&self, value: &Value) -> bool {
        matches!(self.lanes(value), Lanes::Affine(_))
    }

    /// How a value depends on the block.
    fn blocks(&self, value: &Value) -> Factor {
        let mut factor = 0i64;
        for (monomial, coefficient) in value.terms() {
            match monomial[..] {
                [Atom::Block(Axis::X)] => factor = factor.saturating_add(coefficient),
                _ => {
                    let differs = monomial.iter().any(|atom| match atom {
                        Atom::Block(_) => true,
                        Atom::Symbol(number) => self.variations[*number as usize].blocks,
                        Atom::Thread(_) | Atom::Trip(_) | Atom::Root(_) | Atom::Object(_) => false,
                    });
                    if differs {
                        return Factor::Symbol;
                    }
                }
            }
        }
        Factor::Number(factor)
    }

    /// How a value depends on the thread's place.
    fn lanes(&self, value: &Value) -> Lanes {
        let mut factors = [Factor::Number(0); 3];
        let (mut is_listed, mut marches) = (false, false);
        for (monomial, coefficient) in value.terms() {
            let mut axis = None;
            for atom in monomial {
                match atom {
                    Atom::Thread(own) if axis.is_none() => axis = Some(*own),
                    Atom::Thread(_) => return Lanes::Unknown,
                    Atom::Symbol(number) if self.variations[*number as usize].lanes => {
                        let is_plain = monomial.len() == 1 && coefficient == 1;
                        if !is_plain || self.variations[*number as usize].listed == 0 {
                            return Lanes::Unknown;
                        }
                        is_listed = true;
                    }
                    Atom::Trip(_) => marches = true,
                    Atom::Symbol(_) | Atom::Block(_) | Atom::Root(_) | Atom::Object(_) => {}
                }
            }
            let Some(axis) = axis else { continue };
            let factor = &mut factors[axis.index()];
            *factor = match (*factor, monomial.len()) {
                (Factor::Number(own), 1) => Factor::Number(own.saturating_add(coefficient)),
                _ => Factor::Symbol,
            };
        }
        match (is_listed, marches) {
            (false, _) => Lanes::Affine(factors),
            (true, false) => Lanes::Listed,
            // Rows of a list, which the lanes walk along.
            (true, true) => Lanes::Unknown,
        }
    }

    /// What one more trip of each loop adds to a value.
    fn loops(&self, value: &Value) -> Vec<(LoopId, Factor)> {
        let mut factors: BTreeMap<LoopId, Factor> = BTreeMap::new();
        for (monomial, coefficient) in value.terms() {
            for atom in monomial {
                match atom {
                    Atom::Trip(id) => {
                        let factor = factors.entry(*id).or_insert(Factor::Number(0));
                        *factor = match (*factor, monomial.len()) {
                            (Factor::Number(own), 1) => {
                                Factor::Number(own.saturating_add(coefficient))
                            }
                            _ => Factor::Symbol,
                        };
                    }
                    Atom::Symbol(number) => {
                        for id in &self.variations[*number as usize].loops {
                            factors.insert(*id, Factor::Symbol);
                        }
                    }
                    Atom::Thread(_) | Atom::Block(_) | Atom::Root(_) | Atom::Object(_) => {}
                }
            }
        }
        factors.retain(|_, factor| *factor != Factor::Number(0));
        factors.into_iter().collect()
    }

    /// The index that a value is.
    pub(super) fn element_index(&mut self, value: &Value) -> ElementIndex {
        let offset = value
            .terms()
            .find_map(|(monomial, coefficient)| monomial.is_empty().then_some(coefficient))
            .unwrap_or(0);
        let rest = value.minus(&Value::constant(offset)).unwrap_or_else(|| value.clone());
        let next = BaseId(self.bases.len() as u32);
        let base = *self.bases.entry(rest).or_insert(next);
        ElementIndex {
            lanes: self.lanes(value),
            loops: self.loops(value),
            base,
            offset,
            blocks: self.blocks(value),
        }
    }
}

/// The roots in a value.
pub(super) fn roots(value: &Value) -> Vec<Root> {
    value
        .atoms()
        .into_iter()
        .filter_map(|atom| match atom {
            Atom::Root(root) => Some(root),
            _ => None,
        })
        .collect()
}
