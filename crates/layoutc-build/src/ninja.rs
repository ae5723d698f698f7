//! Ninja's manifest (`build.ninja`), as far as commands and their files go.
//!
//! Source: the Ninja manual, "Ninja file reference". Dyndep files and pools say nothing that matters here.

use crate::description::{Description, Link, Unit, commands_of, is_linkable, read};
use crate::paths::absolute_in;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How deep manifests may include each other.
const DEPTH: usize = 16;

/// The manifests in a folder as one description; none if there is none. CMake's multi-config generator writes one
/// for each configuration, `build-Release.ninja`.
///
/// # Errors
/// A manifest that cannot be read, with file and line.
pub fn in_folder(folder: &Path) -> Result<Option<Description>, String> {
    let mut names: Vec<PathBuf> = Vec::new();
    if let Ok(entries) = fs::read_dir(folder) {
        let paths = entries.flatten().map(|entry| entry.path());
        names.extend(paths.filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            name.starts_with("build-") && name.ends_with(".ninja")
        }));
    }
    names.sort();
    let main = folder.join("build.ninja");
    if main.is_file() {
        // The default configuration, if there are several: each object is taken once.
        names.push(main);
    }
    let mut description = Description::default();
    for name in &names {
        let mut manifest = Manifest { folder: folder.to_path_buf(), ..Manifest::default() };
        manifest.read(name, &Rc::new(Scope::default()), 0)?;
        manifest.describe(&mut description)?;
    }
    Ok((!names.is_empty()).then_some(description))
}

/// Variables of a file, and those of the file that names it with `subninja`.
#[derive(Debug, Default)]
struct Scope {
    own: BTreeMap<String, String>,
    above: Option<Rc<Scope>>,
}

impl Scope {
    fn value(&self, name: &str) -> String {
        match self.own.get(name) {
            Some(value) => value.clone(),
            None => self.above.as_ref().map_or_else(String::new, |above| above.value(name)),
        }
    }
}

/// A text with variables, not yet replaced.
type Raw = String;

/// Paths by the mark in front of them.
type Groups = Vec<(String, Vec<Raw>)>;

/// One `build` statement.
#[derive(Debug)]
struct Edge {
    rule: String,
    outputs: Vec<String>,
    explicit: Vec<String>,
    implicit: Vec<String>,
    bindings: BTreeMap<String, Raw>,
    scope: Rc<Scope>,
}

#[derive(Debug, Default)]
struct Manifest {
    folder: PathBuf,
    files: Vec<PathBuf>,
    rules: BTreeMap<String, BTreeMap<String, Raw>>,
    edges: Vec<Edge>,
}

impl Manifest {
    /// Reads a file; gives its variables, which those of an `include` are, too.
    fn read(&mut self, path: &Path, above: &Rc<Scope>, depth: usize) -> Result<Rc<Scope>, String> {
        if depth > DEPTH {
            return Err(format!("{}: manifests include each other without end", path.display()));
        }
        let text = read(path)?;
        self.files.push(path.to_path_buf());
        // Variables of a file are seen from its statements on; each change makes another scope.
        let mut scope = Rc::new(Scope { own: BTreeMap::new(), above: Some(Rc::clone(above)) });
        let lines = logical_lines(&text);
        let mut at = 0;
        while let Some((number, line)) = lines.get(at) {
            at += 1;
            let wrong = |cause: &str| format!("{}:{number}: {cause}", path.display());
            let first = line.split_whitespace().next().unwrap_or("");
            let rest = line.trim_start().strip_prefix(first).unwrap_or("").trim_start();
            let mut bindings = BTreeMap::new();
            if matches!(first, "rule" | "build" | "pool") {
                while let Some((_, inner)) =
                    lines.get(at).filter(|(_, next)| next.starts_with([' ', '\t']))
                {
                    if let Some((name, value)) = inner.split_once('=') {
                        bindings.insert(name.trim().to_owned(), value.trim_start().to_owned());
                    }
                    at += 1;
                }
            }
            match first {
                "rule" => drop(self.rules.insert(rest.to_owned(), bindings)),
                "build" => {
                    let edge = edge(rest, bindings, &scope)
                        .ok_or_else(|| wrong("it is no `build` statement"))?;
                    self.edges.push(edge);
                }
                "include" | "subninja" => {
                    let name = expand(rest, &|name| scope.value(name));
                    let inner =
                        self.read(&absolute_in(&self.folder, Path::new(&name)), &scope, depth + 1)?;
                    if first == "include" {
                        scope = inner;
                    }
                }
                "pool" | "default" => {}
                _ => {
                    let (name, value) =
                        line.split_once('=').ok_or_else(|| wrong("it is no statement"))?;
                    let value = expand(value.trim_start(), &|name| scope.value(name));
                    let own = BTreeMap::from([(name.trim().to_owned(), value)]);
                    scope = Rc::new(Scope { own, above: Some(scope) });
                }
            }
        }
        Ok(scope)
    }

