import { ArrowUp, History, RefreshCw } from 'lucide-react';
import { useRef, useState } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import { Link, useLocation } from 'wouter';
import { useIdentity } from '../api/identity';
import { Button, IconButton } from '../components/Button';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { shownCount } from '../components/shownTime';
import { useIsNarrow } from '../components/useDevice';
import { useRemote } from '../components/useRemote';
import { useAddressQuery } from '../shell/addressQuery';
import { useRole } from '../shell/role';
import { PageTitle } from '../shell/TopBar';
import { HistoryFilters } from './HistoryFilters';
import './HistoryPage.css';
import { HistoryRows } from './HistoryRows';
import { loadStatements } from './historyQuery';
import type { HistoryRow } from './historyRow';
import { type HistoryFilter, LISTED_MAX } from './historySearch';
import { StatementPanel } from './StatementPanel';
import { type HistoryList, useHistory } from './useHistory';

const ROWS_AT_ONCE = 200;

export default function HistoryPage() {
  const me = useIdentity((state) => state.identity?.user ?? null);
  return (
    <>
      <PageTitle>History</PageTitle>
      {me === null ? <Waiting /> : <HistoryOf me={me} />}
    </>
  );
}

function HistoryOf({ me }: { me: string }) {
  const [filter, setFilter] = useState<HistoryFilter>({
    user: me,
    state: 'all',
    hours: 24,
    text: '',
    withOwn: false,
  });
  const [rowsMax, setRowsMax] = useState(ROWS_AT_ONCE);
  const list = useHistory(filter, rowsMax);
  const selectedId = useAddressQuery().get('id');
  const selected = useStatement(selectedId, list.value);
  const isNarrow = useIsNarrow();
  const change = (next: HistoryFilter) => {
    setFilter(next);
    setRowsMax(ROWS_AT_ONCE);
  };
  const rows = (
    <section className="history-side" aria-label="Statements" data-part="list">
      <HistoryFilters filter={filter} me={me} onChange={change} />
      <ListHead list={list} />
      <ListBody
        list={list}
        selectedId={selectedId}
        withUser={filter.user === null}
        onMore={list.value?.length === rowsMax ? () => setRowsMax(rowsMax + ROWS_AT_ONCE) : null}
        isFull={rowsMax >= LISTED_MAX}
      />
    </section>
  );
  const panel = (
    <section className="history-main" aria-label="Statement" data-part="statement">
      {isNarrow && (
        <Link href="/history" className="history-back">
          ← All statements
        </Link>
      )}
      <Chosen id={selectedId} selected={selected} onChange={list.reload} />
    </section>
  );
  if (isNarrow) return selectedId === null ? rows : panel;
  return (
    <Group orientation="horizontal">
      <Panel id="list" minSize={320} defaultSize="52">
        {rows}
      </Panel>
      <Separator className="panel-line" aria-label="Width of the list" />
      <Panel id="statement" minSize={320}>
        {panel}
      </Panel>
    </Group>
  );
}

/** New statements wait behind a button, so that the list stays where it is read. */
function ListHead({ list }: { list: HistoryList }) {
  const { newer, value, error, reload } = list;
  return (
    <div className="history-list-head">
      <span className="secondary numbers">
        {value ? `${shownCount(value.length)} shown` : error ? 'Not read' : 'Loading …'}
      </span>
      {newer > 0 && (
        <Button look="primary" icon={ArrowUp} onPress={reload}>
          Show {newer} new
        </Button>
      )}
      <IconButton icon={RefreshCw} label="Read again" size={14} onPress={reload} />
    </div>
  );
}

interface ListBodyProps {
  list: HistoryList;
  selectedId: string | null;
  withUser: boolean;
  onMore: (() => void) | null;
  /** No more can be shown at once. */
  isFull: boolean;
}

function ListBody({ list, selectedId, withUser, onMore, isFull }: ListBodyProps) {
  const [, go] = useLocation();
  const { value, error } = list;
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  return (
    <>
      <HistoryRows
        rows={value}
        selectedId={selectedId}
        withUser={withUser}
        onOpen={(id) => go(`/history?id=${encodeURIComponent(id)}`)}
      />
      {onMore && (
        <div className="history-more">
          {isFull ? (
            <p className="secondary">
              There are older ones: choose a user, a state or a part of the text.
            </p>
          ) : (
            <Button onPress={onMore}>Show older ones</Button>
          )}
        </div>
      )}
    </>
  );
}

interface ChosenStatement {
  row: HistoryRow | null;
  error: string | null;
  isLoading: boolean;
}

/** From the list, or asked for alone when the address names one that the list does not show. */
function useStatement(id: string | null, rows: readonly HistoryRow[] | undefined): ChosenStatement {
  const role = useRole();
  const listed = rows?.find((row) => row.id === id) ?? null;
  const isAsked = id !== null && rows !== undefined && listed === null;
  const { value, error, isLoading } = useRemote(isAsked ? `${role} ${id}` : null, (signal) =>
    loadStatements([id ?? ''], { role }, signal),
  );
  const found = listed ?? value?.[0] ?? null;
  // While another list loads, the panel stays, and the focus inside it.
  const last = useRef<HistoryRow | null>(null);
  if (found) last.current = found;
  const row = found ?? (last.current?.id === id ? last.current : null);
  return { row, error: isAsked ? error : null, isLoading: rows === undefined || isLoading };
}

interface ChosenProps {
  id: string | null;
  selected: ChosenStatement;
  onChange: () => void;
}

function Chosen({ id, selected, onChange }: ChosenProps) {
  const { row, error, isLoading } = selected;
  if (id === null) return <EmptyState icon={History} title="Choose a statement" />;
  if (row) return <StatementPanel key={row.id} row={row} onChange={onChange} />;
  if (error) return <ErrorNote message={error} />;
  if (isLoading) return <Waiting />;
  return <EmptyState title="The history has no such statement" />;
}
