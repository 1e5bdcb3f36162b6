import type { RowSource } from './types';

const sourceKeys = new WeakMap<RowSource, number>();
let sourcesSeen = 0;

/** A name for the object, so that React begins anew with another one. */
export function sourceKey(source: RowSource): number {
  const known = sourceKeys.get(source);
  if (known !== undefined) return known;
  sourceKeys.set(source, ++sourcesSeen);
  return sourcesSeen;
}
