import { useRef, useState } from 'react';
import { ResultGrid } from './ResultGrid';
import type { CellPosition, ResultGridHandle, ResultGridProps } from './types';
import { useRowSource } from './useRowSource';
import { ValuePanel } from './ValuePanel';

/** The grid with its value panel beside it, which follows the active cell. */
export function ResultPane(props: Omit<ResultGridProps, 'ref' | 'onOpenCell' | 'onActiveCell'>) {
  const { source } = props;
  const grid = useRef<ResultGridHandle>(null);
  const [opened, setOpened] = useState<{ source: object; at: CellPosition } | null>(null);
  useRowSource(source);
  const at = opened?.source === source ? opened.at : null;
  const column = at && source.rowType[at.column];
  return (
    <div className="firn-pane">
      <ResultGrid
        {...props}
        ref={grid}
        onOpenCell={(position) => setOpened({ source, at: position })}
        onActiveCell={(position) =>
          setOpened((before) => (before?.source === source ? { source, at: position } : before))
        }
      />
      {at && column && (
        <ValuePanel
          column={column}
          value={source.cell(at.row, at.column)}
          timeZone={source.timeZone}
          row={at.row + 1}
          gridLabel={props.label}
          onClose={() => setOpened(null)}
          onMove={(rows, columns) => grid.current?.move(rows, columns)}
        />
      )}
    </div>
  );
}
