import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import {
  clampTop,
  scrollFactor,
  scrollHeight,
  type VerticalGeometry,
  visibleRows,
} from './scrollGeometry';

export interface Viewport {
  /** Real pixels. */
  top: number;
  left: number;
  width: number;
  /** Without the header. */
  height: number;
  geometry: VerticalGeometry;
  barHeight: number;
  rows: { first: number; last: number };
  scrollTo(top: number, left: number): void;
}

const TOUCH_REST_MS = 160;

/** Position and size of what is seen. Wheel and touch move by real pixels; only the bar, on long
 * results, moves by the scaled height. */
export function useViewport(
  scroller: RefObject<HTMLDivElement | null>,
  rowCount: number,
  rowHeight: number,
  headerHeight: number,
): Viewport {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [position, setPosition] = useState({ top: 0, left: 0 });
  const geometry = { rowHeight, rowCount, viewHeight: size.height };
  const top = clampTop(position.top, geometry);
  const current = useRef({ geometry, top, left: position.left });
  current.current = { geometry, top, left: position.left };
  const barPosition = useRef(0);

  const place = useCallback(
    (wantedTop: number, wantedLeft: number) => {
      const element = scroller.current;
      if (!element) return;
      const { geometry: now } = current.current;
      const reached = clampTop(wantedTop, now);
      element.scrollTop = reached / scrollFactor(now);
      element.scrollLeft = wantedLeft;
      barPosition.current = element.scrollTop;
      current.current = { geometry: now, top: reached, left: element.scrollLeft };
      setPosition({ top: reached, left: element.scrollLeft });
    },
    [scroller],
  );

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => {
      const height = Math.max(0, element.clientHeight - headerHeight);
      setSize({ width: element.clientWidth, height });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, headerHeight]);

  // A hidden element forgets its scroll position: the bar follows what is known here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after every change of the size
  useLayoutEffect(() => {
    if (size.height > 0) place(current.current.top, current.current.left);
  }, [size, rowCount, rowHeight, place]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    return listen(
      element,
      () => current.current,
      barPosition,
      place,
      (next) => {
        current.current = { ...current.current, ...next };
        setPosition(next);
      },
    );
  }, [scroller, place]);

  return {
    top,
    left: position.left,
    width: size.width,
    height: size.height,
    geometry,
    barHeight: scrollHeight(geometry),
    rows: visibleRows(top, geometry),
    scrollTo: place,
  };
}

interface Position {
  top: number;
  left: number;
}

function listen(
  element: HTMLDivElement,
  now: () => Position & { geometry: VerticalGeometry },
  barPosition: RefObject<number>,
  place: (top: number, left: number) => void,
  follow: (position: Position) => void,
): () => void {
  let touching = false;
  let resting: ReturnType<typeof setTimeout> | undefined;

  const onScroll = () => {
    const { top, geometry } = now();
    const moved = element.scrollTop - barPosition.current;
    barPosition.current = element.scrollTop;
    const left = element.scrollLeft;
    const factor = scrollFactor(geometry);
    if (Math.abs(moved) < 1) return follow({ top, left });
    if (factor === 1) return follow({ top: element.scrollTop, left });
    if (!touching) return follow({ top: clampTop(element.scrollTop * factor, geometry), left });
    follow({ top: clampTop(top + moved, geometry), left });
    clearTimeout(resting);
    resting = setTimeout(() => place(now().top, now().left), TOUCH_REST_MS);
  };
  const onWheel = (event: WheelEvent) => {
    const { top, left, geometry } = now();
    if (event.ctrlKey || scrollFactor(geometry) === 1) return;
    const unit = [1, geometry.rowHeight, geometry.viewHeight][event.deltaMode] ?? 1;
    const sideways = event.shiftKey && event.deltaX === 0;
    const wantedTop = clampTop(top + (sideways ? 0 : event.deltaY * unit), geometry);
    const wantedLeft = left + (sideways ? event.deltaY : event.deltaX) * unit;
    if (wantedTop === top && wantedLeft === left) return;
    event.preventDefault();
    place(wantedTop, wantedLeft);
  };
  const onTouchStart = () => {
    touching = true;
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.pointerType === 'mouse') touching = false;
  };

  element.addEventListener('scroll', onScroll, { passive: true });
  element.addEventListener('wheel', onWheel, { passive: false });
  element.addEventListener('touchstart', onTouchStart, { passive: true });
  element.addEventListener('pointerdown', onPointerDown);
  return () => {
    clearTimeout(resting);
    element.removeEventListener('scroll', onScroll);
    element.removeEventListener('wheel', onWheel);
    element.removeEventListener('touchstart', onTouchStart);
    element.removeEventListener('pointerdown', onPointerDown);
  };
}
