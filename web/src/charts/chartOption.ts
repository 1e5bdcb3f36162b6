import type {
  BarSeriesOption,
  LineSeriesOption,
  PieSeriesOption,
  ScatterSeriesOption,
} from 'echarts/charts';
import type {
  GridComponentOption,
  LegendComponentOption,
  TooltipComponentOption,
} from 'echarts/components';
import type { ComposeOption } from 'echarts/core';
import { OTHERS_COLOUR, seriesColours } from './chartColours';
import type { ChartData } from './chartData';
import { compactNumber, groupedNumber } from './numberText';
import { levelParts, placeLabels } from './placeLabels';
import { timeLabels } from './timeLabels';
import type { ChartChoice } from './types';

export type ChartOption = ComposeOption<
  | BarSeriesOption
  | LineSeriesOption
  | PieSeriesOption
  | ScatterSeriesOption
  | GridComponentOption
  | LegendComponentOption
  | TooltipComponentOption
>;

/** Colours as the page resolves them, since a canvas knows no CSS variables. */
export interface ChartTheme {
  text: string;
  muted: string;
  line: string;
  background: string;
  font: string;
}

export interface AxisNames {
  x: string;
  y: string;
}

const SYMBOLS_MAX = 60;
const LEGEND_HEIGHT = 28;
/** Letters of a name at an axis. */
const LABEL_MAX = 24;

export function chartOption(
  choice: ChartChoice,
  data: ChartData,
  names: AxisNames,
  theme: ChartTheme,
  width: number,
): ChartOption {
  const seriesNames =
    choice.type === 'pie'
      ? data.categories
      : choice.type === 'scatter'
        ? data.points.map((series) => series.name)
        : data.series.map((series) => series.name);
  // Slices bear their names.
  const hasLegend = choice.type !== 'pie' && seriesNames.length > 1;
  const common: ChartOption = {
    animation: false,
    useUTC: true,
    backgroundColor: theme.background,
    textStyle: { color: theme.text, fontFamily: theme.font, fontSize: 12 },
    legend: {
      show: hasLegend,
      type: 'scroll',
      icon: 'roundRect',
      itemWidth: 14,
      itemHeight: 8,
      top: 2,
      left: 8,
      right: 8,
      textStyle: { color: theme.text },
      pageTextStyle: { color: theme.muted },
      formatter: (name: string) => shorten(name, 40),
    },
    // The tooltip of HTML would need styles that the content-security policy forbids.
    tooltip: {
      renderMode: 'richText',
      confine: true,
      transitionDuration: 0,
      backgroundColor: theme.background,
      borderColor: theme.line,
      textStyle: { color: theme.text, fontFamily: theme.font, fontSize: 12 },
    },
  };
  const colours = seriesColours(seriesNames);
  if (choice.type === 'pie') return { ...common, ...pie(data, colours, theme) };
  const grid = { left: 16, right: 24, top: hasLegend ? LEGEND_HEIGHT + 24 : 36, bottom: 36 };
  if (choice.type === 'scatter') {
    return { ...common, grid, ...scatter(data, colours, names, theme) };
  }
  return { ...common, grid, ...barsOrLines(choice, data, colours, names, theme, width) };
}

function barsOrLines(
  choice: ChartChoice,
  data: ChartData,
  colours: Map<string, string>,
  names: AxisNames,
  theme: ChartTheme,
  width: number,
): ChartOption {
  const isBar = choice.type === 'bar';
  const isHorizontal = isBar && choice.horizontal;
  const instants = isBar ? null : data.instants;
  const places = instants
    ? {
        ...axisLook(theme),
        type: 'time' as const,
        splitLine: { show: false },
        axisLabel: { color: theme.muted, hideOverlap: true, formatter: timeLabels(instants) },
      }
    : {
        ...axisLook(theme),
        type: 'category' as const,
        data: [...data.categories],
        inverse: isHorizontal,
        axisLabel: {
          color: theme.muted,
          formatter: (name: string) => shorten(name, LABEL_MAX),
          ...(isHorizontal
            ? { interval: 0 }
            : placeLabels(
                data.categories.map((name) => shorten(name, LABEL_MAX)),
                width,
              )),
        },
      };
  const values = {
    ...axisLook(theme),
    ...valueAxis(theme),
    name: names.y,
    ...(isHorizontal
      ? { nameLocation: 'middle' as const, nameGap: 26, splitNumber: levelParts(width) }
      : { nameTextStyle: leftName(theme) }),
  };
  return {
    ...(isHorizontal ? { xAxis: values, yAxis: places } : { xAxis: places, yAxis: values }),
    tooltip: {
      trigger: 'axis',
      axisPointer: { type: isBar ? 'shadow' : 'line', animation: false },
      formatter: (hovered) => axisTooltip(hovered, data),
      ...tooltipLook(theme),
    },
    series: data.series.map(({ name, values: texts }) => {
      const numbers = texts.map(finite);
      const points = instants
        ? numbers.map((value, index) => [instants[index] ?? null, value])
        : numbers;
      const common = {
        name,
        data: points as (number | null)[],
        color: colours.get(name),
        stack: choice.stacked ? 'all' : undefined,
      };
      if (isBar) {
        return { ...common, data: bars(numbers, data), type: 'bar' as const, barMaxWidth: 48 };
      }
      return {
        ...common,
        type: 'line' as const,
        lineStyle: { width: 2 },
        symbolSize: 5,
        showSymbol: texts.length <= SYMBOLS_MAX,
        sampling: 'lttb' as const,
        connectNulls: false,
        areaStyle: choice.type === 'area' ? { opacity: choice.stacked ? 0.6 : 0.2 } : undefined,
      };
    }),
  };
}

