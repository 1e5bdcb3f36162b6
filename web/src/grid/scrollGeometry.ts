// Browsers end a page at some 33 million pixels (others at 17). The scroll bar of a longer grid is
// therefore shorter than its rows: positions are real pixels, the bar's are scaled.

export const SCROLL_HEIGHT_MAX = 15_000_000;

export interface VerticalGeometry {
  rowHeight: number;
  rowCount: number;
  /** Height in which rows are seen, without the header. */
  viewHeight: number;
}

export function contentHeight({ rowHeight, rowCount }: VerticalGeometry): number {
  return rowHeight * rowCount;
}

export function scrollHeight(geometry: VerticalGeometry): number {
  return Math.min(contentHeight(geometry), SCROLL_HEIGHT_MAX);
}

export function topMax(geometry: VerticalGeometry): number {
  return Math.max(0, contentHeight(geometry) - geometry.viewHeight);
}

/** Real pixels per pixel of the scroll bar; 1 for all but very long results. */
export function scrollFactor(geometry: VerticalGeometry): number {
  const barMax = scrollHeight(geometry) - geometry.viewHeight;
  return barMax > 0 ? topMax(geometry) / barMax : 1;
}

export function clampTop(top: number, geometry: VerticalGeometry): number {
  return Math.min(Math.max(0, top), topMax(geometry));
}

export function visibleRows(
  top: number,
  geometry: VerticalGeometry,
): { first: number; last: number } {
  const { rowHeight, rowCount, viewHeight } = geometry;
  const first = Math.max(0, Math.floor(top / rowHeight));
  const last = Math.min(rowCount - 1, Math.ceil((top + viewHeight) / rowHeight) - 1);
  return { first, last };
}

/** The least movement after which the whole row is seen. */
export function topToShow(row: number, top: number, geometry: VerticalGeometry): number {
  const { rowHeight, viewHeight } = geometry;
  const rowTop = row * rowHeight;
  if (rowTop < top) return rowTop;
  if (rowTop + rowHeight > top + viewHeight)
    return clampTop(rowTop + rowHeight - viewHeight, geometry);
  return top;
}

/** Sums of widths: entry n is where column n begins, the last one where the columns end. */
export function columnOffsets(widths: readonly number[]): number[] {
  const offsets = [0];
  let end = 0;
  for (const width of widths) {
    end += width;
    offsets.push(end);
  }
  return offsets;
}

/** The column at a distance from the left edge of the first. */
export function columnAt(x: number, offsets: readonly number[]): number {
  let low = 0;
  let high = offsets.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

export function leftToShow(
  column: number,
  left: number,
  viewWidth: number,
  offsets: readonly number[],
): number {
  const begin = offsets[column] ?? 0;
  const end = offsets[column + 1] ?? begin;
  if (begin < left || end - begin > viewWidth) return begin;
  return end > left + viewWidth ? end - viewWidth : left;
}
