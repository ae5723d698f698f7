//! Class templates that hold the arrays: on the host with the memory, in kernels with a pointer.

use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// How a unit's code uses what holds its device memory: text with `@r` for the element type, `@v`
/// for the variable, `@n` for the number of elements, `@h` for a host pointer and `@o` for another
/// variable.
#[derive(Clone, Debug)]
pub(super) struct Holder {
    /// The declaration of a variable with memory for some elements.
    pub(super) declared: String,
    /// The device pointer.
    pub(super) pointer: String,
    /// Whether that can be assigned.
    pub(super) is_assignable: bool,
    /// Copies from and to the host.
    pub(super) upload: String,
    pub(super) download: String,
    /// Two variables exchange their memory.
    pub(super) swap: String,
    /// All bytes become zero.
    pub(super) clear: String,
    /// The memory is given back.
    pub(super) release: String,
}

impl Holder {
    /// The declaration of an instance, and the expression for its device pointer.
    pub(super) fn instance(
        &self,
        record: Symbol,
        variable: Symbol,
        count: Symbol,
    ) -> (String, String) {
        let declared = of_variable(&self.declared, variable)
            .replace("@r", &record.to_string())
            .replace("@n", &count.to_string());
        (declared, of_variable(&self.pointer, variable))
    }

    /// A copy from the host of as many elements as it has.
    pub(super) fn uploaded(&self, variable: Symbol, host: &str, count: Symbol) -> String {
        of_variable(&self.upload, variable).replace("@h", host).replace("@n", &count.to_string())
    }

    /// A copy to the host.
    pub(super) fn downloaded(&self, variable: Symbol, host: &str, count: Symbol) -> String {
        of_variable(&self.download, variable).replace("@h", host).replace("@n", &count.to_string())
    }

    /// Two instances exchange their memory.
    pub(super) fn swapped(&self, one: Symbol, other: Symbol, record: Symbol) -> String {
        of_variable(&self.swap, one)
            .replace("@o", &other.to_string())
            .replace("@r", &record.to_string())
    }

    /// All bytes become zero.
    pub(super) fn cleared(&self, variable: Symbol, count: Symbol) -> String {
        of_variable(&self.clear, variable).replace("@n", &count.to_string())
    }

    /// The memory is given back.
    pub(super) fn released(&self, variable: Symbol) -> String {
        of_variable(&self.release, variable)
    }
}

fn of_variable(text: &str, variable: Symbol) -> String {
    text.replace("@v", &variable.to_string())
}

impl Generator {
    /// The unit's class template that holds device memory.
    pub(super) fn holder(&mut self, unit: &mut Unit) -> Holder {
        if let Some(known) = &unit.declared.holder {
            return known.clone();
        }
        if unit.has(Trait::OwnerTemplate) {
            return self.owner(unit);
        }
        if unit.has(Trait::AllocateTemplate) {
            return self.allocate_templates(unit);
        }
        let symbol = self.named(Role::Type, &format!("Holder{}", unit.number));
        let [data, upload, download, swap, clear, release] =
            ["items", "upload", "download", "exchange", "clear", "release"]
                .map(|name| self.named(Role::Member, name));
        let holder = Holder {
            declared: format!("{symbol}<@r> @v(@n);"),
            pointer: format!("@v.{data}"),
            is_assignable: true,
            upload: format!("@v.{upload}(@h);"),
            download: format!("@v.{download}(@h);"),
            swap: format!("@v.{swap}(@o);"),
            clear: format!("@v.{clear}();"),
            release: format!("@v.{release}();"),
        };
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
        unit.declared.holder = Some(holder.clone());
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
