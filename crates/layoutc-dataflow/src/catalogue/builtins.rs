//! What a kernel knows of its threads: the variables of CUDA and the work-item functions of OpenCL C (6.12.1).

use layoutc_syntax::evaluate;
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program};
use std::fmt;

/// A direction of a launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Axis {
    /// The fastest: neighbouring lanes of a warp differ in it first.
    X,
    /// The middle one.
    Y,
    /// The slowest.
    Z,
}

impl Axis {
    /// All, fastest first.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// Position in arrays of three.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Axis::X => "x",
            Axis::Y => "y",
            Axis::Z => "z",
        })
    }
}

/// A number that a kernel is given along an axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Builtin {
    /// The thread in its block.
    Thread,
    /// The block in the grid.
    Block,
    /// The thread in the grid: `Block * BlockSize + Thread + Offset`.
    Global,
    /// The number of the grid's first thread, which OpenCL's launches may choose.
    Offset,
    /// Threads of a block.
    BlockSize,
    /// Blocks of the grid.
    GridSize,
    /// Threads of the grid.
    GlobalSize,
}

/// A builtin with its spellings: the vector in CUDA, and the function in OpenCL C.
struct Spelling {
    builtin: Builtin,
    cuda: Option<&'static str>,
    opencl: &'static str,
}

const SPELLINGS: [Spelling; 7] = {
    use Builtin::{Block, BlockSize, Global, GlobalSize, GridSize, Offset, Thread};
    [
        Spelling { builtin: Thread, cuda: Some("threadIdx"), opencl: "get_local_id" },
        Spelling { builtin: Block, cuda: Some("blockIdx"), opencl: "get_group_id" },
        Spelling { builtin: Global, cuda: None, opencl: "get_global_id" },
        Spelling { builtin: Offset, cuda: None, opencl: "get_global_offset" },
        Spelling { builtin: BlockSize, cuda: Some("blockDim"), opencl: "get_local_size" },
        Spelling { builtin: GridSize, cuda: Some("gridDim"), opencl: "get_num_groups" },
        Spelling { builtin: GlobalSize, cuda: None, opencl: "get_global_size" },
    ]
};

impl Builtin {
    /// Whether it is a size of the launch, which is at least 1 and the same in all threads.
    #[must_use]
    pub fn is_size(self) -> bool {
        match self {
            Builtin::BlockSize | Builtin::GridSize | Builtin::GlobalSize => true,
            Builtin::Thread | Builtin::Block | Builtin::Global | Builtin::Offset => false,
        }
    }

    /// Whether lanes of a warp have several values of it.
    #[must_use]
    pub fn differs_between_lanes(self) -> bool {
        match self {
            Builtin::Thread | Builtin::Global => true,
            Builtin::Block
            | Builtin::Offset
            | Builtin::BlockSize
            | Builtin::GridSize
            | Builtin::GlobalSize => false,
        }
    }
}

/// The builtin that an expression is, and its axis: `threadIdx.x`, `get_global_id(0)`.
#[must_use]
pub fn builtin_of(program: &Program, expr: ExprId) -> Option<(Builtin, Axis)> {
    let expr = program.expr(program.strip_parens(expr));
    match &expr.kind {
        ExprKind::Member { base, name, .. } => {
            let component = program.text(*name);
            let axis = Axis::ALL.into_iter().find(|axis| axis.to_string() == component)?;
            Some((vector(program, *base)?, axis))
        }
        ExprKind::Call { callee, arguments, .. }
            if program.files[expr.span.file.index()].is_opencl =>
        {
            let name = unknown_name(program, *callee)?;
            let found = SPELLINGS.iter().find(|spelling| spelling.opencl == name)?;
            let [dimension] = arguments.as_slice() else { return None };
            let dimension = usize::try_from(evaluate::constant(program, *dimension)?).ok()?;
            Some((found.builtin, *Axis::ALL.get(dimension)?))
        }
        _ => None,
    }
}

/// The builtin that a vector of CUDA is on all axes: `threadIdx`.
#[must_use]
pub fn vector(program: &Program, expr: ExprId) -> Option<Builtin> {
    let name = unknown_name(program, expr)?;
    SPELLINGS.iter().find(|spelling| spelling.cuda == Some(name)).map(|found| found.builtin)
}

/// Whether a builtin occurs in an expression.
#[must_use]
pub fn holds_builtin(program: &Program, expr: ExprId) -> bool {
    builtins_in(program, expr).next().is_some()
}

/// The builtins that occur in an expression.
pub fn builtins_in(
    program: &Program,
    expr: ExprId,
) -> impl Iterator<Item = (Builtin, Axis)> + use<'_> {
    let mut stack = vec![expr];
    std::iter::from_fn(move || {
        while let Some(at) = stack.pop() {
            stack.extend(program.expr(at).children());
            if let Some(found) = builtin_of(program, at) {
                return Some(found);
            }
        }
        None
    })
}

/// A name that the program does not declare.
fn unknown_name(program: &Program, expr: ExprId) -> Option<&str> {
    match &program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Unknown(name)) => Some(name),
        _ => None,
    }
}
