import { ChartColumn, Table2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { downloadResult } from '../api/download';
import { messageOf } from '../api/failure';
import type { ResultSource } from '../api/resultSource';
import { chooseChart } from '../charts/chooseChart';
import type { ChartChoice } from '../charts/types';
import { announce } from '../components/announce';
import { Button } from '../components/Button';
import { datedFileName } from '../components/fileName';
import { notify } from '../components/notices';
import { ErrorNote, Spinner, Waiting } from '../components/States';
import { shownCount, shownDuration } from '../components/shownTime';
import { useRemote } from '../components/useRemote';
import { ResultPane } from '../grid';
import { keptResult, loadResult } from '../worksheets/run/resultSources';
import './AnswerResult.css';
import { runTurn } from './asking';
import type { Turn, TurnRun } from './conversation';
import { changeTurn } from './conversationStore';
import { saveSoon } from './storedConversations';

const ResultChart = lazy(() =>
  import('../charts').then(({ ResultChart: component }) => ({ default: component })),
);

interface AnswerResultProps {
  conversationId: string;
  turn: Turn;
  number: number;
  run: TurnRun;
}

/** The rows of an answer, with a chart beside them where one says something. */
export function AnswerResult(props: AnswerResultProps) {
  const { conversationId, turn, run } = props;
  const again = <Button onPress={() => void runTurn(conversationId, turn.id)}>Run again</Button>;
  if (run.state === 'running') {
    return (
      <div className="answer-running">
        <Spinner /> Running the SQL …
      </div>
    );
  }
  if (run.state === 'failed') {
    return <ErrorNote message={run.message ?? 'The statement failed.'} actions={again} />;
  }
  if (run.state === 'cancelled' || run.handle === null) {
    return <div className="answer-running">The SQL was stopped. {again}</div>;
  }
  return <StoredRows {...props} handle={run.handle} again={again} />;
}

type StoredRowsProps = AnswerResultProps & { handle: string; again: React.ReactNode };

function StoredRows({ handle, again, ...props }: StoredRowsProps) {
  const kept = keptResult(handle);
  const { value, error } = useRemote(kept ? null : handle, (signal) => loadResult(handle, signal));
  const source = kept ?? value;
  if (error) {
    return (
      <div className="answer-running">
        <span className="secondary">{error}</span> {again}
      </div>
    );
  }
  if (!source) return <Waiting>Reading the result …</Waiting>;
  return <Rows {...props} source={source} />;
}

const ROWS_SHOWN_MAX = 10;

function Rows(props: AnswerResultProps & { source: ResultSource }) {
  const { conversationId, turn, number, run, source } = props;
  const first = useMemo(() => chooseChart(source), [source]);
  const [view, setView] = useState<'table' | 'chart'>(first ? 'chart' : 'table');
  // The same question may be asked twice; the number tells its answers apart.
  const answer = `answer ${number}: “${turn.question}”`;
  const changeChart = (chart: ChartChoice) => {
    changeTurn(conversationId, turn.id, { chart });
    saveSoon(conversationId);
  };
  const fileName = datedFileName(turn.question, run.startedAtMs);
  const download = () => {
    downloadResult(source.handle, 'csv', fileName).catch((error: unknown) =>
      notify(`Not downloaded: ${messageOf(error)}`),
    );
  };
  const shownRows = Math.min(Math.max(source.rowCount, 2), ROWS_SHOWN_MAX);
  return (
    <div className="answer-result" data-view={view} data-chart={first?.type ?? 'none'}>
      <div className="answer-result-head">
        <span className="secondary numbers">
          {shownCount(source.rowCount)} {source.rowCount === 1 ? 'row' : 'rows'}
          {run.tookMs !== null && ` in ${shownDuration(run.tookMs)}`}
        </span>
        {first && (
          <div className="answer-views">
            <ViewButton view="chart" shown={view} onShow={setView} />
            <ViewButton view="table" shown={view} onShow={setView} />
          </div>
        )}
      </div>
      <div className="answer-parts">
        <div className="answer-grid" style={{ '--rows': shownRows } as React.CSSProperties}>
          <ResultPane
            source={source}
            label={`Result of ${answer}`}
            onAnnounce={announce}
            onDownload={download}
          />
        </div>
        {first && (
          <div className="answer-chart">
            <Suspense fallback={<Waiting />}>
              <ResultChart
                source={source}
                label={`Chart of ${answer}`}
                choice={turn.chart}
                onChoiceChange={changeChart}
                pickers="folded"
                fileName={fileName}
              />
            </Suspense>
          </div>
        )}
      </div>
    </div>
  );
}

interface ViewButtonProps {
  view: 'table' | 'chart';
  shown: 'table' | 'chart';
  onShow: (view: 'table' | 'chart') => void;
}

/** Only where the window has no room for both. */
function ViewButton({ view, shown, onShow }: ViewButtonProps) {
  const Icon = view === 'table' ? Table2 : ChartColumn;
  return (
    <AriaButton className="answer-view" aria-pressed={shown === view} onPress={() => onShow(view)}>
      <Icon size={14} aria-hidden="true" />
      {view === 'table' ? 'Table' : 'Chart'}
    </AriaButton>
  );
}
