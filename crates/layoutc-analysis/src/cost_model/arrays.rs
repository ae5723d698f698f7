//! The arrays in global memory that kernels access.

use super::DEPTH;
use super::value::Root;
use crate::cost::kernel::ArrayId;
use crate::grid_model::constant_of;
use crate::index_form::Definitions;
use layoutc_dataflow::classes::{
    ArrayClass, ClassId, ClassShape, Classes, LeafMember, Slot, class_shape, slot_names,
};
use layoutc_dataflow::layout::{LeafId, RecordShape};
use layoutc_syntax::{Program, QualType, Space, Storage, TypeId, TypeKind};
use std::collections::BTreeMap;

/// What an array is to the rest of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ArraySource {
    /// A class of arrays of records.
    Class(ClassId),
    /// Numbers or vectors.
    Plain,
}

/// Arrays of numbers that pointers flow between, as one each.
///
/// They are the classes of numbers.
#[derive(Debug, Default)]
pub(super) struct PlainArrays {
    of_slot: BTreeMap<Slot, usize>,
    /// Names, and bytes.
    known: Vec<(Vec<String>, Option<u64>)>,
}

impl PlainArrays {
    /// Those of a program.
    pub(super) fn new(program: &Program, definitions: &Definitions, classes: &Classes) -> Self {
        let mut this = PlainArrays::default();
        for class in classes.classes.iter().filter(|class| class.element.is_leaf()) {
            this.of_slot.extend(class.slots.iter().map(|slot| (*slot, this.known.len())));
            this.known.push((names(program, class), bytes(program, definitions, class)));
        }
        this
    }
}

/// The names of a class's variables and members.
fn names(program: &Program, class: &ArrayClass) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in class.slots.iter().flat_map(|slot| slot_names(program, *slot)) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The most bytes that a class's allocations ask for with constants.
fn bytes(program: &Program, definitions: &Definitions, class: &ArrayClass) -> Option<u64> {
    let sizes: Option<Vec<i64>> = class
        .allocations
        .iter()
        .map(|allocation| constant_of(program, definitions, allocation.size, DEPTH))
        .collect();
    u64::try_from(sizes?.into_iter().max()?).ok()
}

/// An array that kernels access.
#[derive(Clone, PartialEq, Debug)]
pub struct ArrayInfo {
    /// What it is called: a record type, or the first of its names.
    pub name: String,
    /// The names of variables and members that lead to it, each with a longer form that tells it from
    /// others.
    pub names: Vec<String>,
    /// What it is to the rest of the compiler.
    pub source: ArraySource,
    /// Its leaves.
    pub shape: RecordShape,
    /// How many elements it has, if the program says so with constants.
    pub elements: Option<u64>,
}

/// All arrays that were met.
#[derive(Debug)]
pub(super) struct Arrays {
    pub(super) infos: Vec<ArrayInfo>,
    classes: BTreeMap<ClassId, (ArrayId, ClassShape)>,
    plain: BTreeMap<(Root, TypeId), Option<ArrayId>>,
    plain_arrays: PlainArrays,
    of_plain_array: BTreeMap<(usize, TypeId), ArrayId>,
}

impl Arrays {
    /// The classes of a program; arrays of numbers are added where they are met.
    pub(super) fn new(
        program: &Program,
        classes: &Classes,
        definitions: &Definitions,
        plain_arrays: PlainArrays,
    ) -> Self {
        let mut this = Arrays {
            infos: Vec::new(),
            classes: BTreeMap::new(),
            plain: BTreeMap::new(),
            plain_arrays,
            of_plain_array: BTreeMap::new(),
        };
        for id in classes.ids() {
            let class = classes.class(id);
            let Some(shape) = class_shape(program, class) else { continue };
            let array = ArrayId(this.infos.len() as u32);
            let size = shape.shape.size.0.max(1);
            this.infos.push(ArrayInfo {
                name: class.element.spelled_name(program).into_owned(),
                names: names(program, class),
                source: ArraySource::Class(id),
                shape: shape.shape.clone(),
                elements: bytes(program, definitions, class).map(|bytes| bytes / size),
            });
            this.classes.insert(id, (array, shape));
        }
        this
    }

