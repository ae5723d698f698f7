//! The classes of accesses.

use crate::make::{counts, scattered, strided, times};
use layoutc_analysis::profile::Counts;
use layoutc_analysis::trace::{Class, Classified, Row, classify_rows};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Figure 12, as counts: `n` of 32 threads are on the first one's line, or all are at its address.
fn figure_12() -> Vec<Counts> {
    let coalesc = |executions: u64| {
        let counts = counts(&strided(1), 12, 4);
        assert_eq!(counts.line_lanes, 11);
        times(counts, executions)
    };
    let shared = |executions| times(counts(&strided(0), 12, 0), executions);
    vec![coalesc(800), shared(800), coalesc(800), shared(832), shared(832), coalesc(32)]
}

#[test]
fn figure_12_says_structs() {
    let rows: Vec<Classified> = figure_12().iter().filter_map(Classified::by_address).collect();
    let classes: Vec<(Class, u64, f64)> =
        rows.iter().map(|row| (row.class, row.executions, row.threads)).collect();
    use Class::{Coalesc, ShareCoalesc};
    assert_eq!(
        classes,
        [
            (Coalesc, 800, 11.0),
            (ShareCoalesc, 800, 32.0),
            (Coalesc, 800, 11.0),
            (ShareCoalesc, 832, 32.0),
            (ShareCoalesc, 832, 32.0),
            (Coalesc, 32, 11.0),
        ]
    );
    // Printed as -0.34 and -272, rounded before the product.
    assert_eq!(rows[0].weight(), -11.0 / 32.0);
    assert_eq!(rows[0].sum(), -275.0);
    assert_eq!(rows.iter().map(Classified::sum).sum::<f64>(), 1903.0);
}

#[test]
fn classes() {
    let class =
        |counts: &Counts| Classified::by_address(counts).map(|own| (own.class, own.threads));
    // A struct of 16 bytes: 8 on a line, and not the 9 of an inclusive range.
    assert_eq!(class(&counts(&strided(1), 16, 0)), Some((Class::Coalesc, 8.0)));
    assert_eq!(class(&counts(&strided(1), 128, 0)), Some((Class::UnCoalesc, 1.0)));
    assert_eq!(class(&counts(&strided(0), 128, 0)), Some((Class::ShareCoalesc, 32.0)));
    assert_eq!(class(&counts(&scattered(50), 16, 0)), Some((Class::UnCoalesc, 1.0)));
    assert_eq!(class(&Counts::default()), None);
    // One request of many shares an address at a border: enough for the paper, and not by elements.
    let mut mostly = times(counts(&strided(1), 16, 0), 99);
    mostly.add(&counts(&strided(0), 16, 0));
    assert_eq!(class(&mostly).map(|own| own.0), Some(Class::ShareCoalesc));
    let by_index = Classified::by_index(&mostly, 4).map(|own| own.class);
    assert_eq!(by_index, Some(Class::Coalesc));
}

/// By elements a struct that fills a line is as good to take apart as any other.
#[test]
fn classes_by_index() {
    let class =
        |counts: &Counts| Classified::by_index(counts, 4).map(|own| (own.class, own.threads));
    for size in [4, 12, 64, 128, 512] {
        assert_eq!(class(&counts(&strided(1), size, 0)), Some((Class::Coalesc, 32.0)));
        assert_eq!(class(&counts(&strided(8), size, 0)), Some((Class::Coalesc, 4.0)));
        assert_eq!(class(&counts(&strided(64), size, 0)), Some((Class::UnCoalesc, 1.0)));
        assert_eq!(
            class(&counts(&strided(0), size, 0)).map(|own| own.0),
            Some(Class::ShareCoalesc)
        );
    }
    // Numbers of 8 and 16 bytes fill lines as well; every second one does not.
    for (scalar, by, threads) in [(8, 1, 32.0), (16, 1, 32.0), (16, 2, 16.0)] {
        let found = Classified::by_index(&counts(&strided(by), 64, 0), scalar);
        assert_eq!(found.map(|own| (own.class, own.threads)), Some((Class::Coalesc, threads)));
    }
    let scattered = Classified::by_index(&counts(&scattered(50), 64, 0), 16);
    assert_eq!(scattered.map(|own| own.class), Some(Class::UnCoalesc));
}

/// An execution: its instruction, its warp, and the threads with their addresses.
type Execution = (u64, u64, Vec<(u64, u64)>);

/// Rows of executions.
fn rows(executions: &[Execution]) -> Vec<Row> {
    let row = |(inst_id, warp_id, threads): &Execution| -> Vec<Row> {
        let (inst_id, warp_id, kernel_id, loop_id) = (*inst_id, *warp_id, 0, 0);
        let of = |(thread_id, addr): &(u64, u64)| Row {
            inst_id,
            warp_id,
            thread_id: *thread_id,
            addr: *addr,
            kernel_id,
            loop_id,
        };
        threads.iter().map(of).collect()
    };
    executions.iter().flat_map(row).collect()
}

/// Two executions by one warp, one behind the other, are two; the printed algorithm joins them.
#[test]
fn executions_of_one_warp_are_apart() {
    let threads: Vec<(u64, u64)> = (0..32).map(|at| (at, 0x7004_1e000 + 12 * at)).collect();
    let found = classify_rows(&rows(&[(0, 0, threads.clone()), (0, 0, threads)]));
    let own = found[&0];
    assert_eq!((own.class, own.executions, own.threads), (Class::Coalesc, 2, 11.0));
}

proptest! {
    /// The algorithm on rows and that on sums agree.
    #[test]
    fn rows_agree_with_counts(
        executions in prop::collection::vec(
            (0..3_u64, 0..2_u64, prop::collection::btree_map(0..32_u64, 0..64_u64, 1..32), 0..4_u32),
            1..60,
        )
    ) {
        // Shifts make shared addresses and lanes on one line likely.
        let executions: Vec<Execution> = executions
            .into_iter()
            .map(|(inst, warp, threads, shift)| {
                let addr = |at: u64| 4096 + (at >> (2 * shift)) * 16;
                (inst, warp, threads.into_iter().map(|(id, at)| (id, addr(at))).collect())
            })
            .collect();
        // What stands together in a trace is one execution only if its threads rise.
        let is_apart = |pair: &[Execution]| {
            (pair[0].0, pair[0].1) != (pair[1].0, pair[1].1)
                || pair[0].2.last().map(|own| own.0) >= pair[1].2.first().map(|own| own.0)
        };
        prop_assume!(executions.windows(2).all(is_apart));
        let mut sums: BTreeMap<u64, Counts> = BTreeMap::new();
        for (inst, _, threads) in &executions {
            // Elements of one byte: the address is the index.
            let lanes: Vec<i64> = threads.iter().map(|(_, addr)| *addr as i64).collect();
            sums.entry(*inst).or_default().add(&counts(&[lanes], 1, 0));
        }
        let by_counts: BTreeMap<u64, Classified> = (sums.iter())
            .filter_map(|(id, own)| Some((*id, Classified::by_address(own)?)))
            .collect();
        prop_assert_eq!(classify_rows(&rows(&executions)), by_counts);
    }
}
