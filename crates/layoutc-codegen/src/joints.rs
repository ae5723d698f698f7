//! Separate arrays of numbers that become one array of records.
//!
//! `float *x, *vx` of one length become two pointers to `struct XVx { float x, vx; }`, both to the start of one
//! allocation: declarations name the new type, `x[i]` becomes `x[i].x`, and copies and fills say which member they
//! mean. Pointer arithmetic keeps its text, since an element is as far from the next as before. Whether that is right is
//! for [`layoutc_dataflow::merge::find_merge`] to say; here are the edits. *Invariant:* all edits of a merge apply, or none.

mod accesses;
mod buffers;
mod calls;
mod text;
mod types;

use crate::edit::Edit;
use crate::grids::place_text;
use crate::hygiene::{Surroundings, macro_names, settle};
use crate::marker::Marker;
use crate::names::Names;
use crate::rewrite::FileOrder;
use crate::rewritten::Rewritten;
use layoutc_analysis::joint_plan::{JointPlan, JointProgram, JointRequest, pin};
use layoutc_analysis::{LayoutPlan, Refusal};
use layoutc_dataflow::classes::{ClassId, Classes, Pin};
use layoutc_dataflow::merge::Merge;
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::{ExprKind, NameRef, Program, Scalar};
use std::collections::BTreeSet;
use text::Needs;

/// What stands around the generated text of a request.
fn marker(request: &JointRequest) -> Marker {
    Marker { target: request.target(), layout: request.layout() }
}

/// One array of records.
#[derive(Clone, Debug)]
struct Record {
    /// Its type.
    type_name: String,
    /// Prefix of generated functions.
    prefix: String,
    /// Alignment in bytes, if it is above the natural one.
    align: Option<u64>,
    /// A name and a type for each array.
    members: Vec<(String, Scalar)>,
    /// Says that the text is there.
    guard: String,
    /// What stands around the text.
    marker: Marker,
}

/// Rewrites all arrays of the plan that become one.
#[must_use]
pub fn rewrite_joints(joints: JointProgram<'_>, plan: &LayoutPlan) -> Rewritten {
    let merges = plan.joints();
    let mut names = Names::new(joints.program.identifiers.clone());
    let mut rewriter = Rewriter {
        program: joints.program,
        classes: joints.classes,
        merges: &merges,
        records: Vec::new(),
        needs: Vec::new(),
        uses: vec![BTreeSet::new(); merges.len()],
        edits: Vec::new(),
        refusals: Vec::new(),
    };
    for JointPlan { request, merge } in &merges {
        let mut record = rewriter.record(merge, request.align, &mut names);
        record.marker = marker(request);
        rewriter.records.push(record);
        rewriter.needs.push(Needs::default());
    }
    rewriter.types();
    rewriter.accesses();
    rewriter.calls();
    rewriter.place(&names);
    let declared = rewriter.host_of_buffers(&mut names);
    let Rewriter { edits, refusals, records, needs, .. } = rewriter;
    let kernels = records.iter().zip(&needs).flat_map(|(record, needs)| record.kernels(*needs));
    Rewritten {
        edits,
        refusals: refusals
            .into_iter()
            .map(|(merge, pin)| Refusal::Layout(merges[merge].merge.members[0], pin))
            .collect(),
        generated_kernels: kernels.collect(),
        names: records.iter().flat_map(Record::names).chain(declared).collect(),
    }
}

/// Writes the edits of merges.
struct Rewriter<'a> {
    program: &'a Program,
    classes: &'a Classes,
    merges: &'a [&'a JointPlan],
    /// By merge, as the next ones.
    records: Vec<Record>,
    needs: Vec<Needs>,
    /// Text that needs the generated declarations in front of it.
    uses: Vec<BTreeSet<Span>>,
    edits: Vec<Edit>,
    refusals: Vec<(usize, Pin)>,
}

