//! Class templates that own the arrays, and function templates that allocate, copy and free them.

use super::holders::Holder;
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// What owners may have besides, whether somebody uses it or not: `@T` is the parameter, `@O` the
/// class, `@p` its pointer, `@n` its length.
const EXTRAS: [&str; 18] = [
    "@T *begin() const { return @p; }\n@T *end() const { return @p + @n; }",
    "bool empty() const { return @n == 0; }",
    "size_t size_in_bytes() const { return @n * sizeof(@T); }",
    "explicit operator bool() const { return @p != nullptr; }",
    "bool operator==(const @O &other_) const { return @p == other_.@p; }",
    "bool operator!() const { return !@p; }",
    "void grow(size_t size_) { cudaFree(@p); @n = size_; cudaMalloc(&@p, @n * sizeof(@T)); }",
    "std::vector<@T> to_host() const { std::vector<@T> h_(@n); cudaMemcpy(h_.data(), @p, @n * sizeof(@T), cudaMemcpyDeviceToHost); return h_; }",
    "void from_host(const std::vector<@T> &h_) { cudaMemcpy(@p, h_.data(), h_.size() * sizeof(@T), cudaMemcpyHostToDevice); }",
    "@T first() const { @T one_; cudaMemcpy(&one_, @p, sizeof(@T), cudaMemcpyDeviceToHost); return one_; }",
    "void set(size_t at_, const @T &value_) { cudaMemcpy(@p + at_, &value_, sizeof(@T), cudaMemcpyHostToDevice); }",
    "void assign(const @T &value_) { std::vector<@T> h_(@n, value_); cudaMemcpy(@p, h_.data(), @n * sizeof(@T), cudaMemcpyHostToDevice); }",
    "@T *give_up() { @T *held_ = @p; @p = nullptr; @n = 0; return held_; }",
    "using value_type = @T;\nusing pointer = @T *;",
    "static size_t item_size() { return sizeof(@T); }",
    "friend void swap(@O &a_, @O &b_) { std::swap(a_.@p, b_.@p); std::swap(a_.@n, b_.@n); }",
    "size_t capacity = 0;",
    "template <typename Other_> bool is_as_long(const @O<Other_> &other_) const { return other_.size() == @n; }",
];

impl Generator {
    /// The unit's class template that owns device memory.
    pub(super) fn owner(&mut self, unit: &mut Unit) -> Holder {
        let base = *self.random.pick(&["Buffer", "DeviceArray", "Owner", "dev_vector"]);
        let owner = self.named(Role::Type, &format!("{base}{}", unit.number));
        let parameter = *self.random.pick(&["T", "Element", "U"]);
        let names = [("data_", "size_"), ("ptr", "count"), ("m_items", "m_length"), ("p", "n")];
        let (pointer, length) = *self.random.pick(&names);
        let [pointer, length] = [pointer, length].map(|name| self.named(Role::Member, name));
        let moves = self.random.chance(70);
        let (mut members, free) = (Vec::new(), self.freed(pointer));
        self.constructors(owner, pointer, length, moves, &mut members);
        members.push(format!("~@O() {{ {free} }}"));
        members.push("@O(const @O &) = delete;\n@O &operator=(const @O &) = delete;".to_owned());
        if moves {
            self.moves(&free, &mut members);
        }
        let get = *self.random.pick(&["get", "data", "ptr_to"]);
        let get = self.named(Role::Member, get);
        members.push(match self.random.below(3) {
            0 => format!("@T *{get}() {{ return @p; }}\nconst @T *{get}() const {{ return @p; }}"),
            1 => format!("__host__ __device__ @T *{get}() const {{ return @p; }}"),
            _ => format!("@T *{get}() const noexcept {{ return @p; }}"),
        });
        members.push("size_t size() const { return @n; }".to_owned());
        members.push(
            "void swap(@O &other_) { std::swap(@p, other_.@p); std::swap(@n, other_.@n); }"
                .to_owned(),
        );
        let [upload, download, clear] =
            ["upload", "download", "zero"].map(|name| self.named(Role::Member, name));
        for text in [
            format!("void {upload}(const @T *h_) {{ # }}").replace(
                '#',
                &self.checked("cudaMemcpy(@p, h_, @n * sizeof(@T), cudaMemcpyHostToDevice)"),
            ),
            format!("void {download}(@T *h_) const {{ # }}").replace(
                '#',
                &self.checked("cudaMemcpy(h_, @p, @n * sizeof(@T), cudaMemcpyDeviceToHost)"),
            ),
            format!("void {clear}() {{ # }}")
                .replace('#', &self.checked("cudaMemset(@p, 0, @n * sizeof(@T))")),
        ] {
            members.push(text);
        }
        let mut extras = EXTRAS.to_vec();
        self.random.shuffle(&mut extras);
        members.extend(extras[..self.random.below(5)].iter().map(|text| (*text).to_owned()));
        self.random.shuffle(&mut members);
        let spelled = |text: &str| {
            text.replace("@T", parameter)
                .replace("@O", &owner.to_string())
                .replace("@p", &pointer.to_string())
                .replace("@n", &length.to_string())
        };
        let fields = [
            (pointer, format!("{parameter} *{pointer} = nullptr;")),
            (length, format!("size_t {length} = 0;")),
        ];
        let fields =
            fields.map(|(name, text)| Node { kind: Kind::Field, ..Node::declaration(name, &text) });
        let is_class = self.random.chance(60);
        let mut body: Vec<Node> = Vec::new();
        let lines = members.iter().map(|text| Node::line(&spelled(text)));
        if is_class && self.random.chance(50) {
            body.extend(fields);
            body.push(Node { kind: Kind::Frame, ..Node::line("public:") });
            body.extend(lines);
        } else {
            body.extend(is_class.then(|| Node { kind: Kind::Frame, ..Node::line("public:") }));
            body.extend(lines);
            body.extend(is_class.then(|| Node { kind: Kind::Frame, ..Node::line("private:") }));
            body.extend(fields);
        }
        let word = *self.random.pick(&["typename", "class"]);
        let key = if is_class { "class" } else { "struct" };
        let mut node = Node::new(
            Kind::Record,
            &format!("template <{word} {parameter}>\n{key} {owner} {{"),
            body,
            "};",
        );
        node.declares.push(owner);
        unit.nodes.push(node);
        let declared = self.declared(unit, owner, moves);
        let swap = match self.random.below(3) {
            0 if moves => "std::swap(@v, @o);".to_owned(),
            1 if moves => format!(
                "{{\n    {owner}<@r> held_ = std::move(@v);\n    @v = std::move(@o);\n    @o = std::move(held_);\n}}"
            ),
            _ => "@v.swap(@o);".to_owned(),
        };
        let holder = Holder {
            declared,
            pointer: format!("@v.{get}()"),
            is_assignable: false,
            upload: format!("@v.{upload}(@h);"),
            download: format!("@v.{download}(@h);"),
            swap,
            clear: format!("@v.{clear}();"),
            release: String::new(),
        };
        unit.declared.holder = Some(holder.clone());
        holder
    }

