/** Where in the text that was sent a statement is wrong. Lines count from 1, positions from 0. */
export interface ErrorLocation {
  line: number;
  position: number;
  /** Which statement of the request, from 1. */
  statement?: number;
}

interface FailureBody {
  message?: string;
  code?: string;
  sqlState?: string;
  statementHandle?: string;
  statementHandles?: string[];
  errorLocation?: ErrorLocation;
}

/** An answer of the server that is not the one hoped for. `status` 0: there was no answer. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';

  constructor(
    readonly status: number,
    readonly body: FailureBody,
    readonly retryAfterMs: number | null = null,
  ) {
    super(body.message || `The server answered with status ${status}.`);
  }

  get code(): string {
    return this.body.code ?? '';
  }
}

export async function failureOf(response: Response): Promise<ApiFailure> {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : null;
  const text = await response.text().catch(() => '');
  let body: FailureBody = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) body = parsed as FailureBody;
  } catch {
    body = { message: text.slice(0, 500) };
  }
  return new ApiFailure(response.status, body, retryAfterMs);
}

/** What to tell a person of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
