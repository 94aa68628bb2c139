//! Two contenders in turn, so that what else the machine does meets both alike.

/// Odd, so that a median is one of the rounds.
const ROUNDS: usize = 7;

/// What both gave in each round: ours and the floor.
pub(super) type Pairs = Vec<[f64; 2]>;

/// Runs contender 0 and contender 1 once in each round, each first in turn.
pub(super) fn interleaved<T>(mut run: impl FnMut(usize) -> Result<T, String>) -> Result<Vec<[T; 2]>, String> {
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        rounds.push(if round % 2 == 0 {
            [run(0)?, run(1)?]
        } else {
            let floor = run(1)?;
            [run(0)?, floor]
        });
    }
    Ok(rounds)
}

/// The middle of an odd number of values.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::{ROUNDS, interleaved, median};

    #[test]
    fn each_is_run_once_in_a_round_and_goes_first_in_turn() {
        let mut order = Vec::new();
        let rounds = interleaved(|contender| {
            order.push(contender);
            Ok(contender)
        });
        assert_eq!(rounds, Ok(vec![[0, 1]; ROUNDS]), "what was measured is told apart");
        assert_eq!(order[..6], [0, 1, 1, 0, 0, 1]);
        assert_eq!(order.len(), 2 * ROUNDS);
    }

    #[test]
    fn what_cannot_be_run_ends_it() {
        let mut runs = 0;
        let failed: Result<Vec<[(); 2]>, _> = interleaved(|_| {
            runs += 1;
            if runs == 3 { Err("gone".to_owned()) } else { Ok(()) }
        });
        assert_eq!((failed, runs), (Err("gone".to_owned()), 3));
    }

    #[test]
    fn the_median_is_the_middle_by_size() {
        assert!((median([9.0, 1.0, 5.0].into_iter()) - 5.0).abs() < f64::EPSILON);
        assert_eq!(ROUNDS % 2, 1);
    }
}
