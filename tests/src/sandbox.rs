//! A temporary folder in which a test runs `layoutc`, and what it left there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::layoutc::{Layoutc, TRANSFORM_LIMIT};
use crate::process::Outcome;

/// A small program with one array of structs, which every layout can change.
pub const PARTICLES: &str = r#"// Particles drift; the host prints a sum.
#include <cstdio>
#include <cstdlib>

struct Particle {
  float x, y, z;
  float vx, vy, vz;
};

__global__ void drift(Particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
  }
}

int main() {
  int n = 100;
  Particle *h = (Particle *)malloc(n * sizeof(Particle));
  for (int i = 0; i < n; ++i) {
    h[i].x = h[i].y = h[i].z = 0.5f * i;
    h[i].vx = h[i].vy = h[i].vz = 1.0f;
  }
  Particle *d;
  cudaMalloc((void **)&d, n * sizeof(Particle));
  cudaMemcpy(d, h, n * sizeof(Particle), cudaMemcpyHostToDevice);
  drift<<<(n + 63) / 64, 64>>>(d, n, 0.5f);
  cudaMemcpy(h, d, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += h[i].x + h[i].y + h[i].z;
  printf("%.3f\n", sum);
  cudaFree(d);
  free(h);
  return 0;
}
"#;

/// [`PARTICLES`] with so many launches that its copies pay in the layout of least cost.
#[must_use]
pub fn many_launches() -> String {
    let launch = "  drift<<<";
    assert!(PARTICLES.contains(launch));
    PARTICLES.replace(launch, &format!("  for (int step = 0; step < 20000; ++step){launch}"))
}

/// A program without anything to change: its kernel works on a plain array.
pub const PLAIN: &str = "#include <cstdio>\n\n__global__ void twice(float *v, int n) {\n  \
    int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) v[i] *= 2.0f;\n}\n\nint main() {\n  \
    float *d;\n  cudaMalloc(&d, 64 * sizeof(float));\n  twice<<<1, 64>>>(d, 64);\n  cudaFree(d);\n  return 0;\n}\n";

/// A program whose array of structs stays: a kernel clears its elements as numbers.
#[must_use]
pub fn refused() -> String {
    let clear = "__global__ void clear(float *v, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  \
                 if (i < n) v[i] = 0.0f;\n}\n\nint main() {";
    PARTICLES
        .replace("int main() {", clear)
        .replace("  float sum", "  clear<<<10, 64>>>((float *)d, n * 6);\n  float sum")
}

/// Every file below a folder with its bytes, by relative path; folders have none.
pub type Contents = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Copies a folder and all below it.
///
/// # Errors
/// When something cannot be read or written.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let path = entry?.path();
        let place = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_folder(&path, &place)?;
        } else {
            fs::copy(&path, place)?;
        }
    }
    Ok(())
}

/// A temporary folder with the files of one test.
#[derive(Debug)]
pub struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// An empty folder.
    ///
    /// # Errors
    /// When none can be made.
    pub fn new() -> Result<Sandbox> {
        Ok(Sandbox { folder: tempfile::tempdir()? })
    }

    /// A folder with these files.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn with<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Result<Sandbox> {
        let sandbox = Sandbox::new()?;
        for (name, text) in files {
            sandbox.write(name, text)?;
        }
        Ok(sandbox)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file and the folders above it.
    ///
    /// # Errors
    /// When that fails.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Result<()> {
        let file = self.path().join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&file, text).with_context(|| format!("cannot write {name}"))
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self, name: &str) -> Result<Vec<u8>> {
        fs::read(self.path().join(name)).with_context(|| format!("cannot read {name}"))
    }

    /// The text of a file.
    ///
    /// # Errors
    /// When it cannot be read or is not UTF-8.
    pub fn text(&self, name: &str) -> Result<String> {
        Ok(String::from_utf8(self.read(name)?)?)
    }

    /// All there is.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn contents(&self) -> Result<Contents> {
        contents(self.path())
    }

    /// Runs `layoutc` in the folder and fails on a panic or a hang, whatever the exit code.
    ///
    /// # Errors
    /// On a panic, a hang, or when the binary does not build.
    pub fn layoutc(&self, arguments: &[&str]) -> Result<Outcome> {
        let outcome = Layoutc::built()?.run(self.path(), TRANSFORM_LIMIT, arguments)?;
        let shown = || {
            let shown = arguments.join(" ");
            format!("layoutc {shown}: {}\n{}", outcome.ending(), outcome.stderr)
        };
        anyhow::ensure!(outcome.code().is_some(), "{}", shown());
        anyhow::ensure!(!outcome.stderr.contains("panicked"), "{}", shown());
        Ok(outcome)
    }

    /// Runs `layoutc` and fails unless it ends with exit code 0.
    ///
    /// # Errors
    /// Like [`Sandbox::layoutc`], and on another exit code.
    pub fn accepted(&self, arguments: &[&str]) -> Result<Outcome> {
        let outcome = self.layoutc(arguments)?;
        let shown = arguments.join(" ");
        anyhow::ensure!(
            outcome.succeeded(),
            "layoutc {shown}: {}\n{}",
            outcome.ending(),
            outcome.stderr
        );
        Ok(outcome)
    }

    /// Runs `layoutc` and fails unless it ends with exit code 1, 2 or 3, writes nothing anywhere in
    /// the folder, and says each of `said` on standard error.
    ///
    /// # Errors
    /// Like [`Sandbox::layoutc`], and when one of these does not hold.
    pub fn rejected(&self, arguments: &[&str], said: &[&str]) -> Result<Outcome> {
        let before = self.contents()?;
        let outcome = self.layoutc(arguments)?;
        let shown = format!(
            "layoutc {}: {}\nstdout: {}\nstderr: {}",
            arguments.join(" "),
            outcome.ending(),
            outcome.stdout,
            outcome.stderr
        );
        anyhow::ensure!(matches!(outcome.code(), Some(1..=3)), "not refused\n{shown}");
        for part in said {
            anyhow::ensure!(outcome.stderr.contains(part), "does not say `{part}`\n{shown}");
        }
        anyhow::ensure!(self.contents()? == before, "something was written\n{shown}");
        Ok(outcome)
    }
}

/// All there is in a folder.
///
/// # Errors
/// When something cannot be read.
pub fn contents(folder: &Path) -> Result<Contents> {
    let mut contents = Contents::new();
    collect(folder, folder, &mut contents)?;
    Ok(contents)
}

fn collect(root: &Path, folder: &Path, contents: &mut Contents) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.strip_prefix(root)?.to_path_buf();
        if path.is_dir() {
            contents.insert(name, None);
            collect(root, &path, contents)?;
        } else {
            contents.insert(name, Some(fs::read(&path)?));
        }
    }
    Ok(())
}
