// One partition in memory: its bytes as they came, and where each cell begins and ends. Nothing is
// copied, and a cell becomes a text only when somebody looks at it.

export interface PartitionCells {
  bytes: Uint8Array;
  /** Two numbers for each cell, row by row: first byte and the byte behind. Equal ends mean NULL. */
  places: Uint32Array;
  columns: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const LETTER_N = 0x6e;

const decoder = new TextDecoder();

/** Finds the cells of `{"data": [["a", null], …]}`. Places of texts include their quotes. */
export function scanCells(bytes: Uint8Array, columns: number, rows: number): PartitionCells {
  const places = new Uint32Array(rows * columns * 2);
  let at = bytes.indexOf(OPEN) + 1;
  let filled = 0;
  let depth = 0;
  while (at < bytes.length && filled < places.length) {
    const byte = bytes[at];
    if (byte === QUOTE && depth === 1) {
      const end = endOfText(bytes, at + 1);
      places[filled] = at;
      places[filled + 1] = end;
      filled += 2;
      at = end;
    } else if (byte === LETTER_N && depth === 1) {
      places[filled] = at;
      places[filled + 1] = at;
      filled += 2;
      at += 4;
    } else {
      if (byte === OPEN) depth += 1;
      else if (byte === CLOSE) depth -= 1;
      at += 1;
    }
  }
  if (filled < places.length) throw new Error('A part of the result is not as long as announced.');
  return { bytes, places, columns };
}

function endOfText(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

export function cellOf(cells: PartitionCells, row: number, column: number): string | null {
  const index = (row * cells.columns + column) * 2;
  const start = cells.places[index] ?? 0;
  const end = cells.places[index + 1] ?? 0;
  if (start === end) return null;
  const inside = cells.bytes.subarray(start + 1, end - 1);
  if (inside.includes(BACKSLASH)) {
    return JSON.parse(decoder.decode(cells.bytes.subarray(start, end))) as string;
  }
  return decoder.decode(inside);
}