    /// The units and links of its edges.
    fn describe(self, description: &mut Description) -> Result<(), String> {
        for edge in &self.edges {
            if edge.rule == "phony" || !self.rules.contains_key(&edge.rule) {
                continue;
            }
            let path = |name: &String| absolute_in(&self.folder, Path::new(name));
            let first = edge.outputs.first().map(path).unwrap_or_default();
            let known = |unit: &Unit| unit.object == first;
            let line = self.value(edge, "command", 0);
            let mut units = Vec::new();
            for (folder, words) in commands_of(&line, &self.folder) {
                // What cannot be read as a command of a compiler is none.
                units.extend(Unit::all_of(&words, &folder).unwrap_or_default());
            }
            let is_own =
                |unit: &Unit| edge.outputs.iter().any(|output| path(output) == unit.object);
            let of_edge: Vec<Unit> = units.into_iter().filter(is_own).collect();
            if !of_edge.is_empty() {
                if !description.units.iter().any(known) {
                    description.units.extend(of_edge);
                }
                continue;
            }
            let takes_objects = edge.explicit.iter().map(path).any(|input| is_linkable(&input));
            if takes_objects && !description.links.iter().any(|link| link.output == first) {
                let inputs = edge.explicit.iter().chain(&edge.implicit).map(path);
                let inputs: Vec<PathBuf> = inputs.filter(|input| is_linkable(input)).collect();
                let outputs = edge.outputs.iter().map(path);
                // A shared library has names with and without its version.
                description
                    .links
                    .extend(outputs.map(|output| Link { output, inputs: inputs.clone() }));
            }
        }
        description.files.extend(self.files);
        Ok(())
    }

    /// A variable of an edge: its own, that of its rule, or that of its file.
    fn value(&self, edge: &Edge, name: &str, depth: usize) -> String {
        match name {
            "in" => edge.explicit.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(" "),
            "out" => edge.outputs.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(" "),
            _ if depth > DEPTH => String::new(),
            _ => {
                if let Some(own) = edge.bindings.get(name) {
                    return expand(own, &|name| edge.scope.value(name));
                }
                match self.rules.get(&edge.rule).and_then(|rule| rule.get(name)) {
                    Some(rule) => expand(rule, &|name| self.value(edge, name, depth + 1)),
                    None => edge.scope.value(name),
                }
            }
        }
    }
}

fn quoted(name: &str) -> String {
    shlex::try_quote(name).map_or_else(|_| name.to_owned(), std::borrow::Cow::into_owned)
}

/// `OUTPUTS | MORE: RULE INPUTS | IMPLICIT || ORDER |@ VALIDATIONS`.
fn edge(text: &str, bindings: BTreeMap<String, Raw>, scope: &Rc<Scope>) -> Option<Edge> {
    let (outputs, rest) = paths(text, true)?;
    let rest = rest.trim_start();
    let rule = rest.split_whitespace().next()?.to_owned();
    let (inputs, _) = paths(rest.strip_prefix(&rule)?, false)?;
    let named = |part: Option<&Vec<Raw>>| -> Vec<String> {
        part.into_iter()
            .flatten()
            .map(|raw| {
                expand(raw, &|name| match bindings.get(name) {
                    Some(own) => expand(own, &|name| scope.value(name)),
                    None => scope.value(name),
                })
            })
            .collect()
    };
    let of = |groups: &[(String, Vec<Raw>)], mark: &str| {
        named(groups.iter().find(|(own, _)| own == mark).map(|(_, paths)| paths))
    };
    let mut all = of(&outputs, "");
    all.extend(of(&outputs, "|"));
    let (explicit, implicit) = (of(&inputs, ""), of(&inputs, "|"));
    Some(Edge { rule, outputs: all, explicit, implicit, scope: Rc::clone(scope), bindings })
}

