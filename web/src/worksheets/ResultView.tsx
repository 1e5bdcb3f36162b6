import { lazy, Suspense, useCallback } from 'react';
import { downloadResult } from '../api/download';
import { messageOf } from '../api/failure';
import type { ResultSource } from '../api/resultSource';
import type { StatementContext } from '../api/statements';
import { announce } from '../components/announce';
import { notify } from '../components/notices';
import { ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import type { WrapRequest } from '../grid';
import { parseUse } from '../sql/useStatement';
import { runAtCursor } from './actions';
import { appendStatement } from './insert';
import { fileNameOf } from './run/fileNameOf';
import { keptResult, loadResult } from './run/resultSources';
import type { Outcome, Run } from './run/run';
import { changeOutcome, changeRun } from './run/runStore';
import { contextAfter } from './run/runUse';

const ResultPane = lazy(() =>
  import('../grid').then(({ ResultPane: component }) => ({ default: component })),
);

const ResultChart = lazy(() =>
  import('../charts').then(({ ResultChart: component }) => ({ default: component })),
);

const ProfileView = lazy(() =>
  import('../profile/ProfileView').then(({ ProfileView: component }) => ({ default: component })),
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
  if (handle === null) return null;
  return props.run.view === 'profile' ? (
    <OutcomeProfile key={handle} {...props} handle={handle} />
  ) : (
    <StoredResult {...props} handle={handle} />
  );
}

/** What takes longer is run again only when it is asked for. */
const UNASKED_MS_MAX = 10_000;

function OutcomeProfile({ worksheetId, run, outcome, handle }: StoredResultProps) {
  const number = run.outcomes.indexOf(outcome);
  return (
    <Suspense fallback={<Waiting />}>
      <ProfileView
        handle={outcome.profiledHandle ?? handle}
        statement={outcome.text}
        context={contextAt(run, number)}
        isRunUnasked={(outcome.tookMs ?? 0) <= UNASKED_MS_MAX}
        onProfiled={(profiledHandle) =>
          changeOutcome(worksheetId, run.id, number, { profiledHandle })
        }
      />
    </Suspense>
  );
}

/** Where a statement of a script ran: after the USE before it. */
function contextAt({ context, outcomes }: Run, number: number): StatementContext {
  return outcomes.slice(0, number).reduce((before, { text }) => {
    const use = parseUse(text);
    return use === null ? before : contextAfter(before, use);
  }, context);
}

type StoredResultProps = ResultViewProps & { handle: string };

function StoredResult({ handle, ...props }: StoredResultProps) {
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
  const fileName = fileNameOf(worksheetId, run, outcome);
  const download = () => {
    downloadResult(source.handle, 'csv', fileName).catch((error: unknown) =>
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
          fileName={fileName}
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
