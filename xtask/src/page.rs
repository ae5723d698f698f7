//! `cargo xtask page`: the pages of `analyze --html` in a browser.
//!
//! A frame of each width holds the page, so that its own rules for widths apply; the frame's parent measures whether anything
//! is wider than it. No browser is installed for this: it is one that is found on the path.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use layoutc_tests::layoutc::{Layoutc, VERIFY_LIMIT};
use layoutc_tests::process::{Outcome, run_limited};
use layoutc_tests::program::Program;
use layoutc_tests::repository_root;

/// Names of browsers that take the options below.
const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Programs whose pages are looked at: one kernel array, several arrays, and member arrays.
const PROGRAMS: [&str; 3] = ["nbody", "sph", "lbm2d"];
/// Widths in pixels: a phone, a window beside another one, and a screen.
const WIDTHS: [u32; 3] = [400, 1000, 1600];
/// Pixels of a picture, from the top of the page.
const HEIGHT: u32 = 2400;
/// How long the browser may take for a page.
const LIMIT: Duration = Duration::from_secs(60);

/// What to look at.
#[derive(clap::Args)]
pub struct Options {
    /// The browser; otherwise the first of chromium and google-chrome that is on the path
    #[arg(long)]
    browser: Option<OsString>,
    /// Where pages and pictures go
    #[arg(long, default_value = "out/page")]
    out: PathBuf,
}

/// Writes pages of recorded programs and pictures of them at several widths, light and dark.
///
/// # Errors
/// When there is no browser, or a page is wider than its window.
pub fn run(options: &Options) -> Result<()> {
    let browser = browser(options)?;
    let out = repository_root().join(&options.out);
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let mut wide = Vec::new();
    for name in PROGRAMS {
        let page = page(name, &out)?;
        for width in WIDTHS {
            for scheme in ["light", "dark"] {
                let found = look(&browser, &page, &out, width, scheme)?;
                println!("{name}, {width} pixels, {scheme}: {found}");
                if !found.starts_with("fits") {
                    wide.push(format!("{name} at {width}: {found}"));
                }
            }
        }
    }
    println!("pictures are in {}", out.display());
    ensure!(wide.is_empty(), "wider than the window:\n{}", wide.join("\n"));
    Ok(())
}

fn browser(options: &Options) -> Result<OsString> {
    if let Some(browser) = &options.browser {
        return Ok(browser.clone());
    }
    let runs = |name: &&str| Command::new(*name).arg("--version").output().is_ok();
    match BROWSERS.into_iter().find(runs) {
        Some(name) => Ok(name.into()),
        None => bail!(
            "none of {} is on the path; install one (Debian: apt-get install chromium) or give --browser",
            BROWSERS.join(", ")
        ),
    }
}

/// The page of one recorded run of a program.
fn page(name: &str, out: &Path) -> Result<PathBuf> {
    let program = Program::load(name)?;
    let profile = out.join(format!("{name}.profile"));
    let page = out.join(format!("{name}.html"));
    let layoutc = Layoutc::built()?;
    let run = |command: &str, rest: &[&str]| -> Result<()> {
        let files = program.files.iter().map(|file| file.to_string_lossy().into_owned());
        let rest = rest.iter().map(|word| (*word).to_owned());
        let arguments: Vec<String> =
            [command.to_owned()].into_iter().chain(files).chain(rest).collect();
        let outcome = layoutc.run(&program.folder, VERIFY_LIMIT, &arguments)?;
        ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
        Ok(())
    };
    run("profile", &["-o", &profile.to_string_lossy()])?;
    run("analyze", &["--profile", &profile.to_string_lossy(), "--html", &page.to_string_lossy()])?;
    Ok(page)
}

/// Looks at a page in a window of this width: `fits`, or what does not.
fn look(browser: &OsString, page: &Path, out: &Path, width: u32, scheme: &str) -> Result<String> {
    let name = page.file_stem().context("a page has no name")?.to_string_lossy();
    let frame = out.join(format!("{name}-{width}-{scheme}.frame.html"));
    fs::write(
        &frame,
        FRAME.replace("PAGE", &format!("{name}.html")).replace("WIDTH", &width.to_string()),
    )?;
    let picture = out.join(format!("{name}-{width}-{scheme}.png"));
    let user = tempfile::tempdir()?;
    let run = |what: String| -> Result<Outcome> {
        let mut command = Command::new(browser);
        command
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
            .args(["--allow-file-access-from-files", "--virtual-time-budget=3000"])
            .arg(format!("--user-data-dir={}", user.path().display()))
            // 0 is dark.
            .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(scheme == "light")))
            .arg(format!("--window-size={},{HEIGHT}", width.max(500)))
            .arg(what)
            .arg(format!("file://{}", frame.display()));
        let outcome = run_limited(&mut command, LIMIT)?;
        ensure!(outcome.succeeded(), "the browser: {}\n{}", outcome.ending(), outcome.stderr);
        Ok(outcome)
    };
    let dom = run("--dump-dom".to_owned())?.stdout;
    run(format!("--screenshot={}", picture.display()))?;
    fs::remove_file(&frame)?;
    let found = dom.split("<output>").nth(1).and_then(|rest| rest.split("</output>").next());
    Ok(found.context("the browser did not measure the page")?.to_owned())
}

/// A page in a frame, and what measures it. Parts that scroll by themselves fit; they are named.
const FRAME: &str = r#"<!DOCTYPE html>
<meta charset="utf-8">
<style>body { margin: 0 } iframe { border: 0; display: block; width: WIDTHpx; height: 2400px } output { display: none }</style>
<iframe src="PAGE"></iframe><output></output>
<script>
addEventListener("load", () => {
  const page = document.querySelector("iframe").contentDocument;
  const root = page.documentElement;
  const over = root.scrollWidth - root.clientWidth;
  const inner = [...page.querySelectorAll(".wide")].filter(own => own.scrollWidth > own.clientWidth);
  const names = inner.map(own => own.firstElementChild.localName + (own.firstElementChild.className.baseVal ?? "." + own.firstElementChild.className));
  document.querySelector("output").textContent =
    (over > 0 ? over + " pixels too wide" : "fits") + (names.length ? "; scroll by themselves: " + names.join(" ") : "");
});
</script>
"#;