    fn freed(&mut self, pointer: Symbol) -> String {
        self.random
            .pick(&[
                "cudaFree(@p);",
                "if (@p) cudaFree(@p);",
                "if (@p != nullptr) { cudaFree(@p); @p = nullptr; }",
            ])
            .replace("@p", &pointer.to_string())
    }

    fn constructors(
        &mut self,
        owner: Symbol,
        pointer: Symbol,
        length: Symbol,
        moves: bool,
        members: &mut Vec<String>,
    ) {
        let bytes = *self.random.pick(&["count_ * sizeof(@T)", "sizeof(@T) * count_"]);
        let target = *self.random.pick(&["&@p", "(void **)&@p", "reinterpret_cast<void **>(&@p)"]);
        let call = self.checked(&format!("cudaMalloc({target}, {bytes})"));
        let explicit = if self.random.chance(70) { "explicit " } else { "" };
        let text = if self.random.chance(50) {
            format!("{explicit}{owner}(size_t count_) : {length}(count_) {{ {call} }}")
        } else {
            format!("{explicit}{owner}(size_t count_) {{ {length} = count_; {call} }}")
        };
        members.push(text);
        if moves || self.random.chance(30) {
            members.push(match self.random.below(2) {
                0 => format!("{owner}() = default;"),
                _ => format!("{owner}() : {pointer}(nullptr), {length}(0) {{}}"),
            });
        }
    }

    /// A move constructor and a move assignment.
    fn moves(&mut self, free: &str, members: &mut Vec<String>) {
        members.push(
            (*self.random.pick(&[
                "@O(@O &&other_) noexcept : @p(other_.@p), @n(other_.@n) { other_.@p = nullptr; other_.@n = 0; }",
                "@O(@O &&other_) noexcept : @p(std::exchange(other_.@p, nullptr)), @n(std::exchange(other_.@n, 0)) {}",
                "@O(@O &&other_) noexcept { swap(other_); }",
            ]))
            .to_owned(),
        );
        members.push(match self.random.below(3) {
            0 => format!("@O &operator=(@O &&other_) noexcept {{\n    if (this != &other_) {{ {free} @p = other_.@p; @n = other_.@n; other_.@p = nullptr; other_.@n = 0; }}\n    return *this;\n}}"),
            1 => "@O &operator=(@O &&other_) noexcept { swap(other_); return *this; }".to_owned(),
            _ => "@O &operator=(@O &&other_) noexcept {\n    std::swap(@p, other_.@p);\n    std::swap(@n, other_.@n);\n    return *this;\n}".to_owned(),
        });
    }

