//! The steps of a unit: buffers, and commands on them in an order that everybody keeps to.
//!
//! Of each buffer it is known which commands may still be under way, and a command that must not overtake one of them
//! waits for its event, unless both are in one queue that keeps its order.

mod buffers;
mod commands;
mod failing;

use std::fmt::Write as _;

use self::buffers::Buffer;
use super::names::Scope;
use super::{Generator, Unit};
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// A command that may be under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct UnderWay {
    event: Symbol,
    queue: usize,
}

/// What may be under way on a buffer.
#[derive(Clone, Default, Debug)]
struct Pending {
    writer: Option<UnderWay>,
    readers: Vec<UnderWay>,
}

#[derive(Clone, Copy, Debug)]
struct Queue {
    symbol: Symbol,
    is_in_order: bool,
}

/// A command's place in the order.
struct Order {
    queue: usize,
    is_blocking: bool,
    /// Statements in front of it.
    before: String,
    /// `2, list`.
    waits: String,
    /// The event that it makes.
    event: Option<Symbol>,
}

impl Order {
    /// `2, list, &event`.
    fn arguments(&self) -> String {
        let event = self.event.map_or_else(|| "NULL".to_owned(), |event| format!("&{event}"));
        format!("{}, {event}", self.waits)
    }

    fn blocking(&self) -> &'static str {
        if self.is_blocking { "CL_TRUE" } else { "CL_FALSE" }
    }
}

/// A unit that is being written.
struct Steps {
    scope: Scope,
    queues: Vec<Queue>,
    buffers: Vec<Buffer>,
    nodes: Vec<Node>,
    /// What is printed when all queues are empty.
    late: Vec<Node>,
    /// The number of the step, for what it prints.
    step: usize,
    unit: usize,
    /// An array that buffers are kept in.
    table: Option<String>,
    /// The handles of kernels, by their names.
    made: Vec<(Symbol, Symbol)>,
}

impl Steps {
    fn line(&mut self, declares: Vec<Symbol>, text: &str) {
        self.nodes.push(Node { declares, ..Node::line(text) });
    }

    fn is_ordered_by_events(&self) -> bool {
        self.queues.len() > 1 || self.queues.iter().any(|queue| !queue.is_in_order)
    }
}

/// A call whose code is printed.
fn printed(steps: &Steps, call: &str, what: &str) -> String {
    let (unit, step) = (steps.unit, steps.step);
    format!("error = {call};\nprintf(\"{unit}.{step} {what}: %d\\n\", error);\n")
}

impl Generator {
    pub(super) fn steps(&mut self, unit: &mut Unit, least: usize) -> Vec<Node> {
        let mut steps = Steps {
            scope: self.host_scope.clone(),
            queues: Vec::new(),
            buffers: Vec::new(),
            nodes: Vec::new(),
            late: Vec::new(),
            step: 0,
            unit: unit.number,
            table: None,
            made: Vec::new(),
        };
        self.queues(unit, &mut steps);
        // Buffers of two types in one array would be one class.
        if unit.records.len() == 1 && self.random.chance(15) {
            unit.features.insert("buffers-in-array");
            let table = self.host_variable(&mut steps.scope);
            let text = format!("cl_mem {table}[12];");
            steps.nodes.push(Node { kind: Kind::Frame, ..Node::declaration(table, &text) });
            steps.table = Some(self.spelling(table));
        }
        for record in unit.records.clone() {
            for _ in 0..1 + self.random.below(2) {
                self.create(unit, &mut steps, record, false);
            }
        }
        let count = least + self.random.below(least / 2 + 1);
        for at in 0..count.max(unit.kernels.len()) {
            steps.step += 1;
            // Each kernel is launched, at any time.
            let left = count.saturating_sub(at);
            let unused = unit
                .kernels
                .iter()
                .find(|kernel| !steps.made.iter().any(|(name, _)| *name == kernel.symbol));
            let missing = unit.kernels.len().saturating_sub(steps.made.len());
            match unused.cloned() {
                Some(kernel) if left <= missing || self.random.chance(30) => {
                    self.launch(unit, &mut steps, &kernel);
                }
                _ => self.step(unit, &mut steps),
            }
        }
        for at in 0..steps.buffers.len() {
            self.last_look(&mut steps, at);
        }
        let queues = steps.queues.iter().map(|queue| queue.symbol);
        let (finish, release): (Vec<String>, Vec<String>) = queues
            .map(|queue| {
                (format!("clFinish({queue});"), format!("clReleaseCommandQueue({queue});"))
            })
            .unzip();
        // What is looked at last goes with the waiting for it.
        let late = std::mem::take(&mut steps.late);
        steps.nodes.push(Node::new(Kind::Frame, &finish.join("\n"), late, &release.join("\n")));
        steps.nodes
    }

