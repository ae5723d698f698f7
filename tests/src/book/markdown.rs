//! Links and headings of a page in Markdown.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A link or a picture.
#[derive(Clone, Debug)]
pub struct Link {
    /// Where it leads.
    pub target: String,
    /// The bytes of its text and target in the page.
    pub range: Range<usize>,
}

fn events(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter()
}

/// The links and pictures of a page, in order.
#[must_use]
pub fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    for (event, range) in events(text) {
        if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event {
            found.push(Link { target: dest_url.into_string(), range });
        }
    }
    found
}

/// The names by which the headings of a page are reached, as mdBook and GitHub make them.
#[must_use]
pub fn anchors(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut heading: Option<String> = None;
    for (event, _) in events(text) {
        match (&event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(part) | Event::Code(part), Some(heading)) => heading.push_str(part),
            (Event::End(TagEnd::Heading(_)), Some(title)) => {
                let name = anchor(title);
                let before = times.entry(name.clone()).or_default();
                found.push(if *before == 0 { name } else { format!("{name}-{before}") });
                *before += 1;
                heading = None;
            }
            (_, _) => continue,
        }
    }
    found
}

/// Text in which `Vec3<float>` is what it says, and no tag of HTML.
#[must_use]
pub fn without_tags(text: &str) -> String {
    text.replace('<', "\\<")
}

/// The tags of HTML in a page, without comments. What is meant as text is lost there.
#[must_use]
pub fn tags(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (event, _) in events(text) {
        if let Event::Html(tag) | Event::InlineHtml(tag) = event
            && !tag.trim_start().starts_with("<!--")
        {
            found.push(tag.into_string());
        }
    }
    found
}

fn anchor(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The page with its links led elsewhere: `new_target` gives the new target of those that change.
#[must_use]
pub fn with_links(text: &str, mut new_target: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut done = 0;
    for link in links(text) {
        let Some(target) = new_target(&link.target) else { continue };
        // The target is the last thing in a link, behind a text that may name it as well.
        let Some(place) = text[link.range.clone()].rfind(&link.target) else { continue };
        let begin = link.range.start + place;
        if begin < done {
            continue;
        }
        out.push_str(&text[done..begin]);
        out.push_str(&target);
        done = begin + link.target.len();
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::{anchors, links, tags, with_links, without_tags};

    #[test]
    fn code_has_no_links() {
        let text = "`[](int i)` and [a](a.md), [`b`](b.md#c)\n\n```\n[c](c.md)\n```\n\n| [d](d.md) |\n|---|\n";
        let targets: Vec<String> = links(text).into_iter().map(|link| link.target).collect();
        assert_eq!(targets, ["a.md", "b.md#c", "d.md"]);
    }

    #[test]
    fn headings_of_one_name_have_numbers() {
        let text = "# A `b`, c\n\n## x\n\n```\n# no\n```\n\n## x\n";
        assert_eq!(anchors(text), ["a-b-c", "x", "x-1"]);
    }

    #[test]
    fn names_of_types_are_no_tags() {
        assert_eq!(tags("<!-- a -->\n\nVec3<float> and `A<int>`\n"), ["<float>"]);
        assert_eq!(tags(&without_tags("Vec3<float>")), [""; 0]);
    }

    #[test]
    fn links_are_led_elsewhere() {
        let moved = with_links("[../a](../a) [b](b)", |target| {
            target.strip_prefix("../").map(|file| format!("files/{file}"))
        });
        assert_eq!(moved, "[../a](files/a) [b](b)");
    }
}
