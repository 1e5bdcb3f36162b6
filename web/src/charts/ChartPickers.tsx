import type { ColumnType } from '../grid/types';
import { columnRole } from './columnRoles';
import type { Aggregation, ChartChoice, ChartType } from './types';

const TYPES: readonly { type: ChartType; name: string }[] = [
  { type: 'bar', name: 'Bars' },
  { type: 'line', name: 'Line' },
  { type: 'area', name: 'Area' },
  { type: 'scatter', name: 'Dots' },
  { type: 'pie', name: 'Pie' },
  { type: 'number', name: 'Number' },
];
const AGGREGATIONS: readonly { aggregation: Aggregation; name: string }[] = [
  { aggregation: 'none', name: 'as it is' },
  { aggregation: 'sum', name: 'sum' },
  { aggregation: 'avg', name: 'average' },
  { aggregation: 'count', name: 'count of rows' },
  { aggregation: 'min', name: 'least' },
  { aggregation: 'max', name: 'greatest' },
];

export interface ChartPickersProps {
  rowType: readonly ColumnType[];
  choice: ChartChoice;
  onChange(choice: ChartChoice): void;
}

export function ChartPickers({ rowType, choice, onChange }: ChartPickersProps) {
  const { type } = choice;
  const isPlotted = type !== 'number';
  const columns = rowType.map((column, index) => ({ index, name: column.name, column }));
  const measures = columns.filter(({ column }) => {
    const role = columnRole(column);
    return role === 'measure' || role === 'key' || column.type === 'fixed';
  });
  return (
    <div className="firn-chart-pickers">
      <label>
        Chart
        <select
          value={type}
          onChange={(event) => onChange(withType(choice, event.target.value as ChartType, rowType))}
        >
          {TYPES.map((known) => (
            <option key={known.type} value={known.type}>
              {known.name}
            </option>
          ))}
        </select>
      </label>
      {isPlotted && (
        <ColumnPicker
          label={type === 'scatter' ? 'X' : type === 'pie' ? 'Slices' : 'Axis'}
          none="number of the row"
          columns={columns}
          value={choice.x}
          onChange={(x) => onChange({ ...choice, x })}
        />
      )}
      <MeasurePicker
        columns={measures}
        value={choice.measures}
        onChange={(picked) =>
          onChange({
            ...choice,
            measures: picked,
            aggregation: picked.length === 0 ? 'count' : choice.aggregation,
          })
        }
      />
      {isPlotted && type !== 'pie' && (
        <ColumnPicker
          label="Colour by"
          none="measure"
          columns={columns}
          value={choice.series}
          onChange={(series) => onChange({ ...choice, series })}
        />
      )}
      {type !== 'scatter' && (
        <label>
          Values
          <select
            value={choice.aggregation}
            onChange={(event) =>
              onChange({ ...choice, aggregation: event.target.value as Aggregation })
            }
          >
            {AGGREGATIONS.map((known) => (
              <option key={known.aggregation} value={known.aggregation}>
                {known.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {(type === 'bar' || type === 'area') && (
        <Flag
          name="Stacked"
          value={choice.stacked}
          onChange={(stacked) => onChange({ ...choice, stacked })}
        />
      )}
      {type === 'bar' && (
        <Flag
          name="Horizontal"
          value={choice.horizontal}
          onChange={(horizontal) => onChange({ ...choice, horizontal })}
        />
      )}
    </div>
  );
}

interface PickableColumn {
  index: number;
  name: string;
}

interface ColumnPickerProps {
  label: string;
  none: string;
  columns: readonly PickableColumn[];
  value: number | null;
  onChange(column: number | null): void;
}

function ColumnPicker({ label, none, columns, value, onChange }: ColumnPickerProps) {
  return (
    <label>
      {label}
      <select
        value={value ?? ''}
        onChange={(event) =>
          onChange(event.target.value === '' ? null : Number(event.target.value))
        }
      >
        <option value="">({none})</option>
        {columns.map(({ index, name }) => (
          <option key={index} value={index}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface MeasurePickerProps {
  columns: readonly PickableColumn[];
  value: readonly number[];
  onChange(measures: number[]): void;
}

function MeasurePicker({ columns, value, onChange }: MeasurePickerProps) {
  const names = columns.filter(({ index }) => value.includes(index)).map(({ name }) => name);
  return (
    <details
      className="firn-chart-measures"
      onBlur={(event) => {
        const to = event.relatedTarget;
        if (to instanceof Node && !event.currentTarget.contains(to))
          event.currentTarget.open = false;
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !event.currentTarget.open) return;
        event.stopPropagation();
        event.currentTarget.open = false;
        event.currentTarget.querySelector('summary')?.focus();
      }}
    >
      <summary>
        <span className="firn-chart-label">Measures</span> {names.join(', ') || 'rows'}
      </summary>
      <fieldset>
        <legend>Measures</legend>
        {columns.map(({ index, name }) => (
          <Flag
            key={index}
            name={name}
            value={value.includes(index)}
            onChange={(isPicked) =>
              onChange(isPicked ? [...value, index] : value.filter((other) => other !== index))
            }
          />
        ))}
        {columns.length === 0 && <span>No column of numbers</span>}
      </fieldset>
    </details>
  );
}

interface FlagProps {
  name: string;
  value: boolean;
  onChange(value: boolean): void;
}

function Flag({ name, value, onChange }: FlagProps) {
  return (
    <label className="firn-chart-flag">
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
      {name}
    </label>
  );
}

/** Keeps what the new type can use and fills in what it cannot do without. */
export function withType(
  choice: ChartChoice,
  type: ChartType,
  rowType: readonly ColumnType[],
): ChartChoice {
  const next: ChartChoice = { ...choice, type };
  const numbers = rowType.flatMap((column, index) =>
    columnRole(column) === 'measure' ? [index] : [],
  );
  if (next.measures.length === 0 && (type === 'scatter' || type === 'number')) {
    next.measures = numbers.slice(0, 1);
  }
  if (type === 'scatter' && next.x === null) {
    next.x = numbers.find((column) => !next.measures.includes(column)) ?? null;
  }
  if (type === 'scatter') return { ...next, stacked: false, horizontal: false };
  if (type === 'pie') return { ...next, series: null, measures: next.measures.slice(0, 1) };
  if (type === 'number') {
    const aggregation =
      choice.type === 'number' || choice.aggregation !== 'none' ? choice.aggregation : 'sum';
    return { ...next, x: null, series: null, aggregation };
  }
  return next;
}
