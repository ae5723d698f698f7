//! Several profiles of one program as one, and sums over runs.

use super::{Accessed, Counts, Kernel, Launched, Profile, ProfileError, Trips};
use std::collections::BTreeMap;

/// Runs, added up.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Totals {
    /// What each access did, by kernel, instruction and innermost loop.
    pub accesses: BTreeMap<(u32, u32, Option<u32>), Counts>,
    /// Entries and iterations, by kernel and loop.
    pub trips: BTreeMap<(u32, u32), (u64, u64)>,
    /// Launches, by kernel, grid and block.
    pub launches: BTreeMap<(u32, [u32; 3], [u32; 3]), u64>,
}

impl Totals {
    /// What an instruction did in all kernels and loops.
    #[must_use]
    pub fn of_instruction(&self, instruction: u32) -> Counts {
        let mut sum = Counts::default();
        let own = self.accesses.iter().filter(|((_, at, _), _)| *at == instruction);
        own.for_each(|(_, counts)| sum.add(counts));
        sum
    }
}

impl Profile {
    /// What some runs did together; positions that do not exist are left out.
    #[must_use]
    pub fn totals(&self, runs: impl IntoIterator<Item = usize>) -> Totals {
        let mut totals = Totals::default();
        for run in runs.into_iter().filter_map(|at| self.runs.get(at)) {
            for Accessed { kernel, instruction, scope, counts } in &run.accesses {
                totals.accesses.entry((*kernel, *instruction, *scope)).or_default().add(counts);
            }
            for Trips { kernel, of, entries, iterations } in &run.trips {
                let sum = totals.trips.entry((*kernel, *of)).or_default();
                *sum = (sum.0.saturating_add(*entries), sum.1.saturating_add(*iterations));
            }
            for Launched { kernel, grid, block, launches } in &run.launches {
                let sum = totals.launches.entry((*kernel, *grid, *block)).or_default();
                *sum = sum.saturating_add(*launches);
            }
        }
        totals
    }

    /// What all runs did together.
    #[must_use]
    pub fn all_runs(&self) -> Totals {
        self.totals(0..self.runs.len())
    }

    /// Several profiles of one program as one with all of their runs. Kernels that ran in some of them only
    /// are put together in the order of the text.
    ///
    /// # Errors
    /// [`ProfileError::Different`] if their sources, arrays, loops or instructions are not the same, and
    /// [`ProfileError::Missing`] for no profile at all.
    pub fn merge(profiles: Vec<Profile>) -> Result<Profile, ProfileError> {
        let mut all = profiles.into_iter();
        let mut merged = all.next().ok_or(ProfileError::Missing)?;
        for (other, at) in all.zip(1..) {
            let differs = |what| Err(ProfileError::Different { what, at });
            if other.version != merged.version {
                return Err(ProfileError::Version { found: u64::from(other.version) });
            } else if other.sources != merged.sources {
                return differs("texts");
            } else if other.arrays != merged.arrays {
                return differs("arrays");
            } else if other.loops != merged.loops {
                return differs("loops");
            } else if other.instructions != merged.instructions {
                return differs("accesses");
            }
            merged.take_runs(other);
        }
        Ok(merged)
    }

    /// Adds the runs of another profile of the same text.
    fn take_runs(&mut self, other: Profile) {
        let key = |kernel: &Kernel| (kernel.place, kernel.name.clone());
        let old = std::mem::take(&mut self.kernels);
        let mut kernels: Vec<Kernel> = old.iter().chain(&other.kernels).cloned().collect();
        kernels.sort_by_key(key);
        kernels.dedup();
        let new_position = |kernel: &Kernel| -> u32 {
            kernels.binary_search_by_key(&key(kernel), key).map_or(u32::MAX, |at| at as u32)
        };
        let moves = |kernels: &[Kernel]| -> Vec<u32> { kernels.iter().map(new_position).collect() };
        let moved = [moves(&old), moves(&other.kernels)];
        let count = self.runs.len();
        self.runs.extend(other.runs);
        for (at, run) in self.runs.iter_mut().enumerate() {
            let moved = &moved[usize::from(at >= count)];
            let places = (run.accesses.iter_mut().map(|own| &mut own.kernel))
                .chain(run.trips.iter_mut().map(|own| &mut own.kernel))
                .chain(run.launches.iter_mut().map(|own| &mut own.kernel));
            for kernel in places {
                *kernel = moved[*kernel as usize];
            }
        }
        self.kernels = kernels;
        for omitted in other.omitted {
            if !self.omitted.contains(&omitted) {
                self.omitted.push(omitted);
            }
        }
    }
}
