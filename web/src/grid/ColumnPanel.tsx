import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { sqlTypeName, typeFamily } from './cellText';
import { comparableText } from './rowView';
import type { ColumnType, FilterOperator, RowSource } from './types';
import type { SortAndFilter } from './useRowView';

export interface ColumnPanelProps {
  source: RowSource;
  index: number;
  arranged: SortAndFilter;
  /** Place of the column's header in the frame. */
  left: number;
  top: number;
  viewWidth: number;
  onFit(): void;
  onCopyName(name: string): void;
  onClose(): void;
}

const PANEL_WIDTH = 320;
const UNKNOWN: ColumnType = { name: '', type: 'text', nullable: true };

const OPERATORS: readonly { operator: FilterOperator; name: string; text: boolean }[] = [
  { operator: 'contains', name: 'contains', text: true },
  { operator: 'equals', name: '=', text: true },
  { operator: 'not-equals', name: '≠', text: true },
  { operator: 'less', name: '<', text: true },
  { operator: 'greater', name: '>', text: true },
  { operator: 'starts-with', name: 'starts with', text: true },
  { operator: 'null', name: 'is NULL', text: false },
  { operator: 'not-null', name: 'is not NULL', text: false },
];

/** Sort, filter and width of one column, beneath its header. */
export function ColumnPanel(props: ColumnPanelProps) {
  const { source, index, arranged, onClose } = props;
  const column = source.rowType[index] ?? UNKNOWN;
  const filter = arranged.filters.find((known) => known.column === index);
  const first =
    typeFamily(column) === 'text' || typeFamily(column) === 'json' ? 'contains' : 'equals';
  const [operator, setOperator] = useState<FilterOperator>(filter?.operator ?? first);
  const [text, setText] = useState(filter?.text ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const panel = useRef<HTMLDivElement>(null);
  const headingId = useId();
  const problemId = useId();

  useEffect(() => {
    panel.current?.querySelector('button')?.focus();
  }, []);

  const apply = (event: FormEvent) => {
    event.preventDefault();
    const wantsText = OPERATORS.find((known) => known.operator === operator)?.text === true;
    const isComparison = wantsText && operator !== 'contains' && operator !== 'starts-with';
    if (isComparison && comparableText(text, column, source.timeZone) === null) {
      return setProblem(`“${text}” is no value of type ${sqlTypeName(column)}.`);
    }
    arranged.filterBy(index, { column: index, operator, text: wantsText ? text : '' });
    onClose();
  };

  const then = (act: () => void) => () => {
    act();
    onClose();
  };
  return (
    <div
      ref={panel}
      role="dialog"
      aria-labelledby={headingId}
      className="firn-grid-panel"
      style={{
        left: Math.max(0, Math.min(props.left, props.viewWidth - PANEL_WIDTH)),
        top: props.top,
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
      onBlur={(event) => {
        const to = event.relatedTarget;
        if (to instanceof Node && !event.currentTarget.contains(to)) onClose();
      }}
    >
      <h3 id={headingId} className="firn-grid-panel-name">
        {column.name} <small>{sqlTypeName(column)}</small>
      </h3>
      <div className="firn-grid-panel-line">
        <button
          type="button"
          onClick={then(() => arranged.sortBy({ column: index, descending: false }))}
        >
          Sort ▲<span className="firn-grid-hidden"> ascending</span>
        </button>
        <button
          type="button"
          onClick={then(() => arranged.sortBy({ column: index, descending: true }))}
        >
          Sort ▼<span className="firn-grid-hidden"> descending</span>
        </button>
        <button type="button" onClick={then(props.onFit)}>
          Fit width
        </button>
        <button type="button" onClick={then(() => props.onCopyName(column.name))}>
          Copy name
        </button>
      </div>
      <form className="firn-grid-panel-line" onSubmit={apply}>
        <select
          aria-label="Condition"
          value={operator}
          onChange={(event) => setOperator(event.target.value as FilterOperator)}
        >
          {OPERATORS.map((known) => (
            <option key={known.operator} value={known.operator}>
              {known.name}
            </option>
          ))}
        </select>
        <input
          aria-label="Value"
          aria-invalid={problem !== null}
          aria-describedby={problem ? problemId : undefined}
          value={text}
          disabled={operator === 'null' || operator === 'not-null'}
          onChange={(event) => {
            setText(event.target.value);
            setProblem(null);
          }}
        />
        <button type="submit">Filter</button>
        {filter && (
          <button type="button" onClick={then(() => arranged.filterBy(index, null))}>
            Remove
          </button>
        )}
      </form>
      {problem && (
        <p id={problemId} role="alert" className="firn-grid-problem">
          {problem}
        </p>
      )}
      <p className="firn-grid-panel-note">Sorts and filters the rows that are loaded.</p>
    </div>
  );
}
