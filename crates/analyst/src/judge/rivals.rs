//! Features of one reading against the others of its question. The reader from left to right is trusted less where it leaves
//! words that another reading has a use for.

use super::features::{Feature, Features};

/// A preferred reading that uses less by this much is surpassed.
const SURPASSED: f32 = 0.02;

/// What a reading has in common with the preferred one, and what that is worth less where others use more.
const SHARED: [(Feature, Feature); 8] = [
    (Feature::AgreedByProcedure, Feature::SurpassedWhole),
    (Feature::AgreesShown, Feature::SurpassedShown),
    (Feature::AgreesConditions, Feature::SurpassedConditions),
    (Feature::AgreesGroups, Feature::SurpassedGroups),
    (Feature::AgreesOrder, Feature::SurpassedOrder),
    (Feature::AgreesRepeats, Feature::SurpassedRepeats),
    (Feature::AgreesSets, Feature::SurpassedSets),
    (Feature::AgreesTables, Feature::SurpassedTables),
];

/// The same where others have better links.
const LINKED: [(Feature, Feature); 5] = [
    (Feature::AgreedByProcedure, Feature::OutlinkedWhole),
    (Feature::AgreesShown, Feature::OutlinkedShown),
    (Feature::AgreesConditions, Feature::OutlinkedConditions),
    (Feature::AgreesOrder, Feature::OutlinkedOrder),
    (Feature::AgreesTables, Feature::OutlinkedTables),
];

/// Links that are worse by more than this count as so much worse.
const LINK_GAP_MAX: f32 = 2.0;

/// Compares the readings of a question with each other.
pub fn compare_readings<'a>(readings: impl Iterator<Item = &'a mut Features>) {
    let mut readings: Vec<&mut Features> = readings.collect();
    let share = |features: &Features| features.get(Feature::ShareUsed);
    let loss = |features: &Features| {
        [Feature::TableLinkLoss, Feature::ColumnLinkLoss, Feature::ValueLinkLoss]
            .map(|loss| features.get(loss))
            .iter()
            .sum()
    };
    let most = readings.iter().map(|features| share(features)).fold(0.0, f32::max);
    let least: f32 = readings.iter().map(|features| loss(features)).fold(f32::MAX, f32::min);
    let preferred = readings.iter().find(|features| features.get(Feature::AgreedByProcedure) > 0.0);
    let Some((gap, link_gap)) = preferred.map(|features| (most - share(features), loss(features) - least)) else {
        return;
    };
    let link_gap = link_gap.min(LINK_GAP_MAX);
    for features in &mut readings {
        let surpassed = SHARED.iter().map(|(shared, feature)| (*shared, *feature, gap));
        let linked = LINKED.iter().map(|(shared, feature)| (*shared, *feature, link_gap));
        for (shared, feature, gap) in surpassed.chain(linked) {
            let value = features.get(shared) * gap;
            features.set(feature, value);
        }
        let is_left = features.get(Feature::AgreedByProcedure) > 0.0 && gap > SURPASSED;
        features.set(Feature::SurpassedClearly, f32::from(u8::from(is_left)));
    }
}

#[cfg(test)]
mod tests {
    use super::compare_readings;
    use crate::judge::{FEATURES, Feature, Features};

    fn reading(share: f32, agreed: f32) -> Features {
        let mut features = Features { values: vec![0.0; FEATURES.len()] };
        features.set(Feature::ShareUsed, share);
        features.set(Feature::AgreedByProcedure, agreed);
        features
    }

    #[test]
    fn the_preferred_reading_is_surpassed_by_one_that_uses_more() {
        let mut readings = [reading(0.5, 1.0), reading(1.0, 0.0)];
        compare_readings(readings.iter_mut());
        assert_eq!(readings.each_ref().map(|one| one.get(Feature::SurpassedWhole)), [0.5, 0.0]);
        let mut readings = [reading(1.0, 1.0), reading(0.5, 0.0)];
        compare_readings(readings.iter_mut());
        assert_eq!(readings.each_ref().map(|one| one.get(Feature::SurpassedClearly)), [0.0, 0.0]);
    }
}
