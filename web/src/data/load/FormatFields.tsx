import { Select } from '../../components/Select';
import { ENCODINGS, type FileFormat, type FileKind } from './fileFormat';

interface FormatFieldsProps {
  format: FileFormat;
  onChange: (format: FileFormat) => void;
}

const KINDS: readonly FileKind[] = ['CSV', 'JSON', 'PARQUET'];
const DELIMITERS = [
  { id: ',', name: 'comma' },
  { id: ';', name: 'semicolon' },
  { id: '\t', name: 'tab' },
  { id: '|', name: 'bar' },
];

/** How the file is read, where the guess was wrong. */
export function FormatFields({ format, onChange }: FormatFieldsProps) {
  return (
    <div className="load-format">
      <Select
        label="Kind of file"
        value={format.kind}
        choices={KINDS.map((kind) => ({ id: kind, name: kind }))}
        onChange={(kind) => onChange({ ...format, kind: kind as FileKind })}
      />
      {format.kind === 'CSV' && (
        <>
          <Select
            label="Between the values"
            value={format.delimiter}
            choices={DELIMITERS}
            onChange={(delimiter) => onChange({ ...format, delimiter })}
          />
          <Select
            label="Encoding"
            value={format.encoding}
            choices={ENCODINGS}
            onChange={(encoding) => onChange({ ...format, encoding })}
          />
          <label className="load-check">
            <input
              type="checkbox"
              checked={format.hasHeader}
              onChange={({ target }) => onChange({ ...format, hasHeader: target.checked })}
            />
            The first line has the names
          </label>
        </>
      )}
    </div>
  );
}
