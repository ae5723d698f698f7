//! Class templates that hold the arrays: on the host with the memory, in kernels with a pointer.

use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// A class template whose instances hold device memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder {
    symbol: Symbol,
    /// The device pointer.
    data: Symbol,
    /// `upload(const T *)`, `download(T *)`, `swap(Holder &)`, `clear()`, `release()`
    upload: Symbol,
    download: Symbol,
    swap: Symbol,
    clear: Symbol,
    release: Symbol,
}

impl Holder {
    /// The declaration of an instance, and the expression for its device pointer.
    pub(super) fn instance(
        &self,
        record: &str,
        variable: Symbol,
        count: Symbol,
    ) -> (String, String) {
        (format!("{}<{record}> {variable}({count});", self.symbol), self.pointer(variable))
    }

    fn pointer(&self, variable: Symbol) -> String {
        format!("{variable}.{}", self.data)
    }

    /// A copy from the host of as many elements as it has.
    pub(super) fn uploaded(&self, variable: Symbol, host: &str) -> String {
        format!("{variable}.{}({host});", self.upload)
    }

    /// A copy to the host.
    pub(super) fn downloaded(&self, variable: Symbol, host: &str) -> String {
        format!("{variable}.{}({host});", self.download)
    }

    /// Two instances exchange their memory.
    pub(super) fn swapped(&self, one: Symbol, other: Symbol) -> String {
        format!("{one}.{}({other});", self.swap)
    }

    /// All bytes become zero.
    pub(super) fn cleared(&self, variable: Symbol) -> String {
        format!("{variable}.{}();", self.clear)
    }

    /// The memory is given back.
    pub(super) fn released(&self, variable: Symbol) -> String {
        format!("{variable}.{}();", self.release)
    }
}

impl Generator {
    /// The unit's class template that holds device memory.
    pub(super) fn holder(&mut self, unit: &mut Unit) -> Holder {
        if let Some(known) = unit.declared.holder {
            return known;
        }
        let symbol = self.named(Role::Type, &format!("Holder{}", unit.number));
        let [data, upload, download, swap, clear, release] =
            ["items", "upload", "download", "exchange", "clear", "release"]
                .map(|name| self.named(Role::Member, name));
        let holder = Holder { symbol, data, upload, download, swap, clear, release };
        let length = self.named(Role::Member, "length");
        let bytes = if self.random.chance(50) {
            format!("{length} * sizeof(T)")
        } else {
            format!("sizeof(T) * (size_t){length}")
        };
        let by_macro = self.random.chance(25);
        let mut checked = |call: String| {
            if by_macro { format!("CHECK({call});") } else { self.checked(&call) }
        };
        let freed = format!("cudaFree({data}); {data} = nullptr;");
        let fields = [format!("T *{data};"), format!("int {length};")];
        let mut members: Vec<Node> = fields
            .iter()
            .zip([data, length])
            .map(|(text, name)| Node { kind: Kind::Field, ..Node::declaration(name, text) })
            .collect();
        members.push(Node::line(&format!("{symbol}(const {symbol} &) = delete;")));
        members.push(Node::line(&format!("{symbol} &operator=(const {symbol} &) = delete;")));
        let constructor = format!("@{symbol}(int size_)");
        let initialisers = format!(" : {data}(nullptr), {length}(size_)");
        let (to, from) = ("cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost");
        let functions = [
            (
                None,
                "explicit ",
                constructor,
                initialisers,
                checked(format!("cudaMalloc(&{data}, {bytes})")),
            ),
            (
                Some(upload),
                "",
                format!("void @{upload}(const T *host_)"),
                String::new(),
                checked(format!("cudaMemcpy({data}, host_, {bytes}, {to})")),
            ),
            (
                Some(download),
                "",
                format!("void @{download}(T *host_) const"),
                String::new(),
                checked(format!("cudaMemcpy(host_, {data}, {bytes}, {from})")),
            ),
            (
                Some(swap),
                "",
                format!("void @{swap}({symbol} &other_)"),
                String::new(),
                format!("T *held_ = {data}; {data} = other_.{data}; other_.{data} = held_;"),
            ),
            (
                Some(clear),
                "",
                format!("void @{clear}()"),
                String::new(),
                checked(format!("cudaMemset({data}, 0, {bytes})")),
            ),
            (Some(release), "", format!("void @{release}()"), String::new(), freed),
        ];
        let mut outside = Vec::new();
        for (name, specifier, head, initialisers, body) in functions {
            let inside = head.replace('@', "");
            let declares: Vec<Symbol> = name.into_iter().collect();
            let text = if self.random.chance(50) {
                format!("{specifier}{inside}{initialisers} {{ {body} }}")
            } else {
                let scoped = head.replace('@', &format!("{symbol}<T>::"));
                let head = format!("template <typename T>\n{scoped}{initialisers} {{");
                outside.push(Node::new(Kind::Function, &head, vec![Node::line(&body)], "}"));
                format!("{specifier}{inside};")
            };
            members.push(Node { declares, ..Node::line(&text) });
        }
        let head = format!("template <typename T>\nstruct {symbol} {{");
        let mut node = Node::new(Kind::Record, &head, members, "};");
        node.declares.push(symbol);
        unit.nodes.push(node);
        unit.nodes.append(&mut outside);
        unit.declared.holder = Some(holder);
        holder
    }

    /// An instance, for this record, of the unit's class template that a kernel takes by value
    /// instead of an array and its length.
    pub(super) fn view_template(&mut self, unit: &mut Unit, record: usize) -> String {
        let name = self.record_symbol(record);
        if let Some(known) = unit.declared.view {
            return format!("{known}<{name}>");
        }
        let symbol = self.named(Role::Type, &format!("View{}", unit.number));
        let begin = if self.random.chance(50) {
            unit.outside.push(Node::line(&format!(
                "template <class T>\n__host__ __device__ T *{symbol}<T>::begin() const {{ return items; }}"
            )));
            "T *begin() const;"
        } else {
            "T *begin() const { return items; }"
        };
        let text = format!(
            "template <class T>\nstruct {symbol} {{\n    T *items;\n    int count;\n    __host__ __device__ {begin}\n    __host__ __device__ T &operator[](int at) const {{ return items[at]; }}\n}};"
        );
        unit.nodes.push(Node::declaration(symbol, &text));
        unit.nodes.append(&mut unit.outside);
        unit.declared.view = Some(symbol);
        format!("{symbol}<{name}>")
    }

    /// The array of an instance of that template, or what is used like it.
    pub(super) fn viewed(&mut self, view: Symbol) -> String {
        let text = *self.random.pick(&["@.items", "@.items", "@.begin()", "(&@[0])"]);
        text.replace('@', &view.to_string())
    }
}
