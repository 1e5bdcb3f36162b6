import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { ChartOption, ChartTheme } from './chartOption';
import type { DrawnChart } from './echartsRuntime';

export interface ChartPictures {
  png(): Blob | null;
  svg(): Promise<Blob | null>;
}

export interface ChartCanvasProps {
  description: string;
  optionFor(theme: ChartTheme, width: number): ChartOption;
  /** Pixels below which its names would lie on each other. */
  heightMin: number;
  ref?: Ref<ChartPictures>;
}

/** The picture is laid out anew whenever its width has changed by so many pixels. */
const WIDTH_STEP = 20;

/** The picture itself. ECharts comes as a chunk of its own when the first chart is shown. */
export function ChartCanvas({ description, optionFor, heightMin, ref }: ChartCanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<DrawnChart | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const theme = useChartTheme(place);
  const [width, setWidth] = useState(0);

  useEffect(() => {
    let drawn: DrawnChart | null = null;
    let isGone = false;
    import('./echartsRuntime').then(
      ({ drawIn }) => {
        if (isGone || !place.current) return;
        drawn = drawIn(place.current);
        setChart(drawn);
      },
      () => setProblem('The charts could not be loaded from the server. Reload the page.'),
    );
    return () => {
      isGone = true;
      drawn?.dispose();
    };
  }, []);

  useEffect(() => {
    if (!chart || !place.current) return;
    const element = place.current;
    const observer = new ResizeObserver(() => {
      chart.resize();
      setWidth(Math.floor(element.clientWidth / WIDTH_STEP) * WIDTH_STEP);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [chart]);

  useEffect(() => {
    if (chart && theme && width > 0) chart.draw(optionFor(theme, width));
  }, [chart, theme, optionFor, width]);

  useImperativeHandle(ref, () => ({
    png: () => (chart && theme ? chart.png(theme.background) : null),
    svg: async () => {
      const element = place.current;
      if (!element || !theme) return null;
      const { svgText } = await import('./echartsRuntime');
      const text = svgText(
        optionFor(theme, element.clientWidth),
        element.clientWidth,
        element.clientHeight,
      );
      return new Blob([text], { type: 'image/svg+xml' });
    },
  }));

  return (
    <div className="firn-chart-place" style={{ minHeight: heightMin }}>
      {problem && <p role="alert">{problem}</p>}
      <div ref={place} className="firn-chart-canvas" role="img" aria-label={description} />
    </div>
  );
}

/** Read from the element, where variables and light-dark() have become colours; again whenever
 * the page or the system changes its theme. */
function useChartTheme(place: React.RefObject<HTMLElement | null>): ChartTheme | null {
  const [theme, setTheme] = useState<ChartTheme | null>(null);
  useEffect(() => {
    const read = () => {
      if (!place.current) return;
      const style = getComputedStyle(place.current);
      const next: ChartTheme = {
        text: style.color,
        muted: style.caretColor,
        line: style.borderTopColor,
        background: style.backgroundColor,
        font: style.fontFamily,
      };
      setTheme((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    };
    read();
    const observer = new MutationObserver(read);
    for (const element of [document.documentElement, document.body]) {
      observer.observe(element, { attributes: true });
    }
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', read);
    return () => {
      observer.disconnect();
      system.removeEventListener('change', read);
    };
  }, [place]);
  return theme;
}
