import { datedFileName } from '../../components/fileName';
import { worksheetOf } from '../worksheetStore';
import type { Outcome, Run } from './run';

/** What files of a result are called: the worksheet, which of several statements, and when it ran. */
export function fileNameOf(worksheetId: string, run: Run, outcome: Outcome): string {
  const name = worksheetOf(worksheetId)?.name ?? 'result';
  const number = run.outcomes.length > 1 ? ` ${run.outcomes.indexOf(outcome) + 1}` : '';
  return datedFileName(`${name}${number}`, run.startedAtMs);
}
