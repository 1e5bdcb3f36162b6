import { useId } from 'react';
import type { FileContent } from './readFile';
import { type NewColumn, nameNotes, TYPES } from './tableColumns';

interface ColumnsEditorProps {
  columns: readonly NewColumn[];
  content: FileContent;
  onChange: (columns: NewColumn[]) => void;
}

/** Names and types that can be changed, columns that can be left out, and the first rows beside them. */
export function ColumnsEditor({ columns, content, onChange }: ColumnsEditorProps) {
  const typesId = useId();
  const change = (place: number, changes: Partial<NewColumn>) =>
    onChange(columns.map((one) => (one.place === place ? { ...one, ...changes } : one)));
  const { rows, rowsError } = content;
  const notes = nameNotes(content.columns);
  const isRepeated = (source: string) => columns.filter((one) => one.source === source).length > 1;
  const calledAs = ({ source, place }: NewColumn) =>
    source === '' ? `${place}` : isRepeated(source) ? `${source} (${place})` : source;
  return (
    <>
      {notes.length > 0 && (
        <div className="load-notes" role="status">
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
      )}
      <section className="load-columns" aria-label="Columns and first rows">
        <datalist id={typesId}>
          {TYPES.map((type) => (
            <option key={type} value={type} />
          ))}
        </datalist>
        <table className="plain-table">
          <caption className="visually-hidden">Columns of the new table</caption>
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">Taken</span>
              </th>
              <th scope="col">In the file</th>
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              {rows.map((_, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
                <th key={row} scope="col">
                  Row {row + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map((column) => {
              const { place, source, name, type, isTaken } = column;
              const called = calledAs(column);
              return (
                <tr key={place}>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Take column ${called}`}
                      checked={isTaken}
                      onChange={({ target }) => change(place, { isTaken: target.checked })}
                    />
                  </td>
                  <td className="mono">
                    {source || <span className="load-nothing">no name</span>}
                  </td>
                  <td>
                    <input
                      className="load-input mono"
                      aria-label={`Name of column ${called}`}
                      value={name}
                      disabled={!isTaken}
                      spellCheck={false}
                      onChange={({ target }) => change(place, { name: target.value })}
                    />
                  </td>
                  <td>
                    <input
                      className="load-input mono"
                      aria-label={`Type of column ${called}`}
                      list={typesId}
                      value={type}
                      disabled={!isTaken}
                      spellCheck={false}
                      onChange={({ target }) => change(place, { type: target.value })}
                    />
                  </td>
                  {rows.map((cells, row) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
                    <td key={row} className="load-value mono">
                      <Value text={cells[place - 1] ?? null} />
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {rowsError && <p className="secondary">Its first rows cannot be shown: {rowsError}</p>}
      {rows.length === 0 && !rowsError && <p className="secondary">It has no rows.</p>}
    </>
  );
}

const SHOWN_MAX = 60;

function Value({ text }: { text: string | null }) {
  if (text === null || text === '') {
    return <span className="load-nothing">{text === null ? 'NULL' : 'empty'}</span>;
  }
  return <span title={text.slice(0, 400)}>{text.slice(0, SHOWN_MAX)}</span>;
}
