//! Which accesses have a common pattern.

use crate::{BX, BY, TX, access, row, running_example};
use layoutc_analysis::grid::{
    AccessId, Agreement, Auxiliary, Column, Ineligible, Parity, common_pattern,
};

#[test]
fn the_running_example_is_eligible() {
    let (_, accesses) = running_example();
    assert_eq!(accesses[7].to_string(), "[1 0 2; 0 1 1; 0 0 S] (blockIdx.x, threadIdx.x, 1)");
    let pattern = common_pattern(&accesses, Agreement::All).expect("eligible");
    assert_eq!(pattern.to_string(), "[1 0; 0 1; 0 0] (blockIdx.x, threadIdx.x)");
}

#[test]
fn the_two_accesses_that_differ_are_named() {
    let plain = |id| access(id, vec![row(&[(BX, 1)], "0"), row(&[(TX, 1)], "0")]);
    let turned = access(9, vec![row(&[(TX, 1)], "0"), row(&[(BX, 1)], "0")]);
    let found = common_pattern(&[plain(3), plain(4), turned, plain(5)], Agreement::All);
    let Err(Ineligible::Several { first, second, dimension, column, patterns }) = &found else {
        panic!("{found:?}");
    };
    assert_eq!((*first, *second, *dimension), (AccessId(3), AccessId(9), 0));
    assert_eq!(*column, BX);
    let uses: Vec<Vec<u32>> =
        patterns.iter().map(|of| of.accesses.iter().map(|id| id.0).collect()).collect();
    assert_eq!(uses, [vec![3, 4, 5], vec![9]]);
    assert_eq!(patterns[1].pattern.to_string(), "[0 1; 1 0] (blockIdx.x, threadIdx.x)");
    assert_eq!(
        found.expect_err("several").to_string(),
        "accesses 3 and 9 have different factors of blockIdx.x in subscript 0; there are 2 patterns"
    );
}

#[test]
fn loops_can_be_left_aside() {
    let q = || Column::Loop("q".to_owned());
    let looped = access(0, vec![row(&[(BX, 1)], "0"), row(&[(q(), 1)], "0")]);
    let unrolled = access(1, vec![row(&[(BX, 1)], "0"), row(&[], "2")]);
    let accesses = [looped, unrolled];
    assert!(common_pattern(&accesses, Agreement::All).is_err());
    let pattern = common_pattern(&accesses, Agreement::Parallel).expect("eligible");
    assert_eq!(pattern.to_string(), "[1; 0] (blockIdx.x)");
}

#[test]
fn wrap_around_is_its_affine_operand_and_unknown_terms_are_not_eligible() {
    let plain = access(0, vec![row(&[(TX, 1)], "0")]);
    let wrapped = access(1, vec![row(&[(TX, 1)], "1").with(Auxiliary::Wrap)]);
    let clamped = access(2, vec![row(&[(TX, 1)], "-1").with(Auxiliary::Clamp)]);
    assert!(common_pattern(&[plain.clone(), wrapped, clamped], Agreement::All).is_ok());
    let other = access(7, vec![row(&[], "0").with(Auxiliary::Opaque("map[i]".to_owned()))]);
    assert_eq!(
        common_pattern(&[plain.clone(), other], Agreement::All),
        Err(Ineligible::NotAffine { access: AccessId(7), dimension: 0, text: "map[i]".to_owned() })
    );
    let flat = access(8, vec![row(&[], "0"), row(&[], "0")]);
    assert_eq!(
        common_pattern(&[plain, flat], Agreement::All),
        Err(Ineligible::Rank { first: AccessId(0), second: AccessId(8) })
    );
    assert_eq!(common_pattern(&[], Agreement::All), Err(Ineligible::NoAccess));
}

#[test]
fn parities_of_all_accesses_are_collected() {
    let parity = || Auxiliary::Parity { modulus: 2, of: vec![BY] };
    let red = access(0, vec![row(&[(TX, 2)], "0").with(parity())]);
    let black = access(1, vec![row(&[(TX, 2)], "1").with(parity())]);
    let plain = access(2, vec![row(&[(TX, 2)], "0")]);
    let pattern = common_pattern(&[plain, red, black], Agreement::All).expect("eligible");
    assert_eq!(pattern.rows[0].parities, [Parity { modulus: 2, of: vec![BY] }]);
}
