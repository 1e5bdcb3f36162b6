import './grid.css';
import './gridControls.css';
import './value.css';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { copyText } from '../components/copyText';
import { cellText, sqlTypeName, typeFamily } from './cellText';
import { count } from './counts';
import { JsonTree } from './JsonTree';
import { type JsonNode, parseJson } from './jsonText';
import type { Cell, ColumnType, ValuePanelProps } from './types';

const TEXT_SHOWN = 100_000;
/** A tree of more text than this would take longer than people wait. */
const TREE_TEXT_MAX = 4_000_000;

/** The whole value of one cell: JSON as a tree or text, anything else as text. */
export function ValuePanel(props: ValuePanelProps) {
  const { column, value, row, timeZone, gridLabel, onClose, onMove } = props;
  const panel = useRef<HTMLElement>(null);
  const headingId = useId();
  const gridId = useId();
  const bodyId = useId();
  const [isText, setText] = useState(false);
  const [message, setMessage] = useState('');
  const tree = useMemo(() => treeOf(value, column), [value, column]);

  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);

  const text = wholeText(value, column, timeZone);
  const copy = async () => {
    setMessage((await copyText(text ?? '')) ? 'Copied' : 'The browser refused to copy');
  };
  return (
    <section
      ref={panel}
      tabIndex={-1}
      className="firn-value"
      aria-labelledby={`${headingId} ${gridId}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header className="firn-value-head">
        <h3 id={headingId} title={column.name}>
          {column.name} <small>{`${sqlTypeName(column)} · row ${count(row)}`}</small>
        </h3>
        <span id={gridId} hidden>
          {gridLabel}
        </span>
        {onMove && (
          <span className="firn-value-move">
            <button type="button" aria-label="Row above" onClick={() => onMove(-1, 0)}>
              ↑
            </button>
            <button type="button" aria-label="Row below" onClick={() => onMove(1, 0)}>
              ↓
            </button>
            <button type="button" aria-label="Column before" onClick={() => onMove(0, -1)}>
              ←
            </button>
            <button type="button" aria-label="Column after" onClick={() => onMove(0, 1)}>
              →
            </button>
          </span>
        )}
        <button type="button" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      <div className="firn-value-bar">
        {tree && (
          <>
            <button type="button" aria-pressed={!isText} onClick={() => setText(false)}>
              Tree
            </button>
            <button type="button" aria-pressed={isText} onClick={() => setText(true)}>
              Text
            </button>
          </>
        )}
        {text !== null && (
          <button type="button" onClick={copy}>
            Copy
          </button>
        )}
        {text !== null && <span className="firn-value-size">{sizeOf(text, column)}</span>}
        <span role="status">{message}</span>
      </div>
      <section
        id={bodyId}
        className="firn-value-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long values are scrolled by keys
        tabIndex={0}
        aria-label="Value"
        aria-labelledby={`${bodyId} ${headingId} ${gridId}`}
      >
        {value === undefined ? (
          <span className="firn-grid-null">not loaded yet</span>
        ) : value === null ? (
          <span className="firn-grid-null">NULL</span>
        ) : value === '' ? (
          <span className="firn-grid-empty">empty text</span>
        ) : tree && !isText ? (
          <JsonTree key={value} node={tree} />
        ) : (
          <LongText key={value} text={text ?? ''} />
        )}
      </section>
    </section>
  );
}

function LongText({ text }: { text: string }) {
  const [shown, setShown] = useState(TEXT_SHOWN);
  return (
    <>
      <pre className="firn-value-text">{text.slice(0, shown)}</pre>
      {text.length > shown && (
        <button type="button" onClick={() => setShown(shown * 10)}>
          {count(text.length - shown)} more characters
        </button>
      )}
    </>
  );
}

function treeOf(value: Cell, column: ColumnType): JsonNode | null {
  if (value == null || value.length > TREE_TEXT_MAX) return null;
  const family = typeFamily(column);
  if (family !== 'json' && !(family === 'text' && /^\s*[[{]/.test(value))) return null;
  const node = parseJson(value);
  return node?.kind === 'object' || node?.kind === 'array' ? node : null;
}

function wholeText(value: Cell, column: ColumnType, timeZone?: string): string | null {
  if (value == null) return null;
  return typeFamily(column) === 'json' ? value : cellText(value, column, timeZone);
}

function sizeOf(text: string, column: ColumnType): string {
  return typeFamily(column) === 'binary'
    ? count(text.length / 2, 'byte')
    : count(
        [...text.slice(0, 1_000_000)].length + Math.max(0, text.length - 1_000_000),
        'character',
      );
}
