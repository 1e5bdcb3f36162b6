import { useId } from 'react';
import { type NewColumn, TYPES } from './tableColumns';

interface ColumnsEditorProps {
  columns: readonly NewColumn[];
  onChange: (columns: NewColumn[]) => void;
}

/** Names and types that can be changed, and columns that can be left out. */
export function ColumnsEditor({ columns, onChange }: ColumnsEditorProps) {
  const typesId = useId();
  const change = (place: number, changes: Partial<NewColumn>) =>
    onChange(columns.map((one) => (one.place === place ? { ...one, ...changes } : one)));
  return (
    <div className="load-columns">
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
          </tr>
        </thead>
        <tbody>
          {columns.map(({ place, source, name, type, isTaken }) => (
            <tr key={place}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Take column ${source}`}
                  checked={isTaken}
                  onChange={({ target }) => change(place, { isTaken: target.checked })}
                />
              </td>
              <td className="mono">{source}</td>
              <td>
                <input
                  className="load-input mono"
                  aria-label={`Name of column ${source}`}
                  value={name}
                  disabled={!isTaken}
                  spellCheck={false}
                  onChange={({ target }) => change(place, { name: target.value })}
                />
              </td>
              <td>
                <input
                  className="load-input mono"
                  aria-label={`Type of column ${source}`}
                  list={typesId}
                  value={type}
                  disabled={!isTaken}
                  spellCheck={false}
                  onChange={({ target }) => change(place, { type: target.value })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