/** NaN and infinity have no place in a picture. */
function finite(text: string | null): number | null {
  const value = text === null ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The others stand out from what is itself, unless colours tell series apart. */
function bars(numbers: readonly (number | null)[], { othersCount, series }: ChartData) {
  const isApart = othersCount > 0 && series.length === 1;
  return numbers.map((value, index) =>
    isApart && index === numbers.length - 1
      ? { value: value as number, itemStyle: { color: OTHERS_COLOUR } }
      : (value as number),
  );
}

function scatter(
  data: ChartData,
  colours: Map<string, string>,
  names: AxisNames,
  theme: ChartTheme,
): ChartOption {
  const count = data.points.reduce((sum, series) => sum + series.points.length, 0);
  return {
    xAxis: {
      ...axisLook(theme),
      ...valueAxis(theme),
      scale: true,
      name: names.x,
      nameLocation: 'middle',
      nameGap: 28,
    },
    yAxis: {
      ...axisLook(theme),
      ...valueAxis(theme),
      scale: true,
      name: names.y,
      nameTextStyle: leftName(theme),
    },
    tooltip: {
      trigger: 'item',
      formatter: (hovered) => {
        const point = Array.isArray(hovered) ? hovered[0] : hovered;
        const pair = Array.isArray(point?.value) ? point.value : [];
        return plain(`${point?.seriesName ?? ''}\n${pair.map(String).join(' · ')}`);
      },
      ...tooltipLook(theme),
    },
    series: data.points.map(({ name, points }) => ({
      type: 'scatter' as const,
      name,
      data: points.map((pair) => [...pair]),
      color: colours.get(name),
      symbolSize: count > 2000 ? 4 : 7,
      itemStyle: { opacity: count > 500 ? 0.55 : 0.8 },
      large: points.length > 5000,
    })),
  };
}

function pie(data: ChartData, colours: Map<string, string>, theme: ChartTheme): ChartOption {
  const values = data.series[0]?.values ?? [];
  return {
    tooltip: {
      trigger: 'item',
      formatter: (hovered) => {
        const slice = Array.isArray(hovered) ? hovered[0] : hovered;
        const at = slice?.dataIndex ?? -1;
        const share = slice && 'percent' in slice ? ` (${String(slice.percent)} %)` : '';
        return plain(`${data.categories[at] ?? ''}\n${groupedNumber(values[at] ?? '')}${share}`);
      },
      ...tooltipLook(theme),
    },
    series: [
      {
        type: 'pie',
        radius: ['0%', '68%'],
        center: ['50%', '52%'],
        label: { color: theme.text, formatter: (slice) => plain(shorten(slice.name, 24)) },
        itemStyle: { borderColor: theme.background, borderWidth: 1 },
        data: data.categories.map((name, index) => ({
          name,
          value: finite(values[index] ?? null) ?? 0,
          itemStyle: { color: colours.get(name) },
        })),
      },
    ],
  };
}

function axisTooltip(hovered: unknown, data: ChartData): string {
  const items: unknown[] = Array.isArray(hovered) ? hovered : [hovered];
  const lines: string[] = [];
  for (const item of items) {
    if (typeof item !== 'object' || item === null) continue;
    const { dataIndex, seriesIndex } = item as { dataIndex: number; seriesIndex: number };
    const series = data.series[seriesIndex];
    const text = series?.values[dataIndex];
    if (lines.length === 0) lines.push(data.categories[dataIndex] ?? '');
    if (series && text != null) lines.push(`${shorten(series.name, 40)}: ${groupedNumber(text)}`);
  }
  return plain(lines.join('\n'));
}

function axisLook(theme: ChartTheme) {
  return {
    nameTextStyle: { color: theme.muted },
    axisLine: { onZero: false, lineStyle: { color: theme.line } },
    axisTick: { lineStyle: { color: theme.line } },
    axisLabel: { color: theme.muted },
    splitLine: { lineStyle: { color: theme.line } },
  };
}

/** Above the axis, beginning at its left, so that a long name is not cut. */
function leftName(theme: ChartTheme) {
  return { color: theme.muted, align: 'left' as const, padding: [0, 0, 0, -12] };
}

function valueAxis(theme: ChartTheme) {
  return {
    type: 'value' as const,
    scale: false,
    axisLabel: { color: theme.muted, formatter: compactNumber },
  };
}

function tooltipLook(theme: ChartTheme) {
  return {
    renderMode: 'richText' as const,
    confine: true,
    transitionDuration: 0,
    backgroundColor: theme.background,
    borderColor: theme.line,
    textStyle: { color: theme.text, fontFamily: theme.font, fontSize: 12 },
  };
}

function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** `{a|b}` would be read as a style of the tooltip; a zero-width space keeps it text. */
function plain(text: string): string {
  return text.replaceAll('{', '{\u200b');
}
