//! Names of slots and classes, as requests and reports have them.

use super::{ClassId, Classes, Slot};
use layoutc_syntax::Program;

/// Names under which a request can mean a class.
#[must_use]
pub fn slot_names(program: &Program, slot: Slot) -> Vec<String> {
    match slot {
        Slot::Variable(id) => {
            let variable = program.variable(id);
            let function =
                variable.function.map(|function| program.function(function).name.as_str());
            let mut names = vec![variable.name.clone()];
            names.extend(function.map(|function| format!("{function}::{}", variable.name)));
            names
        }
        Slot::Field(id) => {
            let field = program.field(id);
            vec![
                format!("{}::{}", program.record(field.record).name, field.name),
                field.name.clone(),
            ]
        }
        Slot::Result(id) => vec![format!("{}()", program.function(id).name)],
    }
}

/// The names of a class's arrays, in source order.
#[must_use]
pub fn array_names(program: &Program, classes: &Classes, id: ClassId) -> Vec<String> {
    let class = classes.class(id);
    let mut names = Vec::new();
    // What owners of the standard library call their members is nothing that the program says.
    let is_of_library = |slot: &&Slot| {
        let place = match slot {
            Slot::Variable(id) => Some(program.variable(*id).site.name.file),
            Slot::Field(id) => Some(program.field(*id).site.name.file),
            Slot::Result(id) => program.function(*id).sites.first().map(|site| site.name.file),
        };
        place.is_some_and(|file| program.is_model_text(file))
    };
    let has_own = !class.slots.iter().all(|slot| is_of_library(&slot));
    for slot in class.slots.iter().filter(|slot| !has_own || !is_of_library(slot)) {
        let name = match slot {
            Slot::Variable(variable) => match program.variable(*variable).name.as_str() {
                // The object of a version has no name in the source.
                "this" => continue,
                name => name.to_owned(),
            },
            Slot::Field(field) => {
                let field = program.field(*field);
                format!("{}::{}", program.record(field.record).name, field.name)
            }
            Slot::Result(function) => format!("{}()", program.function(*function).name),
        };
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether two texts name the same instance of a class template, blanks and namespaces aside.
#[must_use]
pub fn is_same_instance(spelled: &str, target: &str) -> bool {
    let words = |text: &str| {
        let mut words: Vec<String> = Vec::new();
        for c in text.chars() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            match words.last_mut() {
                _ if c.is_whitespace() => words.push(String::new()),
                Some(last) if last.chars().all(is_word) && is_word(c) => last.push(c),
                Some(last) if last == ":" && c == ':' => {
                    // A namespace in front.
                    words.pop();
                    words.pop();
                }
                _ => words.push(c.to_string()),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    };
    words(spelled) == words(target)
}
