//! Windows: their order, and their frames where the dialect's default is another one than Spark's.

use firn_sql::ast::{Expr, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType};

use super::{Lowering, Text, quoted, refused};

const WHOLE_PARTITION: &str = " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";

impl Lowering<'_> {
    pub(super) fn over(&self, name: &str, window: &WindowType) -> Text {
        match window {
            WindowType::NamedWindow(name) => Ok(format!(" OVER {}", quoted(&name.value))),
            WindowType::WindowSpec(spec) => {
                let takes_place = matches!(name, "FIRST_VALUE" | "LAST_VALUE" | "NTH_VALUE");
                let is_whole = takes_place && spec.window_frame.is_none() && !spec.order_by.is_empty();
                Ok(format!(" OVER ({}{})", self.window(spec)?, if is_whole { WHOLE_PARTITION } else { "" }))
            }
        }
    }

    pub(super) fn window(&self, spec: &WindowSpec) -> Text {
        let mut parts = Vec::new();
        if let Some(name) = &spec.window_name {
            parts.push(quoted(&name.value));
        }
        if !spec.partition_by.is_empty() {
            spec.partition_by.iter().try_for_each(|key| self.refuse_variant(key, "PARTITION BY"))?;
            parts.push(format!("PARTITION BY {}", self.list(&spec.partition_by)?));
        }
        if !spec.order_by.is_empty() {
            parts.push(format!("ORDER BY {}", self.order_keys(&spec.order_by)?));
        }
        if let Some(frame) = &spec.window_frame {
            parts.push(self.frame(frame)?);
        }
        Ok(parts.join(" "))
    }

    fn frame(&self, frame: &WindowFrame) -> Text {
        let units = match frame.units {
            WindowFrameUnits::Rows => "ROWS",
            WindowFrameUnits::Range => "RANGE",
            WindowFrameUnits::Groups => return Err(refused("window frame in GROUPS")),
        };
        let end = frame.end_bound.as_ref().unwrap_or(&WindowFrameBound::CurrentRow);
        Ok(format!("{units} BETWEEN {} AND {}", self.bound_of(&frame.start_bound)?, self.bound_of(end)?))
    }

    fn bound_of(&self, bound: &WindowFrameBound) -> Text {
        let distance = |distance: &Expr| match distance {
            Expr::Interval(_) => self.expression(distance),
            _ => self.int_of(distance),
        };
        Ok(match bound {
            WindowFrameBound::CurrentRow => "CURRENT ROW".to_owned(),
            WindowFrameBound::Preceding(None) => "UNBOUNDED PRECEDING".to_owned(),
            WindowFrameBound::Following(None) => "UNBOUNDED FOLLOWING".to_owned(),
            WindowFrameBound::Preceding(Some(rows)) => format!("{} PRECEDING", distance(rows)?),
            WindowFrameBound::Following(Some(rows)) => format!("{} FOLLOWING", distance(rows)?),
        })
    }
}
