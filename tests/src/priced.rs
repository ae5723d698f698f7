//! Random programs for the cost model: what they compute is of no interest, how they access memory is.
//!
//! A program has one or two structs, an array of each in device memory, and kernels that read and write some of their
//! members: at the thread's own index, beside it, at indices from memory, in loops, behind conditions that data decides.
//! The host copies in, launches the kernels some times, and copies out, once or in each step. All sizes and trips are
//! constants of the text, so that a choice by the text can be judged by a run.

use crate::random::rng::Random;
use std::fmt::Write;

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Priced {
    /// Its text, CUDA C++.
    pub text: String,
    /// The struct types, each with an array of its own.
    pub records: Vec<String>,
}

/// A member.
struct Member {
    name: String,
    ty: &'static str,
    /// Elements of a member array.
    extent: Option<usize>,
}

impl Member {
    /// An expression for it, in `element`; of an array, one of its elements.
    fn of(&self, element: &str, random: &mut Random) -> String {
        match self.extent {
            None => format!("{element}.{}", self.name),
            Some(extent) => format!("{element}.{}[{}]", self.name, random.below(extent)),
        }
    }
}

/// A struct and its array.
struct Record {
    name: String,
    members: Vec<Member>,
    elements: usize,
}

impl Record {
    fn array(&self) -> String {
        self.name.to_lowercase()
    }

    /// Some of its members, at least one.
    fn some<'m>(&'m self, random: &mut Random, most: usize) -> Vec<&'m Member> {
        let count = random.between(1, most.min(self.members.len()));
        let mut order: Vec<&Member> = self.members.iter().collect();
        // Members that are used together often stand together.
        if random.chance(60) {
            let first = random.below(self.members.len() + 1 - count);
            return order[first..first + count].to_vec();
        }
        random.shuffle(&mut order);
        order.truncate(count);
        order
    }
}

/// The program of a seed.
#[must_use]
pub fn generate(seed: u64) -> Priced {
    let mut random = Random::new(seed);
    let random = &mut random;
    let records: Vec<Record> = (0..random.between(1, 2)).map(|at| record(random, at)).collect();
    let mut text =
        String::from("#include <cstdio>\n#include <cstdlib>\n#include <cuda_runtime.h>\n\n");
    for record in &records {
        let _ = writeln!(text, "struct {} {{", record.name);
        for member in &record.members {
            let extent = member.extent.map_or_else(String::new, |extent| format!("[{extent}]"));
            let _ = writeln!(text, "    {} {}{extent};", member.ty, member.name);
        }
        text.push_str("};\n\n");
    }
    let mut launches = Vec::new();
    for at in 0..random.between(1, 4) {
        let record = &records[random.below(records.len())];
        launches.push(kernel(random, record, at, &mut text));
    }
    host(random, &records, &launches, &mut text);
    Priced { text, records: records.into_iter().map(|record| record.name).collect() }
}

const TYPES: [&str; 12] = [
    "float",
    "float",
    "float",
    "float",
    "float",
    "float",
    "int",
    "int",
    "unsigned",
    "double",
    "short",
    "unsigned char",
];

fn record(random: &mut Random, at: usize) -> Record {
    let count = random.between(2, 11);
    let is_plain = random.chance(50);
    let members = (0..count).map(|own| {
        let ty = if is_plain { "float" } else { *random.pick(&TYPES) };
        let extent = random.chance(8).then(|| random.between(2, 6));
        Member { name: format!("m{own}"), ty, extent }
    });
    let members: Vec<Member> = members.collect();
    let elements = *random.pick(&[2048, 8192, 20_000]);
    Record { name: ["Alpha", "Beta"][at].to_owned(), members, elements }
}

/// Adds a kernel, and gives its launch.
fn kernel(random: &mut Random, record: &Record, at: usize, text: &mut String) -> String {
    let name = format!("kernel{at}");
    let array = record.array();
    let block = *random.pick(&[64, 128, 256]);
    let blocks = record.elements.div_ceil(block);
    let _ = writeln!(
        text,
        "__global__ void {name}({} *{array}, const int *list, float *out, int n) {{\n    \
         int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;",
        record.name
    );
    let own = format!("{array}[i]");
    let read = |random: &mut Random, element: &str, most: usize| {
        let members = record.some(random, most);
        let parts: Vec<String> =
            members.iter().map(|member| format!("(float){}", member.of(element, random))).collect();
        parts.join(" + ")
    };
    let update = |random: &mut Random, most: usize, value: &str, indent: &str| {
        let mut text = String::new();
        for member in record.some(random, most) {
            let target = member.of(&own, random);
            let op = *random.pick(&["=", "+="]);
            let _ = writeln!(text, "{indent}{target} {op} ({}){value};", member.ty);
        }
        text
    };
    let writes = random.chance(60);
    match random.below(7) {
        0 | 1 => {
            let _ = writeln!(text, "    float v = {};", read(random, &own, 6));
            if writes {
                text.push_str(&update(random, 4, "(v * 0.5f)", "    "));
            } else {
                text.push_str("    out[i] = v;\n");
            }
        }
        2 => {
            let other = format!("{array}[list[i]]");
            let _ = writeln!(text, "    float v = {};\n    out[i] = v;", read(random, &other, 5));
        }
        3 => {
            let trips = random.between(2, 12);
            let _ = writeln!(
                text,
                "    float v = {};\n    for (int k = 0; k < {trips}; k++) {{\n        \
                 int j = list[(i + k * 64) % n];\n        v += {};\n    }}\n    out[i] = v;",
                read(random, &own, 3),
                read(random, &format!("{array}[j]"), 5)
            );
        }
        4 => {
            let distance = random.pick(&[1, 1, 64]);
            let _ = writeln!(
                text,
                "    int left = i >= {distance} ? i - {distance} : i, right = i + {distance} < n ? i + {distance} : i;\n    \
                 float v = {} + {} - {};\n    out[i] = v;",
                read(random, &own, 2),
                read(random, &format!("{array}[left]"), 2),
                read(random, &format!("{array}[right]"), 2)
            );
        }
        5 => {
            let condition = record.some(random, 1)[0].of(&own, random);
            let _ =
                writeln!(text, "    if ((int){condition} % {} == 0) {{", random.pick(&[2, 4, 16]));
            let _ = writeln!(text, "        float v = {};", read(random, &own, 5));
            text.push_str(&update(random, 3, "(v + 1.0f)", "        "));
            text.push_str("    }\n");
        }
        _ => {
            let trips = random.between(8, 64);
            let _ = writeln!(
                text,
                "    float v = {};\n    for (int k = 0; k < {trips}; k++) {{\n        v += v * {};\n    }}",
                read(random, &own, 3),
                read(random, &format!("{array}[k]"), 3)
            );
            if writes {
                text.push_str(&update(random, 2, "v", "    "));
            } else {
                text.push_str("    out[i] = v;\n");
            }
        }
    }
    text.push_str("}\n\n");
    format!(
        "{name}<<<{blocks}, {block}>>>(d_{array}, d_list{0}, d_out{0}, {1});",
        record.name, record.elements
    )
}

