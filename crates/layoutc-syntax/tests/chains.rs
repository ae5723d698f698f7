//! Expressions with names in parentheses, which read like casts, against a real C++ compiler.

use layoutc_syntax::preprocess::{NoHeaders, PreprocessOptions, preprocess_program};
use layoutc_syntax::{evaluate, lower_program};
use std::fmt::Write as _;
use std::process::Command;

const COUNT: usize = 4000;

/// A small generator of the same numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn expression(&mut self) -> String {
        let mut text = String::new();
        for at in 0..2 + self.below(4) {
            if at > 0 {
                let operator =
                    self.pick(&["+", "-", "*", "&", "*", "+", "|", "^", "&&", "==", "<"]);
                let blank = self.pick(&["", " "]);
                let _ = write!(text, "{blank}{operator} ");
            }
            text.push_str(self.pick(&[
                "(n)",
                "(m)",
                "(n)",
                "m",
                "k",
                "(3)",
                "-(n)",
                "~(m)",
                "+m",
                "(long)(n)",
                "sizeof(T)",
                "sizeof(n)",
                "((n) + m * (k))",
                "TWICE(n)",
                "SUM(n, k)",
                "(M)",
                "M",
            ]));
        }
        text
    }
}

#[test]
fn values_are_those_of_the_compiler() {
    let mut numbers = Numbers(7);
    let mut text = "typedef short T;\n#define M 5\n#define TWICE(x) (x) * 2\n\
                    #define SUM(x, y) ((x) + 2 * (y) * (x) & 63)\n\
                    const long n = 3, m = 2, k = 4;\n"
        .to_owned();
    for at in 0..COUNT {
        let _ = writeln!(text, "const long v{at} = {};", numbers.expression());
    }
    let mut compiled = format!("#include <cstdio>\n{text}int main() {{\n");
    for at in 0..COUNT {
        let _ = writeln!(compiled, "    printf(\"%ld\\n\", v{at});");
    }
    compiled.push_str("}\n");
    let folder = std::env::temp_dir().join(format!("layoutc-chains-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program) = (folder.join("chains.cpp"), folder.join("chains"));
    std::fs::write(&source, &compiled).expect("a file");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let built = Command::new(compiler)
        .args(["-w", "-O0", "-o"])
        .args([&program, &source])
        .output()
        .expect("a C++ compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().expect("the program");
    let expected: Vec<i64> = String::from_utf8_lossy(&ran.stdout)
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect();
    std::fs::remove_dir_all(&folder).expect("the folder can go");
    assert_eq!(expected.len(), COUNT);

    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let roots = vec![("chains.cu".into(), text)];
    let preprocessed = preprocess_program(roots, &mut NoHeaders, &PreprocessOptions::default());
    let (model, _) = lower_program(preprocessed);
    let mut known = 0;
    for variable in &model.variables {
        let Some(at) = variable.name.strip_prefix('v').and_then(|at| at.parse::<usize>().ok())
        else {
            continue;
        };
        // What is no constant here (values above 64 bits, unsigned ones) is not looked at.
        let Some(value) = variable.init.and_then(|init| evaluate::constant(&model, init)) else {
            continue;
        };
        known += 1;
        let line = lines.iter().find(|line| line.starts_with(&format!("const long v{at} =")));
        assert_eq!(value, expected[at], "{line:?}");
    }
    assert!(known > COUNT * 3 / 4, "{known} of {COUNT} are constants");
}
