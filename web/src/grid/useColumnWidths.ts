import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { COLUMN_WIDTH_MIN, firstWidths, fittedWidth, textMeasurer } from './columnWidths';
import { columnOffsets } from './scrollGeometry';
import type { RowSource } from './types';

export interface ColumnWidths {
  offsets: readonly number[];
  resize(column: number, width: number): void;
  fit(column: number, visibleSourceRows: readonly number[]): void;
}

const WIDTH_BEFORE_MEASURING = 120;

/** Measured once from the header, once more when the first rows are there, then only by hand. */
export function useColumnWidths(
  source: RowSource,
  element: RefObject<HTMLElement | null>,
  version: number,
): ColumnWidths {
  const [measured, setMeasured] = useState<readonly number[]>(() =>
    source.rowType.map(() => WIDTH_BEFORE_MEASURING),
  );
  const [chosen, setChosen] = useState<ReadonlyMap<number, number>>(new Map());
  const isFinal = useRef(false);

  useLayoutEffect(() => {
    if (isFinal.current || !element.current) return;
    isFinal.current = source.rowCount === 0 || source.cell(0, 0) !== undefined;
    if (isFinal.current || version === 0) {
      setMeasured(firstWidths(source, textMeasurer(element.current)));
    }
  }, [source, element, version]);

  const resize = useCallback((column: number, width: number) => {
    setChosen((before) =>
      new Map(before).set(column, Math.max(COLUMN_WIDTH_MIN, Math.round(width))),
    );
  }, []);
  const fit = useCallback(
    (column: number, visibleSourceRows: readonly number[]) => {
      if (!element.current) return;
      const measure = textMeasurer(element.current);
      resize(column, fittedWidth(source, column, visibleSourceRows, measure));
    },
    [source, element, resize],
  );
  const offsets = useMemo(
    () => columnOffsets(measured.map((width, column) => chosen.get(column) ?? width)),
    [measured, chosen],
  );
  return { offsets, resize, fit };
}
