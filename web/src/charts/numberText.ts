const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });

/** Whole numbers of four digits are short enough as they are, and years would all look the same. */
export function compactNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 10_000) return String(value);
  if (value !== 0 && Math.abs(value) < 0.01) return value.toExponential(1);
  return compact.format(value);
}

/** Digits in groups of three, none lost. */
export function groupedNumber(text: string): string {
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  if (!match) return text;
  const whole = (match[2] ?? '').replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${match[1]}${whole}${match[3] ?? ''}`;
}
