//! The operands of instructions in the text of a module.

/// The `align` of a parameter or an argument.
pub(super) fn align_in(parameter: &str) -> Option<u64> {
    let mut words = parameter.split(' ').skip_while(|word| *word != "align");
    words.nth(1)?.parse().ok()
}

/// The type of a pointer and the pointer, without what is said of it.
pub(super) fn pointer_in(text: &str) -> Result<(&str, &str), String> {
    if !text.starts_with("ptr") {
        return Err("PoCL's LLVM has types of pointers, which is not supported".to_owned());
    }
    let end = match text["ptr".len()..].strip_prefix(" addrspace(") {
        Some(rest) => text.len() - rest.len() + rest.find(')').map_or(0, |at| at + 1),
        None => "ptr".len(),
    };
    let rest = text[end..].trim_start();
    // `ptr noundef align 4 %p`, `ptr %p seq_cst`; constants are written with parentheses.
    let operand = if rest.contains('(') && !rest.contains('%') {
        rest
    } else {
        rest.split(' ').find(|word| word.starts_with(['%', '@'])).unwrap_or("@")
    };
    Ok((&text[..end], operand))
}

/// The type in front of a value.
pub(super) fn type_in(value: &str) -> &str {
    let mut depth = 0;
    for (at, c) in value.char_indices() {
        match c {
            '<' | '{' | '[' | '(' => depth += 1,
            '>' | '}' | ']' | ')' => depth -= 1,
            ' ' if depth == 0 && !value[at..].starts_with(" addrspace") => return &value[..at],
            _ => {}
        }
    }
    value
}

/// What is between commas, none of which is in parentheses.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '<' | '{' | '[' | '(' => depth += 1,
            '>' | '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// What is in front of the parenthesis that closes.
pub(super) fn within(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return &text[..at],
            ')' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// What is behind those of the words that the text begins with.
pub(super) fn words_after<'t>(mut text: &'t str, words: &[&str]) -> &'t str {
    while let Some(rest) = words.iter().find_map(|word| text.strip_prefix(word)) {
        text = rest;
    }
    text
}

/// The line without its place in the source.
pub(super) fn without_debug(line: &str) -> String {
    let Some(at) = line.find("!dbg ") else { return line.to_owned() };
    let end = line[at + "!dbg !".len()..]
        .find(|c: char| !c.is_ascii_digit())
        .map_or(line.len(), |own| at + "!dbg !".len() + own);
    let before = line[..at].trim_end().trim_end_matches(',').trim_end();
    format!("{before}{}", &line[end..])
}

#[cfg(test)]
mod tests {
    use super::{pointer_in, split, type_in, without_debug};

    #[test]
    fn operands_are_told_apart() {
        let store = "<2 x i32> <i32 1, i32 2>, ptr addrspace(1) %p, align 8";
        let parts = split(store);
        assert_eq!(type_in(parts[0]), "<2 x i32>");
        assert_eq!(pointer_in(parts[1]), Ok(("ptr addrspace(1)", "%p")));
        assert_eq!(pointer_in("ptr nocapture noundef align 16 %from"), Ok(("ptr", "%from")));
        let constant = "ptr getelementptr inbounds ([4 x i32], ptr @own, i64 0, i64 1)";
        assert!(pointer_in(constant).is_ok_and(|(_, operand)| operand.contains(" @own")));
        assert!(pointer_in("float* %p").is_err());
    }

    #[test]
    fn lines_lose_their_places() {
        let line = "  %0 = load float, ptr %p, align 4, !dbg !17, !tbaa !3";
        assert_eq!(without_debug(line), "  %0 = load float, ptr %p, align 4, !tbaa !3");
        assert_eq!(without_debug("define void @f() #0 !dbg !4 {"), "define void @f() #0 {");
        assert_eq!(without_debug("  br label %3, !dbg !9"), "  br label %3");
    }
}