/// Paths with the mark in front of each group (``, `|`, `||`, `|@`), up to a colon if one ends them.
fn paths(text: &str, ends_with_colon: bool) -> Option<(Groups, &str)> {
    let mut groups: Groups = vec![(String::new(), Vec::new())];
    let mut path = String::new();
    let mut letters = text.char_indices().peekable();
    let flush = |path: &mut String, groups: &mut Groups| {
        if !path.is_empty()
            && let Some((_, paths)) = groups.last_mut()
        {
            paths.push(std::mem::take(path));
        }
    };
    while let Some((at, letter)) = letters.next() {
        match letter {
            '$' => {
                path.push('$');
                path.extend(letters.next().map(|(_, letter)| letter));
            }
            ' ' | '\t' => flush(&mut path, &mut groups),
            '|' => {
                flush(&mut path, &mut groups);
                let mut mark = "|".to_owned();
                mark.extend(
                    letters.next_if(|(_, next)| matches!(next, '|' | '@')).map(|(_, next)| next),
                );
                groups.push((mark, Vec::new()));
            }
            ':' if ends_with_colon => {
                flush(&mut path, &mut groups);
                return Some((groups, &text[at + 1..]));
            }
            letter => path.push(letter),
        }
    }
    flush(&mut path, &mut groups);
    (!ends_with_colon).then_some((groups, ""))
}

/// A text with its variables replaced: `$name`, `${name}`, and `$` in front of a space, a colon or itself.
fn expand(text: &str, value: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        if let Some((name, after)) = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'))
        {
            out.push_str(&value(name));
            rest = after;
        } else if rest.starts_with(is_word) {
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            out.push_str(&value(&rest[..end]));
            rest = &rest[end..];
        } else {
            let mut letters = rest.chars();
            out.extend(letters.next());
            rest = letters.as_str();
        }
    }
    out.push_str(rest);
    out
}

/// The lines that say something, with those behind a `$` at their end, and their numbers.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let ends_open = line.len() - line.trim_end_matches('$').len();
        let continues = ends_open % 2 == 1;
        let body = if continues { &line[..line.len() - 1] } else { line };
        match lines.last_mut().filter(|_| is_open) {
            Some((_, open)) => open.push_str(body.trim_start()),
            None if body.trim().is_empty() || body.trim_start().starts_with('#') => {}
            None => lines.push((number, body.to_owned())),
        }
        is_open = continues;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(files: &[(&str, &str)]) -> Result<Option<Description>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("written");
        }
        in_folder(folder.path())
    }

    const RULES: &str = "rule cuda\n  command = ${LAUNCHER}nvcc $FLAGS -MF $DEP -c $in -o $out\n  depfile = $DEP\nrule link\n  command = : && c++ $in -o $out $LIBS && :\n";

    #[test]
    fn units_and_links() {
        let build = "include rules.ninja\nFLAGS = -DN=1\nbuild a$ b.o: cuda src/a$ b.cu || order\n  LAUNCHER = layoutc launch -- \n  FLAGS = $FLAGS -I$\n   inc\nbuild liba.a: link a$ b.o\nbuild sim: link main.o | liba.a || all\n  LIBS = liba.a\nbuild main.o: cuda main.cu\nbuild all: phony sim\n";
        let found = describe(&[("rules.ninja", RULES), ("build.ninja", build)])
            .expect("read")
            .expect("there");
        assert_eq!(found.files.len(), 2);
        let sources: Vec<_> =
            found.units.iter().map(|unit| unit.source.file_name().expect("a name")).collect();
        assert_eq!(sources, ["a b.cu", "main.cu"]);
        assert_eq!(found.units[0].words[1..4], ["-DN=1", "-Iinc", "-MF"]);
        assert!(found.units[0].is_launched && !found.units[1].is_launched);
        let programs = found.programs(found.units[0].folder.as_path());
        assert_eq!(programs.len(), 1);
        assert_eq!((&*programs[0].name, programs[0].units.len()), ("sim", 2));
    }

    #[test]
    fn one_manifest_a_configuration() {
        let build = |name: &str| {
            format!("{RULES}build {name}/a.o: cuda a.cu\nbuild {name}/sim: link {name}/a.o\n")
        };
        let (debug, release) = (build("Debug"), build("Release"));
        let found = describe(&[
            ("build-Debug.ninja", &debug),
            ("build-Release.ninja", &release),
            ("build.ninja", &release),
        ]);
        let found = found.expect("read").expect("there");
        assert_eq!((found.units.len(), found.links.len()), (2, 2));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert_eq!(describe(&[]), Ok(None));
        let error = describe(&[("build.ninja", "x = 1\nnonsense\n")]).expect_err("no statement");
        assert!(error.ends_with("build.ninja:2: it is no statement"), "{error}");
        let error = describe(&[("build.ninja", "include build.ninja\n")]).expect_err("no end");
        assert!(error.contains("without end"), "{error}");
        let error = describe(&[("build.ninja", "build a b c\n")]).expect_err("no colon");
        assert!(error.contains(":1:"), "{error}");
    }
}
