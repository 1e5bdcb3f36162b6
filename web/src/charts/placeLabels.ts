// The names below the bars, so that they neither lie on each other nor leave the picture.

/** More names than this are thinned out by the chart itself. */
const ALL_NAMED_MAX = 8;
/** What the value axis and the edges take of the width. */
const BESIDE_BARS = 88;
const GAP = 6;
const LETTER = 7;
/** A name that is cut shorter says too little: it stands aslant instead. */
const LEVEL_MIN = 64;
const ASLANT_MAX = 110;

/** A few bars are all named: level if there is room for the names, else aslant; shortened if they must be. */
export function placeLabels(names: readonly string[], chartWidth: number) {
  if (names.length === 0) return {};
  if (names.length > ALL_NAMED_MAX) return { hideOverlap: true };
  const room = Math.floor((chartWidth - BESIDE_BARS) / names.length) - GAP;
  const longest = Math.max(...names.map((name) => name.length)) * LETTER;
  const isLevel = room >= Math.min(longest, LEVEL_MIN);
  return {
    interval: 0,
    overflow: 'truncate' as const,
    ...(isLevel ? { width: room } : { width: ASLANT_MAX, rotate: 45 }),
  };
}

const FIGURE = 64;

/** How many parts a value axis that lies level has at most, so that its figures do not touch. */
export function levelParts(chartWidth: number): number {
  return Math.max(2, Math.min(5, Math.floor((chartWidth - 2 * BESIDE_BARS) / FIGURE)));
}