    fn queues(&mut self, unit: &mut Unit, steps: &mut Steps) {
        let count = 1 + usize::from(self.random.chance(35));
        if count > 1 {
            unit.features.insert("several-queues");
        }
        for _ in 0..count {
            let symbol = self.host_local(&mut steps.scope, "queue");
            let is_in_order = !self.random.chance(35);
            let properties = if is_in_order {
                *self.random.pick(&["0", "0", "CL_QUEUE_PROFILING_ENABLE"])
            } else {
                unit.features.insert("out-of-order-queue");
                "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE"
            };
            let text = format!(
                "cl_command_queue {symbol} = clCreateCommandQueue(context, device, {properties}, &error);\nCHECK(error);"
            );
            steps.nodes.push(Node { kind: Kind::Frame, ..Node::declaration(symbol, &text) });
            steps.queues.push(Queue { symbol, is_in_order });
        }
    }

    fn step(&mut self, unit: &mut Unit, steps: &mut Steps) {
        match self.random.below(100) {
            0..30 => {
                let kernel = self.random.pick(&unit.kernels.clone()).clone();
                self.launch(unit, steps, &kernel);
            }
            30..42 => self.write(unit, steps),
            42..54 => self.read(unit, steps),
            54..64 => self.map_buffer(unit, steps),
            64..74 => self.copy(unit, steps),
            74..82 => self.fill(unit, steps),
            82..86 => self.wait(unit, steps),
            86..97 => self.must_fail(unit, steps),
            _ => self.ask(unit, steps),
        }
    }

    /// Puts a command in its place behind those that it must not overtake.
    fn order(
        &mut self,
        unit: &mut Unit,
        steps: &mut Steps,
        reads: &[usize],
        writes: &[usize],
        may_block: bool,
    ) -> Order {
        let queue = self.random.below(steps.queues.len());
        let mut behind: Vec<UnderWay> = Vec::new();
        for at in reads.iter().chain(writes) {
            behind.extend(steps.buffers[*at].pending.writer);
        }
        for at in writes {
            behind.extend(steps.buffers[*at].pending.readers.iter().copied());
        }
        let own = steps.queues[queue];
        behind.retain(|other| other.queue != queue || !own.is_in_order);
        let mut events: Vec<Symbol> = Vec::new();
        for other in behind {
            if !events.contains(&other.event) {
                events.push(other.event);
            }
        }
        let is_blocking = may_block && self.random.chance(45);
        let (before, waits) = self.waiting(unit, steps, own.symbol, &events);
        let event = (!is_blocking && (steps.is_ordered_by_events() || self.random.chance(15)))
            .then(|| self.host_local(&mut steps.scope, "event"));
        if event.is_some() {
            unit.features.insert("events");
        }
        for at in reads {
            let pending = &mut steps.buffers[*at].pending;
            match event {
                Some(event) => pending.readers.push(UnderWay { event, queue }),
                // What was written has been read. A queue that keeps its order needs no events.
                None if is_blocking => pending.writer = None,
                None => {}
            }
        }
        for at in writes {
            let writer = event.map(|event| UnderWay { event, queue });
            steps.buffers[*at].pending = Pending { writer, readers: Vec::new() };
        }
        Order { queue, is_blocking, before, waits, event }
    }

