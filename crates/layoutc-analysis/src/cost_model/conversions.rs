//! The copies of a program whose records change their layout on the way.

use super::DEPTH;
use super::arrays::Arrays;
use super::repeats::Repeats;
use crate::cost::conversion::{Conversion, Converter};
use crate::grid_model::constant_of;
use crate::index_form::Definitions;
use layoutc_dataflow::classes::{ApiCall, BufferApi, ClassId, Classes, is_null, strip_casts};
use layoutc_syntax::{ExprId, ExprKind, Program};

/// Those of all classes, in the order of their calls.
pub(super) fn conversions(
    program: &Program,
    classes: &Classes,
    definitions: &Definitions,
    arrays: &Arrays,
    repeats: &Repeats,
) -> Vec<Conversion> {
    let conversion = |class: ClassId, call: ExprId, by: Converter, size: Option<ExprId>| {
        let bytes = size.and_then(|size| constant_of(program, definitions, size, DEPTH));
        let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
        let own = match classes.class(class).element.is_leaf() {
            true => arrays.of_numbers(classes.class(class)),
            false => arrays.of_class(class).map(|(array, _)| *array).into_iter().collect(),
        };
        own.into_iter()
            .map(|array| {
                let size = arrays.infos[array.0 as usize].shape.size.0.max(1);
                Conversion {
                    array,
                    by,
                    records: bytes.map(|bytes| bytes.div_ceil(size)),
                    repeats: repeats.of(&[call]),
                    share: repeats.share(call),
                }
            })
            .collect::<Vec<_>>()
    };
    let copies = classes.api_calls.iter().filter(|call| call.is_host_transfer());
    let copies = copies.flat_map(|call| match class_of_copy(program, classes, call) {
        Some(class) => conversion(class, call.call, Converter::Device, call.size()),
        None => Vec::new(),
    });
    let transfers = classes.ids().flat_map(|class| {
        let calls = classes.buffers.calls_of(classes, class);
        let calls = calls.filter(|call| transfers(program, call.call, call.api));
        // An instance of a function for each chain of calls that leads to it.
        let mut sites: Vec<ExprId> = calls.map(|call| call.call).collect();
        sites.sort_unstable();
        sites.dedup();
        sites.into_iter().map(move |call| (class, call))
    });
    let transfers =
        transfers.flat_map(|(class, call)| conversion(class, call, Converter::Host, None));
    copies.chain(transfers).collect()
}

/// The class whose array a copy has on the device.
fn class_of_copy(program: &Program, classes: &Classes, call: &ApiCall) -> Option<ClassId> {
    let arguments = call.arguments.iter().enumerate();
    let mut device = arguments.filter(|(position, _)| call.is_device_argument(*position));
    device.find_map(|(_, argument)| {
        let pointer = strip_casts(program, *argument);
        let value = classes.value(pointer).or_else(|| classes.value(*argument));
        let of_place = || classes.place(pointer).map(|(class, _)| class);
        value.map(|(class, _)| class).or_else(of_place)
    })
}

/// Whether a call on a buffer moves records between host and device. A buffer that is made moves them if it is given the
/// host's memory.
fn transfers(program: &Program, call: ExprId, api: BufferApi) -> bool {
    match api {
        BufferApi::Write | BufferApi::Read | BufferApi::Map | BufferApi::Unmap => true,
        BufferApi::Create => match &program.expr(call).kind {
            // `clCreateBuffer(context, flags, bytes, host, error)` and `cl::Buffer(context, flags, bytes, host)`.
            ExprKind::Call { arguments, .. } => {
                arguments.get(3).is_some_and(|host| !is_null(program, *host))
            }
            _ => false,
        },
        BufferApi::Copy | BufferApi::Fill => false,
    }
}