    /// The declaration of an owner, maybe by a function template that makes one.
    fn declared(&mut self, unit: &mut Unit, owner: Symbol, moves: bool) -> String {
        match self.random.below(4) {
            0 if moves => {
                let make = self.named(Role::Global, &format!("make{}", unit.number));
                let body = *self.random.pick(&[
                    "return @O<T_>(count_);",
                    "@O<T_> made_(count_); return made_;",
                    "auto made_ = @O<T_>(count_); return made_;",
                ]);
                let body = body.replace("@O", &owner.to_string());
                let text = format!(
                    "template <class T_>\nstatic {owner}<T_> {make}(size_t count_) {{ {body} }}"
                );
                unit.nodes.push(Node::declaration(make, &text));
                let ty =
                    if self.random.chance(50) { "auto".to_owned() } else { format!("{owner}<@r>") };
                format!("{ty} @v = {make}<@r>(@n);")
            }
            1 if moves => format!("{owner}<@r> @v;\n@v = {owner}<@r>(@n);"),
            2 => format!("{owner}<@r> @v{{(size_t)@n}};"),
            _ => format!("{owner}<@r> @v(@n);"),
        }
    }

    /// Function templates that allocate, copy and free, in the place of a class that does.
    pub(super) fn allocate_templates(&mut self, unit: &mut Unit) -> Holder {
        let number = unit.number;
        let named =
            |this: &mut Self, name: &str| this.named(Role::Global, &format!("{name}{number}"));
        let (make, give) = (named(self, "allocate"), named(self, "deallocate"));
        let (up, down, clear) =
            (named(self, "to_device"), named(self, "to_host"), named(self, "clear"));
        let word = *self.random.pick(&["typename T", "class T", "typename Item"]);
        let ty = word.split(' ').next_back().unwrap_or("T");
        let (by_result, by_count) = (self.random.chance(50), self.random.chance(70));
        let mut template = |this: &mut Self, name: Symbol, head: &str, call: &str, end: &str| {
            let call = this.checked(&call.replace("@T", ty));
            let head = head.replace("@T", ty).replace('@', &name.to_string());
            let text =
                format!("template <{word}>\nstatic {head} {{ {call}{} }}", end.replace("@T", ty));
            let text = if by_result && name == make {
                text.replacen("{ ", &format!("{{ {ty} *p_ = nullptr; "), 1)
            } else {
                text
            };
            unit.nodes.push(Node::declaration(name, &text));
        };
        let malloc = *self.random.pick(&[
            "cudaMalloc(&p_, count_ * sizeof(@T))",
            "cudaMalloc((void **)&p_, sizeof(@T) * count_)",
        ]);
        if by_result {
            template(self, make, "@T *@(size_t count_)", malloc, " return p_;");
        } else {
            let malloc = malloc.replace("&p_", "p_").replace("(void **)&p_", "(void **)p_");
            template(self, make, "void @(@T **p_, size_t count_)", &malloc, "");
        }
        template(
            self,
            up,
            "void @(@T *d_, const @T *h_, size_t count_)",
            "cudaMemcpy(d_, h_, count_ * sizeof(@T), cudaMemcpyHostToDevice)",
            "",
        );
        template(
            self,
            down,
            "void @(@T *h_, const @T *d_, size_t count_)",
            "cudaMemcpy(h_, d_, sizeof(@T) * count_, cudaMemcpyDeviceToHost)",
            "",
        );
        template(
            self,
            clear,
            "void @(@T *d_, size_t count_)",
            "cudaMemset(d_, 0, count_ * sizeof(@T))",
            "",
        );
        template(self, give, "void @(@T *&d_)", "cudaFree(d_)", " d_ = nullptr;");
        let explicit = if self.random.chance(50) { "<@r>" } else { "" };
        let declared = match (by_result, by_count) {
            (true, true) => format!("@r *@v = {make}<@r>(@n);"),
            (true, false) => format!("auto *@v = {make}<@r>(@n);"),
            (false, _) => format!("@r *@v;\n{make}{explicit}(&@v, @n);"),
        };
        let holder = Holder {
            declared,
            pointer: "@v".to_owned(),
            is_assignable: true,
            upload: format!("{up}(@v, @h, @n);"),
            download: format!("{down}(@h, @v, @n);"),
            swap: "std::swap(@v, @o);".to_owned(),
            clear: format!("{clear}(@v, @n);"),
            release: format!("{give}(@v);"),
        };
        unit.declared.holder = Some(holder.clone());
        holder
    }
}
