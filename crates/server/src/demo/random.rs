//! A small seeded source of chance (SplitMix64): the same seed gives the same demo data everywhere.

pub struct Random(u64);

impl Random {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// At least 0 and below 1.
    pub fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    /// Both ends included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = (high - low + 1) as f64;
        low + (self.fraction() * span) as i64
    }

    /// An index below `count`; `count` is at least 1.
    pub fn index(&mut self, count: usize) -> usize {
        (self.fraction() * count as f64) as usize
    }

    pub fn pick<'list, T>(&mut self, list: &'list [T]) -> &'list T {
        &list[self.index(list.len())]
    }

    /// One of the choices, each as likely as its weight says.
    pub fn weighted<T: Copy>(&mut self, choices: &[(T, f64)]) -> T {
        let total: f64 = choices.iter().map(|(_, weight)| weight).sum();
        let mut mark = self.fraction() * total;
        for (choice, weight) in choices {
            if mark < *weight {
                return *choice;
            }
            mark -= weight;
        }
        choices[choices.len() - 1].0
    }

    /// How many events happen where `expected` happen on average; meant for small numbers.
    pub fn count(&mut self, expected: f64) -> usize {
        const COUNT_MAX: usize = 100;
        let threshold = (-expected).exp();
        let mut product = self.fraction();
        let mut count = 0;
        while product > threshold && count < COUNT_MAX {
            product *= self.fraction();
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut one = Random::seeded(7);
        let mut other = Random::seeded(7);
        for _ in 0..100 {
            assert_eq!(one.next(), other.next());
        }
    }

    #[test]
    fn numbers_stay_in_their_bounds() {
        let mut random = Random::seeded(1);
        for _ in 0..10_000 {
            assert!((3..=5).contains(&random.between(3, 5)));
            assert!(random.index(4) < 4);
        }
    }

    #[test]
    fn counts_meet_their_average() {
        let mut random = Random::seeded(2);
        let total: usize = (0..10_000).map(|_| random.count(2.5)).sum();
        assert!((24_000..26_000).contains(&total), "{total}");
    }
}