fn host(random: &mut Random, records: &[Record], launches: &[String], text: &mut String) {
    text.push_str("int main() {\n");
    for record in records {
        let (name, array, elements) = (&record.name, record.array(), record.elements);
        // A permutation, near or far.
        let index = match random.below(3) {
            0 => "i".to_owned(),
            1 => format!(
                "(i / 16) * 16 + (i * 5) % 16 < {elements} ? (i / 16) * 16 + (i * 5) % 16 : i"
            ),
            _ => format!("(int)((i * 7919LL) % {elements})"),
        };
        let _ = writeln!(
            text,
            "    {name} *{array} = ({name} *)calloc({elements}, sizeof({name}));\n    \
             int *list{name} = (int *)malloc({elements} * sizeof(int));\n    \
             for (int i = 0; i < {elements}; i++) {{\n        list{name}[i] = {index};"
        );
        for member in &record.members {
            match member.extent {
                None => {
                    let _ = writeln!(
                        text,
                        "        {array}[i].{0} = ({1})(i % 13);",
                        member.name, member.ty
                    );
                }
                Some(extent) => {
                    let _ = writeln!(
                        text,
                        "        for (int k = 0; k < {extent}; k++) {array}[i].{0}[k] = ({1})(i % 7 + k);",
                        member.name, member.ty
                    );
                }
            }
        }
        let _ = writeln!(
            text,
            "    }}\n    {name} *d_{array};\n    int *d_list{name};\n    float *d_out{name};\n    \
             cudaMalloc(&d_{array}, {elements} * sizeof({name}));\n    \
             cudaMalloc(&d_list{name}, {elements} * sizeof(int));\n    \
             cudaMalloc(&d_out{name}, {elements} * sizeof(float));\n    \
             cudaMemcpy(d_{array}, {array}, {elements} * sizeof({name}), cudaMemcpyHostToDevice);\n    \
             cudaMemcpy(d_list{name}, list{name}, {elements} * sizeof(int), cudaMemcpyHostToDevice);"
        );
    }
    let steps = *random.pick(&[1, 3, 10, 30, 60]);
    let copies_each = random.chance(25);
    let copy_out = |record: &Record, indent: &str| {
        format!(
            "{indent}cudaMemcpy({0}, d_{0}, {1} * sizeof({2}), cudaMemcpyDeviceToHost);\n",
            record.array(),
            record.elements,
            record.name
        )
    };
    let _ = writeln!(text, "    for (int step = 0; step < {steps}; step++) {{");
    for launch in launches {
        let _ = writeln!(text, "        {launch}");
    }
    if copies_each {
        text.push_str(&copy_out(&records[0], "        "));
    }
    text.push_str("    }\n");
    for record in records.iter().skip(usize::from(copies_each)) {
        text.push_str(&copy_out(record, "    "));
    }
    text.push_str("    double sum = 0;\n");
    for record in records {
        let (name, array) = (&record.name, record.array());
        let first = &record.members[0];
        let item = first.extent.map_or("", |_| "[0]");
        let _ = writeln!(
            text,
            "    float *out{name} = (float *)malloc({0} * sizeof(float));\n    \
             cudaMemcpy(out{name}, d_out{name}, {0} * sizeof(float), cudaMemcpyDeviceToHost);\n    \
             for (int i = 0; i < {0}; i++) sum += (double){array}[i].{1}{item} + out{name}[i];\n    \
             cudaFree(d_{array});\n    cudaFree(d_list{name});\n    cudaFree(d_out{name});\n    \
             free({array});\n    free(list{name});\n    free(out{name});",
            record.elements, first.name
        );
    }
    text.push_str("    printf(\"%.6e\\n\", sum);\n    return 0;\n}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_program_and_seeds_give_several() {
        assert_eq!(generate(3), generate(3));
        let texts: std::collections::BTreeSet<String> =
            (0..50).map(|seed| generate(seed).text).collect();
        assert_eq!(texts.len(), 50);
    }
}
