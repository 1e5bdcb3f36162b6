import { CircleAlert, CircleCheck, CircleSlash, Clock, History } from 'lucide-react';
import { GridList, GridListItem, ListLayout, Virtualizer } from 'react-aria-components';
import { Spinner } from '../components/States';
import { shownCount, shownDuration } from '../components/shownTime';
import { useIsNarrow } from '../components/useDevice';
import type { HistoryRow, HistoryState } from './historyRow';

interface HistoryRowsProps {
  rows: readonly HistoryRow[];
  selectedId: string | null;
  withUser: boolean;
  onOpen: (id: string) => void;
}

export function HistoryRows({ rows, selectedId, withUser, onOpen }: HistoryRowsProps) {
  const isNarrow = useIsNarrow();
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight: isNarrow ? 56 : 44 }}>
      <GridList
        className="history-list"
        data-part-focus=""
        aria-label="Statements, the newest first"
        items={rows}
        dependencies={[selectedId, withUser]}
        onAction={(key) => onOpen(String(key))}
        renderEmptyState={() => (
          <p className="history-empty">
            <History size={20} aria-hidden="true" /> No statement fits.
          </p>
        )}
      >
        {(row) => <Row row={row} isSelected={row.id === selectedId} withUser={withUser} />}
      </GridList>
    </Virtualizer>
  );
}

interface RowProps {
  row: HistoryRow;
  isSelected: boolean;
  withUser: boolean;
}

function Row({ row, isSelected, withUser }: RowProps) {
  const text = row.text.slice(0, 300).replaceAll(/\s+/g, ' ').trim();
  const facts = [
    withUser ? row.user : null,
    row.warehouse,
    row.state === 'running' || row.state === 'queued' ? null : shownDuration(row.elapsedMs),
    row.rows === null ? null : `${shownCount(row.rows)} ${row.rows === 1 ? 'row' : 'rows'}`,
    row.tag || null,
  ].filter((fact) => fact !== null);
  return (
    <GridListItem
      id={row.id}
      textValue={`${row.state}: ${text}`}
      className={isSelected ? 'history-row history-row-selected' : 'history-row'}
    >
      <StateSign state={row.state} />
      <span className="history-row-text">
        <span className="mono one-line">{text}</span>
        <span className="one-line secondary numbers">{facts.join(' · ')}</span>
      </span>
      <time className="history-time secondary numbers">{shownMoment(row.startedAtMs)}</time>
    </GridListItem>
  );
}

const SIGNS = {
  succeeded: CircleCheck,
  failed: CircleAlert,
  cancelled: CircleSlash,
  queued: Clock,
};

export const STATE_NAMES: Record<HistoryState, string> = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
  queued: 'Queued',
  running: 'Running',
};

export function StateSign({ state }: { state: HistoryState }) {
  const Icon = state === 'running' ? null : SIGNS[state];
  return (
    <span className={`history-state history-state-${state}`}>
      {Icon ? <Icon size={15} aria-hidden="true" /> : <Spinner />}
      <span>{STATE_NAMES[state]}</span>
    </span>
  );
}

/** The time of day, with the date where it is not today's. */
export function shownMoment(ms: number): string {
  const moment = new Date(ms);
  const time = moment.toLocaleTimeString('en-GB');
  const day = moment.toLocaleDateString('en-CA');
  return day === new Date().toLocaleDateString('en-CA') ? time : `${day} ${time}`;
}