    /// How a command waits for events: statements, and the arguments of the call.
    fn waiting(
        &mut self,
        unit: &mut Unit,
        steps: &mut Steps,
        queue: Symbol,
        events: &[Symbol],
    ) -> (String, String) {
        if events.is_empty() {
            return (String::new(), "0, NULL".to_owned());
        }
        let (list, declared) = match events {
            [one] => (format!("1, &{one}"), String::new()),
            _ => {
                let list = self.host_local(&mut steps.scope, "waits");
                let names: Vec<String> = events.iter().map(ToString::to_string).collect();
                let declared = format!(
                    "const cl_event {list}[{}] = {{{}}};\n",
                    events.len(),
                    names.join(", ")
                );
                (format!("{}, {list}", events.len()), declared)
            }
        };
        match self.random.below(10) {
            0 => {
                unit.features.insert("wait-on-host");
                (format!("{declared}CHECK(clWaitForEvents({list}));\n"), "0, NULL".to_owned())
            }
            1 => {
                unit.features.insert("marker");
                let marker = self.host_local(&mut steps.scope, "marker");
                let text = format!(
                    "{declared}cl_event {marker};\nCHECK(clEnqueueMarkerWithWaitList({queue}, {list}, &{marker}));\n"
                );
                (text, format!("1, &{marker}"))
            }
            _ => {
                unit.features.insert("wait-list");
                (declared, list)
            }
        }
    }

    /// The statements around a call that must succeed, or whose code is printed; and what they declare.
    fn command(
        &mut self,
        steps: &mut Steps,
        order: &Order,
        call: &str,
        what: &str,
    ) -> (Vec<Symbol>, String) {
        let (mut text, mut declares) = (String::new(), Vec::new());
        if let Some(event) = order.event {
            let _ = writeln!(text, "cl_event {event} = NULL;");
            declares.push(event);
        }
        text.push_str(&order.before);
        text.push_str(&self.checked(steps, call, what));
        if order.event.is_some() && steps.queues.len() > 1 {
            let _ = writeln!(text, "clFlush({});", steps.queues[order.queue].symbol);
        }
        (declares, text)
    }

    /// A call that must succeed, or whose code is printed.
    fn checked(&mut self, steps: &Steps, call: &str, what: &str) -> String {
        if self.is_checked && self.random.chance(70) {
            format!("CHECK({call});\n")
        } else {
            printed(steps, call, what)
        }
    }

    /// Waits that no command needs.
    fn wait(&mut self, unit: &mut Unit, steps: &mut Steps) {
        let queue = self.random.pick(&steps.queues.clone()).symbol;
        match self.random.below(3) {
            0 => steps.line(Vec::new(), &format!("CHECK(clFinish({queue}));")),
            1 => {
                unit.features.insert("barrier");
                let text = format!("CHECK(clEnqueueBarrierWithWaitList({queue}, 0, NULL, NULL));");
                steps.line(Vec::new(), &text);
            }
            _ => {
                unit.features.insert("marker");
                let marker = self.host_local(&mut steps.scope, "marker");
                let text = format!(
                    "cl_event {marker};\nCHECK(clEnqueueMarkerWithWaitList({queue}, 0, NULL, &{marker}));\nCHECK(clWaitForEvents(1, &{marker}));"
                );
                steps.line(vec![marker], &text);
            }
        }
    }

    /// Questions about a buffer, whose answers are the program's own.
    fn ask(&mut self, unit: &mut Unit, steps: &mut Steps) {
        let at = self.random.below(steps.buffers.len());
        let buffer = steps.buffers[at].symbol;
        let number = self.host_local(&mut steps.scope, "answer");
        let label = format!("{}.{}", steps.unit, steps.step);
        let text = match self.random.below(3) {
            0 => {
                unit.features.insert("asks-size");
                format!(
                    "size_t {number} = 0;\nerror = clGetMemObjectInfo({buffer}, CL_MEM_SIZE, sizeof {number}, &{number}, NULL);\n\
                     printf(\"{label} size: %d %zu\\n\", error, {number});"
                )
            }
            1 => {
                unit.features.insert("retains");
                format!(
                    "cl_int {number} = clRetainMemObject({buffer});\n{number} |= clReleaseMemObject({buffer});\n\
                     printf(\"{label} retain: %d\\n\", {number});"
                )
            }
            _ => {
                unit.features.insert("migrates");
                format!(
                    "cl_int {number} = clEnqueueMarkerWithWaitList({}, 0, NULL, NULL);\nprintf(\"{label} marker: %d\\n\", {number});",
                    steps.queues[0].symbol
                )
            }
        };
        steps.line(vec![number], &text);
    }
}
