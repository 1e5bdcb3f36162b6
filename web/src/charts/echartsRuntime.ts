// Only what the console draws, in a chunk that is loaded with the first chart.

import { BarChart, LineChart, PieChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';
import type { ChartOption } from './chartOption';

use([
  BarChart,
  LineChart,
  PieChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  CanvasRenderer,
  SVGRenderer,
]);

export interface DrawnChart {
  draw(option: ChartOption): void;
  resize(): void;
  png(background: string): Blob;
  dispose(): void;
}

export function drawIn(element: HTMLElement): DrawnChart {
  const chart = init(element, null, { renderer: 'canvas' });
  return {
    draw: (option) => chart.setOption(option, { notMerge: true }),
    resize: () => chart.resize(),
    png: (background) =>
      blobOf(chart.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: background })),
    dispose: () => chart.dispose(),
  };
}

export function svgText(option: ChartOption, width: number, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption(option);
  const text = chart.renderToSVGString();
  chart.dispose();
  return text;
}

/** Without `fetch`, which the content-security policy does not let read data: addresses. */
function blobOf(dataUrl: string): Blob {
  const binary = atob(dataUrl.slice(dataUrl.indexOf(',') + 1));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  return new Blob([bytes], { type: 'image/png' });
}
