//! Random numbers that are the same on every machine and in every version.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

/// A stream of random decisions.
#[derive(Clone, Debug)]
pub struct Random {
    source: ChaCha8Rng,
}

impl Random {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Random { source: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// A number below `limit`, which is not 0. The bias of the remainder is of no matter here.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.source.next_u64() >> 16) as usize % limit.max(1)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high + 1 - low)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of some values.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }

    /// Puts values into a random order.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for at in (1..values.len()).rev() {
            values.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut random = Random::new(7);
        let numbers: Vec<usize> = (0..6).map(|_| random.below(1000)).collect();
        assert_eq!(numbers, [911, 915, 932, 38, 215, 241]);
    }
}
