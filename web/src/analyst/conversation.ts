// Conversations with the analyst: what is kept of them, and what is sent of them with a question.
import type {
  AnalystAnswer,
  AnalystMessage,
  AnswerBlock,
  Reading,
  VerifiedQueryUsed,
  WordLink,
} from '../api/analyst';
import type { ChartChoice } from '../charts/types';
import type { ModelChoice } from './model';

export interface TurnRun {
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  handle: string | null;
  rowCount: number | null;
  tookMs: number | null;
  /** The server's words, if it failed. */
  message: string | null;
  startedAtMs: number;
}

/** A question and its answer. */
export interface Turn {
  id: string;
  question: string;
  askedAtMs: number;
  state: 'asking' | 'answered' | 'stopped' | 'failed';
  status: string;
  error: string | null;
  requestId: string;
  content: AnswerBlock[];
  warnings: string[];
  confidence: number | null;
  category: string | null;
  unusedWords: string[];
  /** Null: not asked for yet. */
  links: WordLink[] | null;
  readings: Reading[];
  tookMs: number | null;
  /** Another reading that was chosen in the place of the answer's. */
  chosen: Reading | null;
  run: TurnRun | null;
  chart: ChartChoice | null;
  feedback: { positive: boolean; note: string } | null;
  keptAs: string | null;
}

export interface Conversation {
  id: string;
  /** Empty until the first question; then the name of its file. */
  name: string;
  model: ModelChoice | null;
  turns: Turn[];
  changedMs: number;
  /** The version that the server has. */
  etag: string | null;
  saving: 'saved' | 'waiting' | 'failed';
  saveError: string | null;
}

export function newTurn(id: string, question: string, nowMs: number): Turn {
  return {
    id,
    question,
    askedAtMs: nowMs,
    state: 'asking',
    status: 'Asking',
    error: null,
    requestId: '',
    content: [],
    warnings: [],
    confidence: null,
    category: null,
    unusedWords: [],
    links: null,
    readings: [],
    tookMs: null,
    chosen: null,
    run: null,
    chart: null,
    feedback: null,
    keptAs: null,
  };
}

/** The parts of an answer that a turn keeps. */
export function answerParts(answer: AnalystAnswer): Partial<Turn> {
  const { metadata } = answer;
  return {
    requestId: answer.requestId,
    content: answer.content.filter((block) => block !== undefined),
    warnings: answer.warnings.map(({ message }) => message),
    confidence: typeof metadata.confidence === 'number' ? metadata.confidence : null,
    category: metadata.question_category ?? null,
    unusedWords: metadata.unused_words ?? [],
  };
}

/** What an answer that was asked to explain itself tells. What the judge looked at is left out. */
export function explanationParts({ metadata }: AnalystAnswer): Pick<Turn, 'links' | 'readings'> {
  const { links = [], readings = [] } = metadata.explanation ?? {};
  return {
    links: links.map(({ text, targets }) => ({ text, targets })),
    readings: readings.map(({ restatement, sql, explained }) => ({ restatement, sql, explained })),
  };
}

/** The SQL that the turn stands for: of the reading that was chosen, else of the answer. */
export function sqlOf(turn: Turn): string | null {
  return turn.chosen ? turn.chosen.sql : answeredSql(turn);
}

function answeredSql(turn: Turn): string | null {
  const block = turn.content.find((one) => one.type === 'sql');
  return block?.type === 'sql' && block.statement !== '' ? block.statement : null;
}

export function verifiedOf(turn: Turn): VerifiedQueryUsed | null {
  if (turn.chosen) return null;
  const block = turn.content.find((one) => one.type === 'sql');
  return block?.type === 'sql' ? (block.confidence?.verified_query_used ?? null) : null;
}

export function suggestionsOf(turn: Turn): string[] {
  return turn.content.flatMap((block) => (block.type === 'suggestions' ? block.suggestions : []));
}

const PREFACE = /^This is our interpretation of your question:\s*/;

/** What was understood, in paragraphs, without the sentence that says so each time. */
export function paragraphsOf(turn: Turn): string[] {
  if (turn.chosen) return [turn.chosen.restatement];
  const texts = turn.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts
    .join('\n\n')
    .replace(PREFACE, '')
    .split(/\n{2,}/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

const READINGS_MAX = 6;

/** The readings besides the one that is shown, each once. */
export function otherReadings(turn: Turn): Reading[] {
  const seen = new Set([sqlOf(turn), answeredSql(turn)].map((sql) => bare(sql ?? '')));
  const said = new Set([turn, { ...turn, chosen: null }].map((one) => paragraphsOf(one)[0]));
  return turn.readings
    .filter(({ sql, restatement }) => {
      if (seen.has(bare(sql)) || said.has(restatement)) return false;
      seen.add(bare(sql));
      said.add(restatement);
      return true;
    })
    .slice(0, READINGS_MAX);
}

/** SQL without comments at its end, so that equal statements compare equal. */
function bare(sql: string): string {
  return sql
    .replaceAll(/^--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The server takes 200 messages. */
const TURNS_SENT_MAX = 40;

/** The conversation before a question, as the analyst takes it. */
export function historyOf(turns: readonly Turn[]): AnalystMessage[] {
  return turns
    .filter(({ state }) => state === 'answered')
    .slice(-TURNS_SENT_MAX)
    .flatMap((turn): AnalystMessage[] => {
      const statement = sqlOf(turn);
      const content: AnswerBlock[] = [{ type: 'text', text: paragraphsOf(turn).join('\n\n') }];
      if (statement !== null) {
        const verified_query_used = verifiedOf(turn);
        content.push({ type: 'sql', statement, confidence: { verified_query_used } });
      } else if (suggestionsOf(turn).length > 0) {
        content.push({ type: 'suggestions', suggestions: suggestionsOf(turn) });
      }
      return [
        // Follow-ups are read after the questions before them, so a reading that was chosen is asked
        // in its own words.
        {
          role: 'user',
          content: [{ type: 'text', text: turn.chosen?.restatement ?? turn.question }],
        },
        { role: 'analyst', content },
      ];
    });
}

/** The turns of both copies of a conversation, in the order in which they were asked. Of a turn in both, ours counts, unless
 * it was left before its answer came. */
export function mergeTurns(theirs: readonly Turn[], ours: readonly Turn[]): Turn[] {
  const merged = new Map(theirs.map((turn) => [turn.id, turn]));
  for (const turn of ours) {
    const isAnswered = merged.get(turn.id)?.state === 'answered';
    if (!isAnswered || turn.state !== 'stopped') merged.set(turn.id, turn);
  }
  return [...merged.values()].sort((one, other) => one.askedAtMs - other.askedAtMs);
}

/** The whole sentences of a text behind a place, for those who hear it while it comes. */
export function sentencesBehind(text: string, place: number): { said: string; place: number } {
  const rest = text.slice(place);
  const end = /^[\s\S]*[.!?:](?=\s)/.exec(rest)?.[0].length ?? 0;
  return { said: rest.slice(0, end).trim(), place: place + end };
}
