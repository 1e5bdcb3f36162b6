//! Sketches that aggregates have made, bitmaps and vectors.

use super::prelude::*;

/// In alphabetical order.
pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    scalar("APPROX_PERCENTILE_ESTIMATE", 2, 2, &[], Fixed(FLOAT)).rewritten(),
    scalar("APPROX_TOP_K_ESTIMATE", 1, 2, &[], Fixed(ARRAY)).rewritten(),
    scalar("BITMAP_BIT_POSITION", 1, 1, &[], Fixed(INTEGER)).called("firn_bitmap_bit_position"),
    scalar("BITMAP_BUCKET_NUMBER", 1, 1, &[], Fixed(INTEGER)).called("firn_bitmap_bucket_number"),
    scalar("BITMAP_COUNT", 1, 1, &[], Fixed(INTEGER)).called("firn_bitmap_count"),
    scalar("HLL_ESTIMATE", 1, 1, &[], Fixed(INTEGER)).called("firn_hll_estimate"),
    scalar("HLL_EXPORT", 1, 1, &[], Fixed(OBJECT)).rewritten(),
    scalar("HLL_IMPORT", 1, 1, &[], Fixed(BINARY)).rewritten(),
    scalar("VECTOR_COSINE_SIMILARITY", 2, 2, &[], Fixed(FLOAT)).rewritten(),
    scalar("VECTOR_INNER_PRODUCT", 2, 2, &[], Fixed(FLOAT)).rewritten(),
    scalar("VECTOR_L1_DISTANCE", 2, 2, &[], Fixed(FLOAT)).rewritten(),
    scalar("VECTOR_L2_DISTANCE", 2, 2, &[], Fixed(FLOAT)).rewritten(),
];
