import { typeFamily } from './cellText';
import { compareDecimals, parseDecimal } from './decimal';
import type { ColumnType } from './types';

/** The order of SQL between two values of a column, as far as the wire's text tells it. */
export function compareWire(left: string, right: string, column: Pick<ColumnType, 'type'>): number {
  switch (typeFamily(column)) {
    case 'number':
      return compareNumbers(left, right);
    case 'temporal':
      return compareInstants(left, right);
    default:
      return left < right ? -1 : left > right ? 1 : 0;
  }
}

function compareInstants(left: string, right: string): number {
  const leftDecimal = parseDecimal(left.split(' ')[0] ?? '');
  const rightDecimal = parseDecimal(right.split(' ')[0] ?? '');
  if (leftDecimal && rightDecimal) return compareDecimals(leftDecimal, rightDecimal);
  // Text in an output format of the statement's own.
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareNumbers(left: string, right: string): number {
  if (left.length <= 15 && right.length <= 15) {
    const difference = Number(left) - Number(right);
    if (!Number.isNaN(difference)) return difference;
  }
  const leftDecimal = parseDecimal(left);
  const rightDecimal = parseDecimal(right);
  if (leftDecimal && rightDecimal) return compareDecimals(leftDecimal, rightDecimal);
  return rankOfSpecial(left) - rankOfSpecial(right);
}

/** -inf stands below, inf and then NaN above every number. */
function rankOfSpecial(text: string): number {
  if (/^-inf/i.test(text)) return -1;
  if (/^inf/i.test(text)) return 1;
  return /^nan$/i.test(text) ? 2 : 0;
}
