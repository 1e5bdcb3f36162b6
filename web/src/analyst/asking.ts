// Asking, running and stopping: what happens to a turn from the question to the rows.
import { type AnalystAnswer, ask, type Reading } from '../api/analyst';
import { isAbort, messageOf } from '../api/failure';
import { newRequestId } from '../api/requestId';
import { CANCELLED, cancelStatement, submit, untilEnded } from '../api/statements';
import { announce } from '../components/announce';
import { shownDuration } from '../components/shownTime';
import { currentRole } from '../shell/role';
import { keepResult } from '../worksheets/run/resultSources';
import {
  answerParts,
  explanationParts,
  historyOf,
  newTurn,
  sentencesBehind,
  sqlOf,
  suggestionsOf,
  type TurnRun,
} from './conversation';
import { addTurn, changeTurn, conversationOf, keepConversation, turnOf } from './conversationStore';
import { modelSource } from './model';
import { saveSoon } from './storedConversations';

/** What goes on of each turn: the stream, then the statement. */
const working = new Map<string, AbortController>();

/** Asks the model of the conversation. The answer's SQL runs as the caller when it is there. */
export async function askQuestion(id: string, question: string): Promise<void> {
  const conversation = conversationOf(id);
  const text = question.trim();
  if (conversation?.model == null || text === '') return;
  const earlier = historyOf(conversation.turns);
  const turn = newTurn(newRequestId(), text, Date.now());
  addTurn(id, turn);
  keepConversation(id);
  const abort = new AbortController();
  working.set(turn.id, abort);
  const change = (changes: Parameters<typeof changeTurn>[2]) => changeTurn(id, turn.id, changes);
  try {
    const speak = speaker();
    const answer = await ask(
      {
        messages: [...earlier, { role: 'user', content: [{ type: 'text', text }] }],
        model: modelSource(conversation.model),
        role: currentRole(),
      },
      {
        onStatus: (status) => change({ status }),
        onAnswer: (partial) => {
          change(answerParts(partial));
          speak(partial);
        },
      },
      abort.signal,
    );
    const tookMs = Date.now() - turn.askedAtMs;
    change({ ...answerParts(answer), state: 'answered', status: 'Done', tookMs });
    saveSoon(id);
    speak(answer, true);
    const answered = turnOf(id, turn.id);
    if (answered && sqlOf(answered) !== null) await runTurn(id, turn.id);
    else if (answered) announceSuggestions(suggestionsOf(answered).length);
  } catch (error) {
    if (isAbort(error) || abort.signal.aborted) change({ state: 'stopped' });
    else change({ state: 'failed', error: messageOf(error) });
    if (abort.signal.aborted) announce('Stopped.');
  } finally {
    if (working.get(turn.id) === abort) working.delete(turn.id);
    saveSoon(id);
  }
}

/** Asks again how the question is read. Answers are quicker without, and few people look. */
export async function explainTurn(id: string, turnId: string): Promise<void> {
  const conversation = conversationOf(id);
  const at = conversation?.turns.findIndex((turn) => turn.id === turnId) ?? -1;
  const turn = conversation?.turns[at];
  if (conversation?.model == null || turn === undefined) return;
  const answer = await ask({
    messages: [
      ...historyOf(conversation.turns.slice(0, at)),
      { role: 'user', content: [{ type: 'text', text: turn.question }] },
    ],
    model: modelSource(conversation.model),
    role: currentRole(),
    explain: true,
  });
  changeTurn(id, turnId, explanationParts(answer));
  saveSoon(id);
}

/** Runs the SQL of a turn as a statement of the caller's. */
export async function runTurn(id: string, turnId: string): Promise<void> {
  const turn = turnOf(id, turnId);
  const statement = turn && sqlOf(turn);
  if (!statement) return;
  const abort = new AbortController();
  working.get(turnId)?.abort();
  working.set(turnId, abort);
  let run: TurnRun = {
    state: 'running',
    handle: null,
    rowCount: null,
    tookMs: null,
    message: null,
    startedAtMs: Date.now(),
  };
  const change = (changes: Partial<TurnRun>) => {
    run = { ...run, ...changes };
    if (working.get(turnId) === abort) changeTurn(id, turnId, { run });
  };
  change({});
  try {
    const role = currentRole();
    const first = await submit({ statement, role, async: true }, abort.signal);
    if (first.statementHandle) change({ handle: first.statementHandle });
    const answer = await untilEnded(first, abort.signal);
    const tookMs = Date.now() - run.startedAtMs;
    if (answer.kind === 'failed') {
      const state = answer.code === CANCELLED ? 'cancelled' : 'failed';
      change({ state, message: answer.message, tookMs });
    } else {
      const source = keepResult(answer);
      change({
        state: 'succeeded',
        handle: answer.statementHandle,
        rowCount: source.rowCount,
        tookMs,
      });
      announce(
        `${source.rowCount} ${source.rowCount === 1 ? 'row' : 'rows'} in ${shownDuration(tookMs)}.`,
      );
    }
  } catch (error) {
    if (abort.signal.aborted) {
      if (run.handle) void cancelStatement(run.handle).catch(() => undefined);
      change({ state: 'cancelled', message: 'Stopped.' });
    } else change({ state: 'failed', message: messageOf(error) });
  } finally {
    if (working.get(turnId) === abort) working.delete(turnId);
    saveSoon(id);
  }
}

/** Takes another reading of the question in the place of the one that is shown. */
export async function chooseReading(id: string, turnId: string, reading: Reading | null) {
  changeTurn(id, turnId, { chosen: reading, chart: null, keptAs: null });
  await runTurn(id, turnId);
}

/** Stops what goes on in the conversation. Tells whether anything did. */
export function stop(id: string): boolean {
  const turns = conversationOf(id)?.turns ?? [];
  const stopped = turns.filter((turn) => working.has(turn.id));
  for (const turn of stopped) working.get(turn.id)?.abort();
  return stopped.length > 0;
}

/** Speaks the text sentence by sentence as it comes, and at the end what is left of it. */
function speaker(): (answer: AnalystAnswer, isEnd?: boolean) => void {
  let place = 0;
  return (answer, isEnd = false) => {
    const text = answer.content.map((one) => (one?.type === 'text' ? one.text : '')).join('\n');
    const next = isEnd
      ? { said: text.slice(place).trim(), place: text.length }
      : sentencesBehind(text, place);
    place = next.place;
    if (next.said !== '') announce(next.said);
  };
}

function announceSuggestions(count: number): void {
  if (count > 0) announce(`${count} ${count === 1 ? 'suggestion' : 'suggestions'} below.`);
}

/** Whether the stream or the statement of any turn is under way. */
export function isWorking(turns: readonly { state: string; run: TurnRun | null }[]): boolean {
  return turns.some((turn) => turn.state === 'asking' || turn.run?.state === 'running');
}
