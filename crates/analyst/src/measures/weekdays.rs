//! Days of the week as conditions and side by side: `on weekends`, `Saturdays versus Sundays`.

use super::Reader;
use super::cues::Cue;
use super::frame::{Frame, Key};
use crate::interpretation::query::ClockPart;

const WEEK: u8 = 7;

impl Reader<'_> {
    pub fn weekdays(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        if !frame.days.is_empty() || frame.days_beside.is_some() {
            return;
        }
        for (end, days) in self.days_named(at) {
            let cost = frame.cost + 0.02;
            found.push((end, Frame { days: days.to_vec(), cost, ..frame.clone() }));
            for (end, cue) in self.pieces.cue_ends(end, |cue| matches!(cue, Cue::Against | Cue::And)) {
                for (end, others) in self.days_named(self.skip(end)) {
                    if others.iter().any(|day| days.contains(day)) {
                        continue;
                    }
                    let both = [days, others].concat();
                    let is_beside = cue == Cue::Against || frame.shape.is_compared;
                    let next = Frame { cost, ..frame.clone() };
                    found.push((end, if is_beside { beside(next, days, both) } else { Frame { days: both, ..next } }));
                }
            }
        }
    }

    fn days_named(&self, at: usize) -> Vec<(usize, &'static [u8])> {
        let cues = self.pieces.cue_ends(at, |cue| matches!(cue, Cue::OnDays(_))).into_iter();
        let days = |(end, cue)| match cue {
            Cue::OnDays(days) => Some((end, days)),
            _ => None,
        };
        cues.filter_map(days).collect()
    }
}

/// Two single days are rows by their names; otherwise the rows on the first days stand beside the others.
fn beside(frame: Frame, first: &'static [u8], both: Vec<u8>) -> Frame {
    let mut next = frame;
    if both.len() == 2 {
        next.groups.push(Key::Clock(ClockPart::WeekdayName));
        next.days = both;
        return next;
    }
    next.days_beside = Some(first);
    next.days = if both.len() < usize::from(WEEK) { both } else { Vec::new() };
    next
}
