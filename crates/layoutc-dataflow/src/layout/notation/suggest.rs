//! Did-you-mean by edit distance.

/// The candidate nearest to `word`, if it is near enough to be what was meant: at most a third of
/// the letters (and at least one) inserted, deleted, replaced or swapped with their neighbour.
/// Among equally near candidates, the first.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().collect();
    let limit = (letters.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(&letters, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= limit && *distance < letters.len().max(candidate.chars().count())
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance, without regard to case.
fn edit_distance(from: &[char], to: &str) -> usize {
    let from: Vec<char> = from.iter().flat_map(|letter| letter.to_lowercase()).collect();
    let to: Vec<char> = to.chars().flat_map(char::to_lowercase).collect();
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, letter) in from.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in to.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != other);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && *letter == to[column - 1] && from[row - 1] == *other {
                let swapped: &Vec<usize> = &before;
                least = least.min(swapped[column - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_and_far_ones_are_not() {
        assert_eq!(nearest("tield", ["aos", "tiled"]), Some("tiled"));
        assert_eq!(nearest("SOA", ["aos", "soa"]), Some("soa"));
        assert_eq!(nearest("pos.w", ["pos.x", "pos.y"]), Some("pos.x"));
        assert_eq!(nearest("velocity", ["x", "y"]), None);
        assert_eq!(nearest("q", ["x", "y"]), None);
        assert_eq!(nearest("", ["x"]), None);
    }
}