impl Rewriter<'_> {
    /// The merge and member that a class is.
    fn member(&self, class: ClassId) -> Option<(usize, usize)> {
        self.merges.iter().enumerate().find_map(|(at, plan)| {
            Some((at, plan.merge.members.iter().position(|own| *own == class)?))
        })
    }

    fn refuse(&mut self, merge: usize, span: Span, message: &str) {
        self.refusals.push((merge, pin(span, message)));
    }

    fn edit(&mut self, span: Span, text: impl Into<String>) {
        self.edits.push(Edit::replace(span, text));
    }

    /// Chooses names.
    fn record(&self, merge: &Merge, align: Option<u64>, names: &mut Names) -> Record {
        let mut members: Vec<(String, Scalar)> = Vec::new();
        let options = crate::opencl::option_names(self.program);
        for (at, class) in merge.members.iter().enumerate() {
            let class = self.classes.class(*class);
            // The name under which it is allocated.
            let buffer = merge.buffers.iter().find_map(|joint| {
                let mut all = std::iter::once(&joint.keeper).chain(&joint.followers);
                Some(self.handle_name(all.find(|own| own.member == at)?.handle))
            });
            let name = merge.allocations.iter().find_map(|joint| {
                let mut all = std::iter::once(&joint.keeper).chain(&joint.followers);
                let own = all.find(|own| own.member == at)?;
                match self.program.expr(own.pointer).kind {
                    ExprKind::Name(NameRef::Variable(id)) => {
                        Some(self.program.variable(id).name.as_str())
                    }
                    ExprKind::Member { field: Some(id), .. } => {
                        Some(self.program.field(id).name.as_str())
                    }
                    _ => None,
                }
            });
            let mut name = bare_name(name.or(buffer).unwrap_or("value")).to_owned();
            while members.iter().any(|(other, _)| *other == name)
                || self.program.macros.iter().any(|def| def.name == name)
                || !merge.buffers.is_empty() && crate::opencl::is_word_of_kernels(&name)
                || options.contains(&name)
            {
                name.push('_');
            }
            let scalar = class.element.scalar().unwrap_or(Scalar::Char);
            members.push((name, scalar));
        }
        let joint: String = match members.as_slice() {
            few @ ([_, _] | [_, _, _]) => few.iter().map(|(name, _)| camel(name)).collect(),
            many => {
                format!("{}Group", many.first().map_or_else(String::new, |(name, _)| camel(name)))
            }
        };
        let type_name = names.fresh(&joint);
        let mut lower = type_name.chars();
        let first = lower.next().map(|first| first.to_lowercase().collect::<String>());
        let prefix = names.fresh_prefix(
            &format!("{}{}", first.unwrap_or_default(), lower.as_str()),
            &text::FUNCTIONS.map(str::to_owned),
        );
        let guard = names.fresh(&format!("{}_LAYOUT", prefix.to_uppercase()));
        // An option that is not seen may define the short names.
        if !merge.buffers.is_empty() && !self.classes.buffers.options.are_known {
            for (name, _) in &mut members {
                *name = names.fresh(&format!("{prefix}_{name}"));
            }
        }
        let natural = members.iter().map(|(_, scalar)| scalar.size()).max().unwrap_or(1);
        let size: u64 = members.iter().map(|(_, scalar)| scalar.size()).sum();
        let size = size.next_multiple_of(natural);
        // So wide that no byte is lost.
        let widest = [16, 8, 4].into_iter().find(|align| size % align == 0).unwrap_or(natural);
        let align = align.unwrap_or(widest);
        Record {
            type_name,
            prefix,
            align: (align > natural).then_some(align),
            members,
            guard,
            marker: Marker::default(),
        }
    }

    /// Puts the generated declarations into the program.
    fn place(&mut self, names: &Names) {
        let order = FileOrder::new(self.program);
        let macros = macro_names(self.program);
        for at in 0..self.merges.len() {
            let is_opencl = !self.merges[at].merge.buffers.is_empty();
            let text = match is_opencl {
                true => self.records[at].opencl_text(),
                false => self.records[at].text(self.needs[at]),
            };
            let uses: Vec<(FileId, Span)> =
                self.uses[at].iter().map(|span| (span.file, *span)).collect();
            let around = Surroundings::of(self.program, &macros, names, None);
            let text = match settle(text.trim_matches('\n'), &around) {
                Ok(text) => text,
                Err(clash) => {
                    if let Some((_, span)) = uses.first() {
                        self.refusals.push((at, clash.pin(self.program, *span)));
                    }
                    continue;
                }
            };
            let own = (self.records[at].guard.as_str(), &self.records[at].marker);
            match place_text(self.program, &order, (&uses, false), own, &text) {
                Ok(edits) => self.edits.extend(edits),
                Err((span, message)) => self.refuse(at, span, message),
            }
        }
    }
}

/// Words that are no names in C++ or CUDA.
const RESERVED: [&str; 97] = [
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "const_cast",
    "continue",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "typeof",
    "restrict",
    "linux",
    "unix",
    "NULL",
];

/// `x` of `d_x`, `dev_x` and `x_d`: where an array lies is no part of what it holds.
fn bare_name(name: &str) -> &str {
    let name = name.trim_end_matches('_');
    let bare = ["d_", "dev_", "device_", "gpu_", "g_"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .or_else(|| {
            ["_d", "_dev", "_device", "_gpu"].iter().find_map(|suffix| name.strip_suffix(suffix))
        });
    let is_name = |text: &&str| {
        text.chars().next().is_some_and(|first| first.is_ascii_alphabetic())
            && !RESERVED.contains(text)
    };
    bare.filter(is_name).unwrap_or(name)
}

/// `Vx` of `vx`, `RowPtr` of `row_ptr`.
fn camel(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_uppercase().collect::<String>());
            first.map(|first| format!("{first}{}", letters.as_str()))
        })
        .collect()
}
