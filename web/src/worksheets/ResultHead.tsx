import { ChartColumn, Download, Gauge, Table2 } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { type DownloadFormat, downloadResult } from '../api/download';
import { messageOf } from '../api/failure';
import { IconButton } from '../components/Button';
import { copyText } from '../components/copyText';
import { MenuButton, MenuItem } from '../components/Menu';
import { notify } from '../components/notices';
import { shownCount, shownDuration } from '../components/shownTime';
import { Tip } from '../components/Tip';
import { goToInEditor } from './Editor';
import { STATE_WORDS, StateIcon } from './OutcomeChips';
import { fileNameOf } from './run/fileNameOf';
import { statementNow } from './run/placeNow';
import type { Outcome, Run } from './run/run';
import { changeRun } from './run/runStore';
import { useElapsed } from './useElapsed';
import { worksheetOf } from './worksheetStore';

interface ResultHeadProps {
  worksheetId: string;
  run: Run;
  outcome: Outcome;
}

/** What became of the statement, in one line: rows, time, query, and how to look at it. */
export function ResultHead({ worksheetId, run, outcome }: ResultHeadProps) {
  const { state, handle, text } = outcome;
  const show = () => {
    const start = statementNow(worksheetOf(worksheetId)?.text ?? '', outcome);
    if (start === null) notify('This statement was edited since it ran.');
    else goToInEditor(start);
  };
  const hasRows = state === 'succeeded' && outcome.message === null;
  return (
    <div className="result-head">
      <span className="result-state">
        <StateIcon state={state} />
        {state === 'running' || state === 'waiting' ? (
          <RunningWords run={run} />
        ) : (
          <EndedWords outcome={outcome} />
        )}
      </span>
      {handle && <QueryId handle={handle} />}
      <Tip text="The text that was run. Show it in the editor">
        <AriaButton className="result-text one-line mono" onPress={show}>
          {text.replaceAll(/\s+/g, ' ').slice(0, 300)}
        </AriaButton>
      </Tip>
      {hasRows && handle && (
        <div className="result-tools">
          <ViewButton worksheetId={worksheetId} run={run} view="table" />
          <ViewButton worksheetId={worksheetId} run={run} view="chart" />
          <ViewButton worksheetId={worksheetId} run={run} view="profile" />
          <DownloadMenu handle={handle} fileName={fileNameOf(worksheetId, run, outcome)} />
        </div>
      )}
    </div>
  );
}

function EndedWords({ outcome }: { outcome: Outcome }) {
  const { state, rowCount, message, tookMs, error } = outcome;
  const what =
    state === 'succeeded'
      ? (message ?? `${shownCount(rowCount ?? 0)} ${rowCount === 1 ? 'row' : 'rows'}`)
      : STATE_WORDS[state];
  return (
    <>
      <strong className="numbers">{what}</strong>
      {tookMs !== null && <span className="secondary numbers">{shownDuration(tookMs)}</span>}
      {state === 'failed' && error?.code && <span className="secondary">{error.code}</span>}
    </>
  );
}

function RunningWords({ run }: { run: Run }) {
  const elapsedMs = useElapsed(run);
  const { phase, percent, rows, statement } = run.progress ?? {};
  return (
    <>
      <strong className="numbers">{(elapsedMs / 1000).toFixed(1)} s</strong>
      <span className="secondary numbers">
        {statement !== undefined &&
          run.outcomes.length > 1 &&
          `statement ${statement} of ${run.outcomes.length}: `}
        {phase ?? 'running'}
        {percent != null && `, ${Math.floor(percent)} %`}
        {rows ? `, ${shownCount(rows)} rows` : ''}
      </span>
    </>
  );
}

function QueryId({ handle }: { handle: string }) {
  const copy = () =>
    void copyText(handle).then((copied) => copied && notify('The query id is copied.'));
  return (
    <Tip text={`Query ${handle}. Click to copy`}>
      <AriaButton
        className="result-query mono"
        onPress={copy}
        aria-label={`Copy the query id ${handle}`}
      >
        {handle.slice(0, 8)}
      </AriaButton>
    </Tip>
  );
}

const VIEWS = {
  table: { name: 'Table', icon: Table2 },
  chart: { name: 'Chart', icon: ChartColumn },
  profile: { name: 'Profile', icon: Gauge },
} as const;

function ViewButton(props: { worksheetId: string; run: Run; view: Run['view'] }) {
  const { worksheetId, run, view } = props;
  const { name, icon: Icon } = VIEWS[view];
  return (
    <AriaButton
      className="result-view"
      aria-pressed={run.view === view}
      onPress={() => changeRun(worksheetId, run.id, { view })}
    >
      <Icon size={14} aria-hidden="true" />
      {name}
    </AriaButton>
  );
}

function DownloadMenu({ handle, fileName }: { handle: string; fileName: string }) {
  const download = (format: DownloadFormat) => {
    downloadResult(handle, format, fileName).catch((error: unknown) =>
      notify(`Not downloaded: ${messageOf(error)}`),
    );
  };
  return (
    <MenuButton
      label="Download all rows"
      placement="bottom end"
      button={<IconButton icon={Download} label="Download all rows" />}
    >
      <MenuItem onAction={() => download('csv')}>CSV</MenuItem>
      <MenuItem onAction={() => download('jsonl')}>JSON lines</MenuItem>
      <MenuItem onAction={() => download('parquet')}>Parquet</MenuItem>
    </MenuButton>
  );
}
