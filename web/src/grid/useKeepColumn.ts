import { useEffect, useRef } from 'react';
import { leftToShow } from './scrollGeometry';
import type { Viewport } from './useViewport';

/** When the grid becomes narrower, as by the value panel, the active cell stays in sight. */
export function useKeepColumn(
  viewport: Viewport,
  column: number,
  cellsWidth: number,
  offsets: readonly number[],
): void {
  const before = useRef(cellsWidth);
  useEffect(() => {
    const previous = before.current;
    before.current = cellsWidth;
    if (cellsWidth <= 0 || cellsWidth >= previous) return;
    const { top, left } = viewport;
    if (leftToShow(column, left, previous, offsets) !== left) return;
    const wanted = leftToShow(column, left, cellsWidth, offsets);
    if (wanted !== left) viewport.scrollTo(top, wanted);
  }, [viewport, column, cellsWidth, offsets]);
}
