import { Ban, Copy, SquareTerminal } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { messageOf } from '../api/failure';
import { useIdentity } from '../api/identity';
import { runQuery, sqlText } from '../api/query';
import { cancelStatement } from '../api/statements';
import { announce } from '../components/announce';
import { Button, IconButton } from '../components/Button';
import { copyText } from '../components/copyText';
import { notify } from '../components/notices';
import { FactList } from '../components/PlainTable';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { shownCount, shownDuration } from '../components/shownTime';
import { Tabs } from '../components/Tabs';
import { useRemote } from '../components/useRemote';
import { CodeView } from '../editor/CodeView';
import { ResultPane } from '../grid';
import { useRole } from '../shell/role';
import { openWorksheet } from '../worksheets/open';
import { loadResult } from '../worksheets/run/resultSources';
import { StateSign } from './HistoryRows';
import type { HistoryRow } from './historyRow';

const ProfileView = lazy(() =>
  import('../profile/ProfileView').then(({ ProfileView: component }) => ({ default: component })),
);

interface StatementPanelProps {
  row: HistoryRow;
  /** Something was done that the list should look at. */
  onChange: () => void;
}

/** All there is to know of one statement, and what to do with it. */
export function StatementPanel({ row, onChange }: StatementPanelProps) {
  const [tab, setTab] = useState('statement');
  const isMine = useIdentity((state) => state.identity?.user === row.user);
  const isOver = row.state !== 'running' && row.state !== 'queued';
  const tabs = [
    { id: 'statement', name: 'Statement', content: <StatementText row={row} /> },
    ...(isMine && row.state === 'succeeded'
      ? [{ id: 'result', name: 'Result', content: <StatementResult id={row.id} /> }]
      : []),
    ...(isMine && isOver
      ? [
          {
            id: 'profile',
            name: 'Profile',
            content: (
              <Suspense fallback={<Waiting />}>
                <ProfileView handle={row.id} statement={row.text} context={contextOf(row)} />
              </Suspense>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <PanelHead row={row} isMine={isMine} isOver={isOver} onChange={onChange} />
      <Tabs
        label="About the statement"
        selected={tabs.some(({ id }) => id === tab) ? tab : 'statement'}
        onSelect={setTab}
        tabs={tabs}
      />
    </>
  );
}

function contextOf({ role, warehouse, database, schema }: HistoryRow) {
  return { role, warehouse, database, schema };
}

interface PanelHeadProps extends StatementPanelProps {
  isMine: boolean;
  isOver: boolean;
}

function PanelHead({ row, isMine, isOver, onChange }: PanelHeadProps) {
  const role = useRole();
  const [state, setState] = useState<{ isCancelling: boolean; error: string | null }>({
    isCancelling: false,
    error: null,
  });
  const cancel = async () => {
    setState({ isCancelling: true, error: null });
    try {
      if (isMine) await cancelStatement(row.id);
      else await runQuery(`SELECT SYSTEM$CANCEL_QUERY(${sqlText(row.id)})`, { role });
      announce('The statement is cancelled.');
      setState({ isCancelling: false, error: null });
      onChange();
    } catch (error) {
      setState({ isCancelling: false, error: messageOf(error) });
    }
  };
  const again = () =>
    openWorksheet({ name: 'From the history', text: row.text, context: contextOf(row) });
  return (
    <header className="history-head">
      <h2>
        <StateSign state={row.state} />
      </h2>
      <div className="history-head-actions">
        {!isOver && (
          <Button icon={Ban} isDisabled={state.isCancelling} onPress={() => void cancel()}>
            {state.isCancelling ? 'Cancelling …' : 'Cancel'}
          </Button>
        )}
        <Button icon={SquareTerminal} onPress={again}>
          Run again …
        </Button>
      </div>
      {state.error && <ErrorNote message={state.error} />}
    </header>
  );
}

function StatementText({ row }: { row: HistoryRow }) {
  const copy = () =>
    void copyText(row.id).then((copied) => copied && notify('The query id is copied.'));
  const shown = (ms: number | null) => (ms === null ? null : new Date(ms).toLocaleString('en-GB'));
  return (
    <div className="history-panel">
      {row.errorMessage && (
        <ErrorNote title={row.errorCode ?? undefined} message={row.errorMessage} />
      )}
      <CodeView text={row.text} label="Text of the statement" />
      <FactList
        facts={[
          ['Query id', <QueryId key="id" id={row.id} onCopy={copy} />],
          ['Kind', row.type],
          ['User', row.user],
          ['Role', row.role],
          ['Warehouse', row.warehouse],
          ['Schema', row.database && [row.database, row.schema].filter(Boolean).join('.')],
          ['Began', shown(row.startedAtMs)],
          ['Ended', shown(row.endedAtMs)],
          ['Took', row.endedAtMs === null ? null : shownDuration(row.elapsedMs)],
          ['Waited for its turn', row.queuedMs > 0 ? shownDuration(row.queuedMs) : null],
          ['Rows', row.rows === null ? null : shownCount(row.rows)],
          ['Tag', row.tag],
        ]}
      />
    </div>
  );
}

function QueryId({ id, onCopy }: { id: string; onCopy: () => void }) {
  return (
    <span className="history-id">
      <span className="mono">{id}</span>
      <IconButton icon={Copy} label="Copy the query id" size={13} onPress={onCopy} />
    </span>
  );
}

function StatementResult({ id }: { id: string }) {
  const { value, error } = useRemote(id, (signal) => loadResult(id, signal));
  if (error) return <EmptyState title="The result is not there any more">{error}</EmptyState>;
  if (!value) return <Waiting>Reading the result …</Waiting>;
  return (
    <div className="history-result">
      <ResultPane source={value} label="Result of the statement" onAnnounce={announce} />
    </div>
  );
}