    /// The array of a class, if the sizes of its members are known.
    pub(super) fn of_class(&self, class: ClassId) -> Option<&(ArrayId, ClassShape)> {
        self.classes.get(&class)
    }

    /// The arrays of numbers that a class is, as far as kernels access them.
    pub(super) fn of_numbers(&self, class: &ArrayClass) -> Vec<ArrayId> {
        let plain = class.slots.iter().find_map(|slot| self.plain_arrays.of_slot.get(slot));
        let Some(plain) = plain else { return Vec::new() };
        let own = self.of_plain_array.iter().filter(|((at, _), _)| at == plain);
        own.map(|(_, array)| *array).collect()
    }

    /// The members of an array of a class.
    pub(super) fn members(&self, array: ArrayId) -> Option<&[LeafMember]> {
        let ArraySource::Class(class) = self.infos[array.0 as usize].source else { return None };
        self.classes.get(&class).map(|(_, shape)| &shape.members[..])
    }

    /// The array of numbers or vectors that begins at a root, if that is in global memory.
    pub(super) fn of_root(
        &mut self,
        program: &Program,
        classes: &Classes,
        root: Root,
        ty: QualType,
    ) -> Option<ArrayId> {
        let key = (root, ty.id);
        if let Some(known) = self.plain.get(&key) {
            return *known;
        }
        let slot = match root {
            Root::Variable(id) => Slot::Variable(id),
            Root::Field(id) => Slot::Field(id),
        };
        let is_class = classes.class_of_slot(slot).is_some();
        let shape = plain_shape(program, ty).filter(|_| !is_class && is_global(program, root));
        let found = shape.map(|shape| self.plain(program, slot, ty, shape));
        self.plain.insert(key, found);
        found
    }

    /// The array of numbers that a slot leads to.
    fn plain(
        &mut self,
        program: &Program,
        slot: Slot,
        ty: QualType,
        shape: RecordShape,
    ) -> ArrayId {
        let id = ArrayId(self.infos.len() as u32);
        let mut names = slot_names(program, slot);
        let mut elements = None;
        if let Some(at) = self.plain_arrays.of_slot.get(&slot) {
            if let Some(known) = self.of_plain_array.get(&(*at, ty.id)) {
                return *known;
            }
            self.of_plain_array.insert((*at, ty.id), id);
            let (all, bytes) = &self.plain_arrays.known[*at];
            names.clone_from(all);
            elements = bytes.map(|bytes| bytes / shape.size.0.max(1));
        }
        let name = names.first().cloned().unwrap_or_default();
        self.infos.push(ArrayInfo { name, names, source: ArraySource::Plain, shape, elements });
        id
    }

    /// The leaves of an array.
    pub(super) fn leaves(&self, array: ArrayId) -> Vec<LeafId> {
        self.infos[array.0 as usize].shape.leaf_ids().collect()
    }
}

/// Whether memory that a root leads to is global memory.
fn is_global(program: &Program, root: Root) -> bool {
    let Root::Variable(id) = root else { return true };
    let variable = program.variable(id);
    match variable.space {
        Space::Shared | Space::Constant => false,
        Space::Device | Space::Managed => true,
        Space::Default => match variable.storage {
            Storage::Parameter { .. } => true,
            Storage::Local | Storage::Static => false,
        },
    }
}

/// A number as a record of one leaf, or a vector as one of its lanes.
pub(super) fn plain_shape(program: &Program, ty: QualType) -> Option<RecordShape> {
    match program.types.kind(ty.id) {
        TypeKind::Scalar(scalar) => {
            let name = scalar.spelling();
            Some(RecordShape::flat(name, [("value", name, scalar.size(), scalar.size(), &[][..])]))
        }
        TypeKind::Vector(vector) => {
            let scalar = vector.scalar;
            let lanes = ["x", "y", "z", "w"].into_iter().take(usize::from(vector.lanes));
            let mut shape = RecordShape::flat(
                &vector.name(),
                lanes.map(|lane| (lane, scalar.spelling(), scalar.size(), scalar.size(), &[][..])),
            );
            shape.align = layoutc_dataflow::layout::Bytes(vector.align());
            Some(shape)
        }
        _ => None,
    }
}
