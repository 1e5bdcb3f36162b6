import './charts.css';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { saveFile } from '../components/saveFile';
import type { RowSource } from '../grid/types';
import { useRowSource } from '../grid/useRowSource';
import { ChartCanvas, type ChartPictures } from './ChartCanvas';
import { ChartPickers } from './ChartPickers';
import { ChartTable } from './ChartTable';
import { type ChartData, chartData, neededColumns, ROWS_READ_MAX } from './chartData';
import { type ChartTheme, chartOption } from './chartOption';
import { chartQuery } from './chartQuery';
import { chooseChart } from './chooseChart';
import { axisNames, chartNotes, describeChart } from './describeChart';
import { copyPicture } from './exportChart';
import { NumberChart } from './NumberChart';
import type { ChartChoice, ResultChartProps } from './types';
import { useChartRows } from './useChartRows';

/** A chart of any result, with pickers. Waits for the first rows to make its first choice. */
export function ResultChart(props: ResultChartProps) {
  const { source, onChoiceChange } = props;
  useRowSource(source);
  const [picked, setPicked] = useState<{ source: RowSource; choice: ChartChoice } | null>(null);
  const isLoaded = source.rowCount === 0 || source.cell(0, 0) !== undefined;
  useFirstRows(source, isLoaded);
  const first = useMemo(() => (isLoaded ? chooseChart(source) : null), [source, isLoaded]);
  const own = picked?.source === source ? picked.choice : null;
  const choice = own ?? usable(props.choice, source) ?? first;

  if (source.rowCount === 0) return <p className="firn-chart-none">No rows to draw</p>;
  if (!choice && !isLoaded) {
    return <p className="firn-chart-none">{source.error ?? 'Waiting for rows'}</p>;
  }
  return (
    <ChartOf
      {...props}
      choice={choice ?? ROWS_COUNTED}
      onChoiceChange={(next) => {
        setPicked({ source, choice: next });
        onChoiceChange?.(next);
      }}
    />
  );
}

/** Enough to tell which columns have few values. */
const FIRST_ROWS = 2_000;

const ROWS_COUNTED: ChartChoice = {
  type: 'number',
  x: null,
  series: null,
  measures: [],
  aggregation: 'count',
  stacked: false,
  horizontal: false,
};

interface ChartOfProps extends ResultChartProps {
  choice: ChartChoice;
  onChoiceChange(choice: ChartChoice): void;
}

function ChartOf(props: ChartOfProps) {
  const { source, label, choice, onChoiceChange, onShowTable, onWrapQuery } = props;
  const { fileName = 'chart', pickers = 'shown' } = props;
  const pictures = useRef<ChartPictures>(null);
  const [message, setMessage] = useState('');
  const [isPicking, setPicking] = useState(pickers === 'shown');
  const { rows, error } = useChartRows(source, neededColumns(choice));
  const data = useMemo(() => chartData(rows, choice), [rows, choice]);
  const names = useMemo(() => axisNames(choice, source), [choice, source]);
  const optionFor = useCallback(
    (theme: ChartTheme, width: number) => chartOption(choice, data, names, theme, width),
    [choice, data, names],
  );
  const rowsToRead = Math.min(ROWS_READ_MAX, source.rowCount);
  const notes = chartNotes(choice, data, source, rowsToRead);
  const isSample = source.rowCount > ROWS_READ_MAX;
  const isNumber = choice.type === 'number';

  const save = async (kind: 'png' | 'svg') => {
    const blob = kind === 'png' ? pictures.current?.png() : await pictures.current?.svg();
    if (blob) saveFile(`${fileName}.${kind}`, blob);
  };
  const copy = async () => {
    const blob = pictures.current?.png();
    if (blob) setMessage(await copyPicture(blob));
  };
  return (
    <section className={`firn-chart ${props.className ?? ''}`} aria-label={label}>
      {isPicking && (
        <ChartPickers rowType={source.rowType} choice={choice} onChange={onChoiceChange} />
      )}
      {(notes.length > 0 || error) && (
        <p className="firn-chart-note">
          {error && <span role="alert">Rows could not be loaded: {error} </span>}
          {notes.join(' ')}{' '}
          {isSample && onWrapQuery && choice.type !== 'scatter' && (
            <button
              type="button"
              onClick={() =>
                onWrapQuery({
                  choice,
                  toSql: (statement) => chartQuery(statement, source.rowType, choice),
                })
              }
            >
              All rows: group in a query
            </button>
          )}
        </p>
      )}
      {isNumber ? (
        <NumberChart source={source} choice={choice} data={data} label={label} />
      ) : (
        <ChartCanvas
          ref={pictures}
          description={describeChart(choice, data, names)}
          optionFor={optionFor}
          heightMin={heightMin(choice, data)}
        />
      )}
      {!isNumber && <ChartTable data={data} x={names.x} label={label} />}
      <div className="firn-chart-bar">
        {pickers === 'folded' && (
          <button type="button" aria-expanded={isPicking} onClick={() => setPicking(!isPicking)}>
            Change chart
          </button>
        )}
        {onShowTable && (
          <button type="button" onClick={onShowTable}>
            Show as table
          </button>
        )}
        {!isNumber && (
          <>
            <button type="button" onClick={copy}>
              Copy picture
            </button>
            <button type="button" onClick={() => save('png')}>
              PNG
            </button>
            <button type="button" onClick={() => save('svg')}>
              SVG
            </button>
          </>
        )}
        <span role="status">{message}</span>
      </div>
    </section>
  );
}

const BAR_HEIGHT = 16;
const AXIS_HEIGHT = 80;
const HEIGHT_MIN = 220;

/** Horizontal bars have their names one below the other. */
function heightMin({ type, horizontal }: ChartChoice, { categories }: ChartData): number {
  const names = type === 'bar' && horizontal ? categories.length : 0;
  return Math.max(names * BAR_HEIGHT + AXIS_HEIGHT, HEIGHT_MIN);
}

function useFirstRows(source: RowSource, isLoaded: boolean): void {
  useEffect(() => {
    if (!isLoaded) source.ensure(0, Math.min(FIRST_ROWS, source.rowCount) - 1);
  }, [source, isLoaded]);
}

function usable(choice: ChartChoice | null | undefined, source: RowSource): ChartChoice | null {
  if (!choice) return null;
  const columns = [choice.x, choice.series, ...choice.measures].filter((column) => column !== null);
  return columns.every((column) => column >= 0 && column < source.rowType.length) ? choice : null;
}
