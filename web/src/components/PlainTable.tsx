// Short lists to read: columns of a table, grants, users. Results of statements belong in the grid.
import { type Key, type ReactNode, useId } from 'react';
import './PlainTable.css';

export interface PlainColumn<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right; actions have no heading that is seen. */
  look?: 'number' | 'actions';
}

export interface PlainTableProps<Row> {
  label: string;
  columns: readonly PlainColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => Key;
  isSelected?: (row: Row) => boolean;
  /** Shown over the whole width below its row. */
  below?: (row: Row) => ReactNode;
  empty?: ReactNode;
}

export function PlainTable<Row>(props: PlainTableProps<Row>) {
  const { label, columns, rows, rowKey, isSelected, below, empty = 'None' } = props;
  const captionId = useId();
  if (rows.length === 0) return <p className="secondary plain-table-empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="plain-table-frame" aria-labelledby={captionId} tabIndex={0}>
      <table className="plain-table">
        <caption id={captionId} className="visually-hidden">
          {label}
        </caption>
        <thead>
          <tr>
            {columns.map(({ name, look }) => (
              <th key={name} scope="col" className={look && `plain-table-${look}`}>
                {look === 'actions' ? <span className="visually-hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <PlainRow
              key={rowKey(row)}
              row={row}
              columns={columns}
              isSelected={isSelected?.(row) ?? false}
              below={below?.(row)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PlainRowProps<Row> {
  row: Row;
  columns: readonly PlainColumn<Row>[];
  isSelected: boolean;
  below: ReactNode;
}

function PlainRow<Row>({ row, columns, isSelected, below }: PlainRowProps<Row>) {
  return (
    <>
      <tr data-selected={isSelected}>
        {columns.map(({ name, cell, look }) => (
          <td key={name} className={look && `plain-table-${look}`}>
            {cell(row)}
          </td>
        ))}
      </tr>
      {below && (
        <tr>
          <td colSpan={columns.length}>{below}</td>
        </tr>
      )}
    </>
  );
}

/** Names with their values; those without a value are left out. */
export function FactList({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return (
    <dl className="fact-list">
      {known.map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
