//! The arrays in global memory that kernels access.

use super::value::Root;
use crate::cost::kernel::ArrayId;
use layoutc_dataflow::classes::{ClassId, ClassShape, Classes, Slot, class_shape};
use layoutc_dataflow::layout::{LeafId, RecordShape};
use layoutc_syntax::{Program, QualType, Space, Storage, TypeId, TypeKind};
use std::collections::BTreeMap;

/// What an array is to the rest of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ArraySource {
    /// A class of arrays of records.
    Class(ClassId),
    /// Numbers or vectors that one pointer leads to.
    Plain,
}

/// An array that kernels access.
#[derive(Clone, PartialEq, Debug)]
pub struct ArrayInfo {
    /// What it is called: a record type, or a parameter.
    pub name: String,
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
}

impl Arrays {
    /// The classes of a program.
    pub(super) fn new(
        program: &Program,
        classes: &Classes,
        elements: impl Fn(ClassId, &ClassShape) -> Option<u64>,
    ) -> Self {
        let mut this =
            Arrays { infos: Vec::new(), classes: BTreeMap::new(), plain: BTreeMap::new() };
        for id in classes.ids() {
            let class = classes.class(id);
            let Some(shape) = class_shape(program, class) else { continue };
            let array = ArrayId(this.infos.len() as u32);
            this.infos.push(ArrayInfo {
                name: program.spelled_name(class.record).to_owned(),
                source: ArraySource::Class(id),
                shape: shape.shape.clone(),
                elements: elements(id, &shape),
            });
            this.classes.insert(id, (array, shape));
        }
        this
    }

    /// The array of a class, if the sizes of its members are known.
    pub(super) fn of_class(&self, class: ClassId) -> Option<&(ArrayId, ClassShape)> {
        self.classes.get(&class)
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
        let is_class = match root {
            Root::Variable(id) => classes.class_of_slot(Slot::Variable(id)).is_some(),
            Root::Field(id) => classes.class_of_slot(Slot::Field(id)).is_some(),
        };
        let shape = plain_shape(program, ty).filter(|_| !is_class && is_global(program, root));
        let found = shape.map(|shape| {
            let name = match root {
                Root::Variable(id) => program.variable(id).name.clone(),
                Root::Field(id) => program.field(id).name.clone(),
            };
            let id = ArrayId(self.infos.len() as u32);
            self.infos.push(ArrayInfo { name, source: ArraySource::Plain, shape, elements: None });
            id
        });
        self.plain.insert(key, found);
        found
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
fn plain_shape(program: &Program, ty: QualType) -> Option<RecordShape> {
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
