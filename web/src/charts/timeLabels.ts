const DAY_MS = 86_400_000;

/** Marks of an axis of time in the grid's own notation, as short as the span allows. */
export function timeLabels(instants: readonly number[]): (instant: number) => string {
  const span = (instants.at(-1) ?? 0) - (instants[0] ?? 0);
  const [from, to] =
    span > 730 * DAY_MS
      ? [0, 7]
      : span > 3 * DAY_MS
        ? [0, 10]
        : span > DAY_MS / 2
          ? [5, 16]
          : [11, 19];
  return (instant) => {
    const date = new Date(instant);
    if (Number.isNaN(date.getTime())) return '';
    return date.toISOString().replace('T', ' ').slice(from, to);
  };
}
