import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { columnAt } from './scrollGeometry';
import { type Selection, startSelection } from './selection';
import type { CellPosition } from './types';
import type { Viewport } from './useViewport';

export interface PointerSelectionTarget {
  scroller: RefObject<HTMLDivElement | null>;
  viewport: Viewport;
  offsets: readonly number[];
  rowCount: number;
  gutterWidth: number;
  headerHeight: number;
  selection: Selection;
  select(selection: Selection): void;
  onOpen(position: CellPosition): void;
}

/** Drags a rectangle with the mouse, scrolling at the edges. A finger scrolls; a tap selects and a
 * long press extends to the touched cell. */
export function usePointerSelection(target: PointerSelectionTarget) {
  const latest = useRef(target);
  latest.current = target;
  const dragging = useRef<{ x: number; y: number; rows: boolean } | null>(null);
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  const extendTo = (position: CellPosition) => {
    const { selection, select } = latest.current;
    select({ anchor: selection.anchor, active: position });
  };
  const drag = () => {
    const at = dragging.current;
    if (!at) return;
    const { scroller, viewport, gutterWidth, headerHeight, offsets } = latest.current;
    const box = scroller.current?.getBoundingClientRect();
    if (!box) return;
    const down = beyond(at.y, box.top + headerHeight, box.top + headerHeight + viewport.height);
    const right = at.rows ? 0 : beyond(at.x, box.left + gutterWidth, box.left + viewport.width);
    if (down !== 0 || right !== 0) {
      viewport.scrollTo(viewport.top + down, viewport.left + right);
    }
    const position = cellAt(latest.current, at.x, at.y);
    if (position) extendTo(at.rows ? { row: position.row, column: offsets.length - 2 } : position);
    if (down !== 0 || right !== 0) frame.current = requestAnimationFrame(drag);
  };

  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.pointerType === 'touch' || event.button !== 0) return;
      const position = cellAt(latest.current, event.clientX, event.clientY);
      if (!position) return;
      const rows = isInGutter(latest.current, event.clientX);
      const { select, offsets } = latest.current;
      if (event.shiftKey) extendTo(position);
      else if (rows) {
        const lastColumn = offsets.length - 2;
        select({
          anchor: { row: position.row, column: 0 },
          active: { ...position, column: lastColumn },
        });
      } else select(startSelection(position));
      dragging.current = { x: event.clientX, y: event.clientY, rows };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      if (!dragging.current) return;
      const { x, y } = dragging.current;
      if (Math.abs(x - event.clientX) + Math.abs(y - event.clientY) < 2) return;
      dragging.current = { ...dragging.current, x: event.clientX, y: event.clientY };
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(drag);
    },
    onPointerUp: () => {
      dragging.current = null;
    },
    onPointerCancel: () => {
      dragging.current = null;
    },
    onClick: (event: React.MouseEvent) => {
      if (!isTouch(event)) return;
      const position = cellAt(latest.current, event.clientX, event.clientY);
      if (position) latest.current.select(startSelection(position));
    },
    onContextMenu: (event: React.MouseEvent) => {
      if (!isTouch(event)) return;
      event.preventDefault();
      const position = cellAt(latest.current, event.clientX, event.clientY);
      if (position) extendTo(position);
    },
    onDoubleClick: (event: React.MouseEvent) => {
      const position = cellAt(latest.current, event.clientX, event.clientY);
      if (position && !isInGutter(latest.current, event.clientX)) latest.current.onOpen(position);
    },
  };
}

function isTouch(event: React.MouseEvent): boolean {
  const native = event.nativeEvent;
  return native instanceof globalThis.PointerEvent && native.pointerType === 'touch';
}

function beyond(at: number, from: number, to: number): number {
  if (at < from) return Math.max(-60, (at - from) / 2);
  return at > to ? Math.min(60, (at - to) / 2) : 0;
}

function isInGutter({ scroller, gutterWidth }: PointerSelectionTarget, x: number): boolean {
  const box = scroller.current?.getBoundingClientRect();
  return box !== undefined && x < box.left + gutterWidth;
}

function cellAt(target: PointerSelectionTarget, x: number, y: number): CellPosition | null {
  const { scroller, viewport, offsets, gutterWidth, headerHeight, rowCount } = target;
  const box = scroller.current?.getBoundingClientRect();
  if (!box || rowCount === 0 || offsets.length < 2) return null;
  const inRows = Math.min(Math.max(y - box.top - headerHeight, 0), viewport.height - 1);
  const inColumns = Math.min(Math.max(x - box.left - gutterWidth, 0), viewport.width - gutterWidth);
  const row = Math.floor((viewport.top + inRows) / viewport.geometry.rowHeight);
  return {
    row: Math.min(row, rowCount - 1),
    column: columnAt(viewport.left + inColumns, offsets),
  };
}
