import { SquareTerminal } from 'lucide-react';
import { SESSION_BUSY } from '../api/keptSessions';
import { Button } from '../components/Button';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { shownKeys } from '../shell/shortcuts';
import { cancelEarlier } from './actions';
import { goToInEditor } from './Editor';
import { Introduction } from './Introduction';
import { OutcomeChips } from './OutcomeChips';
import './ResultArea.css';
import { ResultHead } from './ResultHead';
import { ResultView } from './ResultView';
import { errorNow } from './run/placeNow';
import type { Outcome, Run } from './run/run';
import { changeRun } from './run/runStore';
import type { Worksheet } from './worksheet';
import { worksheetOf } from './worksheetStore';

export function ResultArea({ worksheet, run }: { worksheet: Worksheet; run: Run | null }) {
  const outcome = run?.outcomes[run.selected] ?? null;
  const select = (selected: number) =>
    run && changeRun(worksheet.id, run.id, { selected, isChosen: true });
  return (
    <section className="result-area" aria-label="Result" data-part="result">
      <h2 className="visually-hidden">Result</h2>
      {run && outcome ? (
        <>
          {run.outcomes.length > 1 && <OutcomeChips run={run} onSelect={select} />}
          <ResultHead worksheetId={worksheet.id} run={run} outcome={outcome} />
          {run.note && (
            <p className="result-note secondary" role="status">
              {run.note}
            </p>
          )}
          <OutcomeBody worksheetId={worksheet.id} run={run} outcome={outcome} />
        </>
      ) : (
        <NothingRun />
      )}
    </section>
  );
}

function NothingRun() {
  return (
    <>
      <Introduction />
      <EmptyState icon={SquareTerminal} title="Results appear here">
        <kbd>{shownKeys('Mod+Enter')}</kbd> runs the statement at the cursor,{' '}
        <kbd>{shownKeys('Mod+Shift+Enter')}</kbd> all of them.
      </EmptyState>
    </>
  );
}

interface OutcomeBodyProps {
  worksheetId: string;
  run: Run;
  outcome: Outcome;
}

function OutcomeBody({ worksheetId, run, outcome }: OutcomeBodyProps) {
  const { state, error } = outcome;
  if (state === 'failed' && error) {
    const sheet = worksheetOf(worksheetId)?.text ?? '';
    const offset = errorNow(sheet, outcome);
    return (
      <ErrorNote
        message={error.message}
        actions={
          error.code === SESSION_BUSY ? (
            <Button onPress={() => void cancelEarlier(worksheetId)}>Cancel it</Button>
          ) : (
            offset !== null && (
              <Button onPress={() => goToInEditor(offset)}>
                {`Go to line ${sheet.slice(0, offset).split('\n').length}`}
              </Button>
            )
          )
        }
      />
    );
  }
  if (state === 'succeeded') {
    return <ResultView worksheetId={worksheetId} run={run} outcome={outcome} />;
  }
  if (state === 'cancelled') return <EmptyState title="Cancelled" />;
  if (state === 'skipped') {
    return <EmptyState title="Did not run, since a statement before it failed" />;
  }
  if (state === 'waiting') return <EmptyState title="Waits for the statements before it" />;
  return <Waiting>Running …</Waiting>;
}
