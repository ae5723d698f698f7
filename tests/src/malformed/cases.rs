//! From a seed and a number to an input.

use fastrand::Rng;

use super::mutate::mutate;
use super::programs::{Input, Shipped};
use super::requests;

/// The input of a case.
///
/// # Panics
/// If there are no shipped programs.
#[must_use]
pub fn case(shipped: &Shipped, seed: u64, number: u64) -> Input {
    // Neighbouring seeds must not give shifted series of one generator.
    let mut mixed = Rng::with_seed(seed);
    let mut rng = Rng::with_seed(mixed.u64(..) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    // A whole program takes ten times as long as a fixture, and after one change a fixture that
    // was rewritten asks more of the compiler than one that never was.
    let from = match rng.u32(..100) {
        0..4 => &shipped.programs,
        4..34 => &shipped.refusals,
        _ => &shipped.rewrites,
    };
    let mut input = rng.choice(from).expect("there are shipped programs").clone();
    requests::draw(&mut input, &mut rng);
    let others: Vec<&[u8]> = (0..2)
        .filter_map(|_| rng.choice(&shipped.rewrites))
        .flat_map(|other| other.files.iter().map(|file| file.bytes.as_slice()))
        .collect();
    // Usually one file is hit, and which one is up to chance.
    let hit = rng.usize(..input.files.len());
    for (at, file) in input.files.iter_mut().enumerate() {
        if at == hit || rng.u32(..6) == 0 {
            file.bytes = mutate(&file.bytes, &others, &mut rng);
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_can_be_made_again_and_differ() -> anyhow::Result<()> {
        let shipped = Shipped::read()?;
        let again = Shipped::read()?;
        let mut same = 0;
        for number in 0..300 {
            let input = case(&shipped, 1, number);
            assert_eq!(input, case(&again, 1, number));
            same += usize::from(input == case(&shipped, 2, number));
        }
        assert_eq!(same, 0);
        Ok(())
    }
}
