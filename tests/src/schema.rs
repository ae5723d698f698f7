//! Schemas of JSON, as far as that of SARIF goes.
//!
//! A keyword that is not known here is an error, so that nothing of a schema is left out in silence. The packages that
//! read all of JSON Schema ask for other features of packages that layoutc has, too, which would build layoutc twice.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::repository_root;

/// Keywords that say nothing about values.
const WORDS: [&str; 7] =
    ["$schema", "$id", "title", "description", "default", "definitions", "additionalProperties"];

/// The schema of SARIF 2.1.0 of the OASIS, which the package `serde-sarif` ships.
///
/// # Errors
/// When cargo does not know where the package is.
pub fn sarif() -> Result<Schema> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Packages of other platforms may not have been downloaded.
    let version =
        Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV").output()?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc names no host")?;
    let output = Command::new(cargo)
        .current_dir(repository_root())
        .args([
            "metadata",
            "--format-version",
            "1",
            "--offline",
            "--locked",
            "--filter-platform",
            host,
        ])
        .output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let package = packages.iter().find(|own| own["name"] == "serde-sarif").context("no package")?;
    let manifest = package["manifest_path"].as_str().context("no path")?;
    let root =
        serde_json::from_slice(&fs::read(Path::new(manifest).with_file_name("src/schema.json"))?)?;
    let schema = Schema { root };
    let id = schema.root["$id"].as_str().unwrap_or_default();
    ensure!(id.ends_with("sarif-schema-2.1.0.json"), "{id}");
    Ok(schema)
}

/// A schema.
#[derive(Debug)]
pub struct Schema {
    root: Value,
}

impl Schema {
    /// What is wrong with a value, each with its place.
    #[must_use]
    pub fn errors(&self, value: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        self.check(&self.root, value, "", &mut errors);
        errors
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
        let Some(keywords) = schema.as_object() else {
            errors.push(format!("{at}: the schema is no object"));
            return;
        };
        for (keyword, wanted) in keywords {
            let found = match keyword.as_str() {
                "$ref" => {
                    let name = wanted.as_str().and_then(|path| path.strip_prefix("#/definitions/"));
                    match name.and_then(|name| self.root["definitions"].get(name)) {
                        Some(definition) => self.check(definition, value, at, errors),
                        None => errors.push(format!("{at}: there is no {wanted}")),
                    }
                    Ok(())
                }
                "properties" => {
                    self.properties(schema, value, at, errors);
                    Ok(())
                }
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{at}/{number}"), errors);
                    }
                    Ok(())
                }
                "anyOf" | "oneOf" => {
                    let fits = |own: &&Value| {
                        let mut errors = Vec::new();
                        self.check(own, value, at, &mut errors);
                        errors.is_empty()
                    };
                    let count = wanted.as_array().into_iter().flatten().filter(fits).count();
                    let is_one = keyword == "anyOf" || count == 1;
                    if count > 0 && is_one {
                        Ok(())
                    } else {
                        Err(format!("{count} of {keyword} fit"))
                    }
                }
                word if WORDS.contains(&word) => Ok(()),
                keyword => judge(keyword, wanted, value),
            };
            if let Err(cause) = found {
                errors.push(format!("{at}: {cause}"));
            }
        }
        // Without properties of its own, an object's are all additional ones.
        if !keywords.contains_key("properties") && keywords.contains_key("additionalProperties") {
            self.properties(schema, value, at, errors);
        }
    }

    fn properties(&self, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
        for (name, own) in value.as_object().into_iter().flatten() {
            let place = format!("{at}/{name}");
            match (schema["properties"].get(name), schema.get("additionalProperties")) {
                (Some(known), _) => self.check(known, own, &place, errors),
                (None, Some(Value::Bool(false))) => errors.push(format!("{place}: not known")),
                (None, Some(other)) if other.is_object() => self.check(other, own, &place, errors),
                (None, _) => {}
            }
        }
    }
}

/// A keyword that looks at one value alone.
fn judge(keyword: &str, wanted: &Value, value: &Value) -> Result<(), String> {
    let list = value.as_array();
    let fits = match keyword {
        "type" => match wanted.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            _ => return Err(format!("no type is called {wanted}")),
        },
        "required" => {
            let has = |name: &Value| name.as_str().is_some_and(|name| value.get(name).is_some());
            !value.is_object() || wanted.as_array().is_some_and(|names| names.iter().all(has))
        }
        "enum" => wanted.as_array().is_some_and(|all| all.contains(value)),
        "minItems" => list.is_none_or(|list| Some(list.len() as u64) >= wanted.as_u64()),
        "uniqueItems" => list.is_none_or(|list| {
            !wanted.as_bool().unwrap_or(false)
                || (1..list.len()).all(|at| !list[..at].contains(&list[at]))
        }),
        "minimum" => value.as_f64().is_none_or(|number| Some(number) >= wanted.as_f64()),
        "maximum" => value.as_f64().is_none_or(|number| Some(number) <= wanted.as_f64()),
        "format" => value.as_str().is_none_or(|text| match wanted.as_str() {
            Some("uri") => {
                is_reference(text) && text.split_once(':').is_some_and(|(name, _)| is_scheme(name))
            }
            Some("uri-reference") => is_reference(text),
            _ => false,
        }),
        // What layoutc writes has no value with one.
        "pattern" if value.is_string() => false,
        "pattern" => true,
        other => return Err(format!("the keyword {other} is not known")),
    };
    if fits { Ok(()) } else { Err(format!("{value} does not have the {keyword} {wanted}")) }
}

/// Whether only letters stand there that a URI may have (RFC 3986), and a `%` only in front of two digits.
fn is_reference(text: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    let has_digits = |rest: &str| {
        rest.as_bytes().get(..2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
    };
    text.bytes().all(is_letter) && text.split('%').skip(1).all(has_digits)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}
