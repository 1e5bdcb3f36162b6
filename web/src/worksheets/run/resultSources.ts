// The results that are shown or were shown lately, by handle. One that has been dropped, or is of the
// time before a reload, is fetched again while the server keeps it.
import { ApiFailure } from '../../api/failure';
import { ResultSource } from '../../api/resultSource';
import { fetchStatement, type ResultAnswer } from '../../api/statements';

const KEPT_MAX = 24;
const kept = new Map<string, ResultSource>();

export function keepResult(answer: ResultAnswer): ResultSource {
  const source = new ResultSource(answer);
  kept.set(answer.statementHandle, source);
  for (const handle of kept.keys()) {
    if (kept.size <= KEPT_MAX) break;
    kept.delete(handle);
  }
  return source;
}

export function keptResult(handle: string): ResultSource | undefined {
  return kept.get(handle);
}

export async function loadResult(handle: string, signal?: AbortSignal): Promise<ResultSource> {
  const found = kept.get(handle);
  if (found) return found;
  const answer = await fetchStatement(handle, signal);
  if (answer.kind === 'result') return keepResult(answer);
  throw new ApiFailure(422, {
    message:
      answer.kind === 'failed'
        ? 'The server does not keep this result any more. Run the statement again.'
        : 'The statement is still running.',
  });
}
