// The analyst: questions with streamed answers, feedback, verified queries.
import { ApiFailure } from './failure';
import { sendJson } from './http';
import { serverEvents } from './serverEvents';

const ANALYST = '/api/v2/assistant/analyst';

export interface VerifiedQueryUsed {
  name?: string;
  question?: string;
  sql?: string;
  verified_at?: number | string | null;
  verified_by?: string | null;
}

export type AnswerBlock =
  | { type: 'text'; text: string }
  | {
      type: 'sql';
      statement: string;
      confidence?: { verified_query_used: VerifiedQueryUsed | null };
    }
  | { type: 'suggestions'; suggestions: string[] }
  | { type: 'results'; query_id: string }
  | { type: 'chart'; chart_spec: string };

export interface AnalystMessage {
  role: 'user' | 'analyst';
  content: AnswerBlock[];
}

/** A part of the question and what of the model it was taken for. */
export interface WordLink {
  text: string;
  targets: string[];
}

/** One way to read the question. */
export interface Reading {
  restatement: string;
  sql: string;
  score?: number;
  /** Share of the question's words that it explains, from 0 to 1. */
  explained?: number;
}

export interface AnalystMetadata {
  confidence?: number;
  question_category?: 'CLEAR_SQL' | 'ONBOARDING' | 'AMBIGUOUS' | 'UNANSWERABLE' | string;
  unused_words?: string[];
  analyst_orchestration_path?: string;
  search_retrieval?: unknown;
  semantic_model_selection?: unknown;
  explanation?: { links?: WordLink[]; readings?: Reading[] };
  [field: string]: unknown;
}

export type ModelSource =
  | { semantic_view: string }
  | { semantic_model_file: string }
  | { semantic_model: string };

export interface AnalystQuestion {
  messages: AnalystMessage[];
  model: ModelSource;
  role?: string | null;
  warehouse?: string | null;
  /** Asks for the links of words and the other readings too. */
  explain?: boolean;
  operation?: 'sql_generation' | 'answer_generation';
}

export interface AnalystAnswer {
  requestId: string;
  content: AnswerBlock[];
  warnings: { message: string }[];
  metadata: AnalystMetadata;
}

export interface StreamListener {
  onStatus?: (message: string, status: string) => void;
  /** Called with the whole answer as far as it has come. */
  onAnswer?: (answer: AnalystAnswer) => void;
}

/** Asks and follows the stream. Aborting the signal stops the work on the server. */
export async function ask(
  question: AnalystQuestion,
  listener: StreamListener = {},
  signal?: AbortSignal,
): Promise<AnalystAnswer> {
  const { messages, model, role, warehouse, explain, operation } = question;
  const body = {
    messages,
    ...model,
    stream: true,
    ...(warehouse ? { warehouse } : {}),
    ...(operation ? { operation } : {}),
  };
  const response = await sendJson(`${ANALYST}/message${explain ? '?explain=true' : ''}`, body, {
    headers: { Accept: 'text/event-stream, application/json', ...roleHeader(role) },
    signal,
  });
  if (response.body === null) throw new ApiFailure(0, { message: 'The answer has no body.' });
  const answer: AnalystAnswer = {
    requestId: response.headers.get('X-Request-Id') ?? '',
    content: [],
    warnings: [],
    metadata: {},
  };
  for await (const event of serverEvents(response.body)) {
    apply(answer, event.name, JSON.parse(event.data) as Record<string, unknown>, listener);
    if (event.name === 'done') return answer;
  }
  throw new ApiFailure(0, { message: 'The answer ended early. Ask again.' });
}

function apply(
  answer: AnalystAnswer,
  name: string,
  data: Record<string, unknown>,
  listener: StreamListener,
): void {
  if (typeof data.request_id === 'string') answer.requestId = data.request_id;
  if (name === 'error') throw new ApiFailure(422, data);
  if (name === 'status') {
    listener.onStatus?.(String(data.status_message ?? ''), String(data.status ?? ''));
    return;
  }
  if (name === 'message.content.delta') applyDelta(answer.content, data as unknown as Delta);
  else if (name === 'warnings') answer.warnings = data.warnings as { message: string }[];
  else if (name === 'response_metadata') answer.metadata = data as AnalystMetadata;
  else return;
  listener.onAnswer?.({ ...answer, content: answer.content.map((block) => ({ ...block })) });
}

interface Delta {
  index: number;
  type: AnswerBlock['type'];
  text_delta?: string;
  statement_delta?: string;
  confidence?: { verified_query_used: VerifiedQueryUsed | null };
  suggestions_delta?: { index: number; suggestion_delta: string };
  query_id?: string;
  chart_spec?: string;
}

function emptyBlock(type: AnswerBlock['type']): AnswerBlock {
  if (type === 'sql') return { type, statement: '' };
  if (type === 'suggestions') return { type, suggestions: [] };
  if (type === 'results') return { type, query_id: '' };
  if (type === 'chart') return { type, chart_spec: '' };
  return { type: 'text', text: '' };
}

export function applyDelta(content: AnswerBlock[], delta: Delta): void {
  const block = content[delta.index] ?? emptyBlock(delta.type);
  content[delta.index] = block;
  if (block.type === 'text') block.text += delta.text_delta ?? '';
  else if (block.type === 'sql') {
    block.statement += delta.statement_delta ?? '';
    if (delta.confidence !== undefined) block.confidence = delta.confidence;
  } else if (block.type === 'results') block.query_id = delta.query_id ?? block.query_id;
  else if (block.type === 'chart') block.chart_spec += delta.chart_spec ?? '';
  else if (delta.suggestions_delta) {
    const { index, suggestion_delta: piece } = delta.suggestions_delta;
    block.suggestions[index] = (block.suggestions[index] ?? '') + piece;
  }
}

export async function giveFeedback(
  requestId: string,
  positive: boolean,
  message: string,
): Promise<void> {
  await sendJson(`${ANALYST}/feedback`, {
    request_id: requestId,
    positive,
    ...(message ? { feedback_message: message } : {}),
  });
}

export interface VerifiedQueryAddition {
  request_id?: string;
  question?: string;
  sql?: string;
  semantic_view?: string;
  semantic_model_file?: string;
  name?: string;
  verified_by?: string;
  use_as_onboarding_question?: boolean;
}

export async function keepVerifiedQuery(
  addition: VerifiedQueryAddition,
  role?: string | null,
): Promise<VerifiedQueryUsed> {
  const options = { headers: roleHeader(role) };
  const response = await sendJson(`${ANALYST}/verified-queries`, addition, options);
  const body = (await response.json()) as { verified_query: VerifiedQueryUsed };
  return body.verified_query;
}

export function roleHeader(role?: string | null): Record<string, string> {
  return role ? { 'X-Service-Role': role } : {};
}
