import { lazy, Suspense, useCallback } from 'react';
import { downloadResult } from '../api/download';
import { messageOf } from '../api/failure';
import type { ResultSource } from '../api/resultSource';
import { announce } from '../components/announce';
import { notify } from '../components/notices';
import { ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import type { WrapRequest } from '../grid';
import { runAtCursor } from './actions';
import { appendStatement } from './insert';
import { keptResult, loadResult } from './run/resultSources';
import type { Outcome, Run } from './run/run';
import { changeOutcome, changeRun } from './run/runStore';

const ResultPane = lazy(() =>
  import('../grid').then(({ ResultPane: component }) => ({ default: component })),
);

const ResultChart = lazy(() =>
  import('../charts').then(({ ResultChart: component }) => ({ default: component })),
);

interface ResultViewProps {
  worksheetId: string;
  run: Run;
  outcome: Outcome;
}

export function ResultView(props: ResultViewProps) {
  const { message, handle } = props.outcome;
  // The words above say it all.
  if (message !== null) return null;
  return handle === null ? null : <StoredResult {...props} handle={handle} />;
}

function StoredResult({ handle, ...props }: ResultViewProps & { handle: string }) {
  const kept = keptResult(handle);
  const { value, error } = useRemote(kept ? null : handle, (signal) => loadResult(handle, signal));
  const source = kept ?? value;
  if (error) return <ErrorNote message={error} />;
  if (!source) return <Waiting>Reading the result …</Waiting>;
  return <Rows {...props} source={source} />;
}

function Rows({ worksheetId, run, outcome, source }: ResultViewProps & { source: ResultSource }) {
  const number = run.outcomes.indexOf(outcome) + 1;
  const name = run.outcomes.length > 1 ? `statement ${number}` : 'the statement';
  const wrap = useCallback(
    (request: WrapRequest) => {
      appendStatement(request.toSql(outcome.text));
      runAtCursor();
    },
    [outcome.text],
  );
  const download = () => {
    downloadResult(source.handle, 'csv').catch((error: unknown) =>
      notify(`Not downloaded: ${messageOf(error)}`),
    );
  };
  if (run.view === 'chart') {
    return (
      <Suspense fallback={<Waiting />}>
        <ResultChart
          className="result-chart"
          source={source}
          label={`Chart of ${name}`}
          choice={outcome.chart}
          onChoiceChange={(chart) => changeOutcome(worksheetId, run.id, number - 1, { chart })}
          onShowTable={() => changeRun(worksheetId, run.id, { view: 'table' })}
          fileName={`chart-${source.handle.slice(0, 8)}`}
        />
      </Suspense>
    );
  }
  return (
    <Suspense fallback={<Waiting />}>
      <ResultPane
        className="result-grid"
        source={source}
        label={`Result of ${name}`}
        onAnnounce={announce}
        onDownload={download}
        onWrapQuery={isQuery(outcome.text) ? wrap : undefined}
      />
    </Suspense>
  );
}

/** Only a query can stand in a FROM clause. */
function isQuery(text: string): boolean {
  return /^(select|with|values|\()/i.test(text);
}
