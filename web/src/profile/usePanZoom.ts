// Moving and enlarging a picture by mouse, wheel, touch and keys.
import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';

export interface PictureView {
  x: number;
  y: number;
  scale: number;
}

const SCALE_MIN = 0.1;
const SCALE_MAX = 3;
const STEP = 60;

export function usePanZoom(width: number, height: number) {
  const frame = useRef<HTMLElement>(null);
  const [view, setView] = useState<PictureView>({ x: 0, y: 0, scale: 1 });
  const drag = useRef<{ x: number; y: number } | null>(null);

  const showAll = useCallback(() => {
    const box = frame.current?.getBoundingClientRect();
    if (!box) return;
    const scale = Math.min(1, box.width / width, box.height / height);
    setView({ scale, x: (box.width - width * scale) / 2, y: 0 });
  }, [width, height]);

  const zoomAt = useCallback((factor: number, at?: { x: number; y: number }) => {
    const box = frame.current?.getBoundingClientRect();
    const place = at ?? { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 };
    setView(({ x, y, scale: before }) => {
      const scale = Math.min(Math.max(before * factor, SCALE_MIN), SCALE_MAX);
      const ratio = scale / before;
      return { scale, x: place.x - (place.x - x) * ratio, y: place.y - (place.y - y) * ratio };
    });
  }, []);

  useEffect(() => {
    showAll();
    const element = frame.current;
    if (!element) return;
    // Not by React, whose listeners cannot keep the page from scrolling.
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const at = { x: event.clientX - box.left, y: event.clientY - box.top };
      zoomAt(event.deltaY < 0 ? 1.12 : 1 / 1.12, at);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [showAll, zoomAt]);

  const move = (x: number, y: number) =>
    setView((before) => ({ ...before, x: before.x + x, y: before.y + y }));
  const keys: Record<string, () => void> = {
    ArrowLeft: () => move(STEP, 0),
    ArrowRight: () => move(-STEP, 0),
    ArrowUp: () => move(0, STEP),
    ArrowDown: () => move(0, -STEP),
    '+': () => zoomAt(1.25),
    '-': () => zoomAt(0.8),
    '0': showAll,
  };
  const handlers = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { x: event.clientX, y: event.clientY };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!drag.current) return;
      move(event.clientX - drag.current.x, event.clientY - drag.current.y);
      drag.current = { x: event.clientX, y: event.clientY };
    },
    onPointerUp: () => {
      drag.current = null;
    },
    onPointerCancel: () => {
      drag.current = null;
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    },
  };
  return { frame, view, zoom: (factor: number) => zoomAt(factor), showAll, handlers };
}
