// Exact arithmetic on decimal text. Numbers of the warehouse have up to 38 digits; floats of the
// browser keep 15, so sums of money would be wrong in the last places.

export interface Decimal {
  digits: bigint;
  /** Digits after the point. */
  scale: number;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

export function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const fraction = match[3] ?? '';
  const joined = (match[2] ?? '') + fraction;
  if (joined === '') return null;
  let digits = BigInt(joined);
  if (match[1] === '-') digits = -digits;
  const scale = fraction.length - Number(match[4] ?? 0);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

export function decimalText({ digits, scale }: Decimal): string {
  if (scale === 0) return digits.toString();
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().padStart(scale + 1, '0');
  const point = text.length - scale;
  return `${negative ? '-' : ''}${text.slice(0, point)}.${text.slice(point)}`;
}

/** Without zeros at the end of the fraction. */
export function shortDecimalText(value: Decimal): string {
  const text = decimalText(value);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { digits: scaleUp(left, scale) + scaleUp(right, scale), scale };
}

export function compareDecimals(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale);
  const difference = scaleUp(left, scale) - scaleUp(right, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Rounded half away from zero to six more places than the dividend has. */
export function divideDecimal(dividend: Decimal, divisor: number): Decimal {
  const scale = dividend.scale + 6;
  const by = BigInt(divisor);
  const scaled = scaleUp(dividend, scale);
  const half = by / 2n;
  const digits = scaled < 0n ? (scaled - half) / by : (scaled + half) / by;
  return { digits, scale };
}

function scaleUp(value: Decimal, scale: number): bigint {
  return scale === value.scale ? value.digits : value.digits * 10n ** BigInt(scale - value.scale);
}

/** Sums many short numbers quickly: plain integers as long as they are exact, BigInt beyond. */
export class DecimalSum {
  private readonly large = new Map<number, bigint>();
  private readonly small = new Map<number, number>();

  /** False if the text is no decimal number, as NaN and inf. */
  add(text: string): boolean {
    const quick = quickParse(text);
    if (quick) {
      const total = (this.small.get(quick.scale) ?? 0) + quick.digits;
      if (Math.abs(total) <= 4_000_000_000_000_000) {
        this.small.set(quick.scale, total);
        return true;
      }
      this.small.set(quick.scale, 0);
      this.addLarge(quick.scale, BigInt(total));
      return true;
    }
    const value = parseDecimal(text);
    if (!value) return false;
    this.addLarge(value.scale, value.digits);
    return true;
  }

  total(): Decimal {
    let sum: Decimal = { digits: 0n, scale: 0 };
    for (const [scale, digits] of this.large) sum = addDecimals(sum, { digits, scale });
    for (const [scale, digits] of this.small) {
      sum = addDecimals(sum, { digits: BigInt(digits), scale });
    }
    return sum;
  }

  private addLarge(scale: number, digits: bigint): void {
    this.large.set(scale, (this.large.get(scale) ?? 0n) + digits);
  }
}

function quickParse(text: string): { digits: number; scale: number } | null {
  if (text.length > 15 || !/^-?\d+(?:\.\d+)?$/.test(text)) return null;
  const point = text.indexOf('.');
  if (point < 0) return { digits: Number(text), scale: 0 };
  return {
    digits: Number(text.slice(0, point) + text.slice(point + 1)),
    scale: text.length - point - 1,
  };
}
