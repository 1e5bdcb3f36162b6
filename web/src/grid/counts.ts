const grouped = new Intl.NumberFormat('en-US');

/** `2,000,000`, or with a noun `1 row`, `2,000,000 rows`. */
export function count(value: number, noun?: string): string {
  const text = grouped.format(value);
  if (!noun) return text;
  return `${text} ${noun}${value === 1 ? '' : 's'}`;
}
