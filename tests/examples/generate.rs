//! Prints a generated program of about N lines: `cargo run -p layoutc-tests --example generate -- N`.

fn main() {
    let lines = std::env::args().nth(1).and_then(|lines| lines.parse().ok()).unwrap_or(200);
    print!("{}", layoutc_tests::generate::program(lines));
}
