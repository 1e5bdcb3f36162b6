import { ApiFailure, failureOf, isAbort } from './failure';
import { signOut, useSession } from './session';

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: BodyInit | null;
  signal?: AbortSignal;
  /** Statuses that are answers and not failures. All of 200 to 299 are. */
  accept?: readonly number[];
  /** It is sent also while the page is left. */
  keepalive?: boolean;
}

/** Sends a request as the user who is signed in. A refused token leads back to the sign-in page. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const token = useSession.getState().token;
  const response = await fetchOrFail(path, {
    method: options.method ?? 'GET',
    headers: {
      Accept: 'application/json',
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...options.headers,
    },
    body: options.body ?? null,
    signal: options.signal ?? null,
    credentials: 'omit',
    cache: 'no-store',
    keepalive: options.keepalive ?? false,
  });
  if (response.ok || options.accept?.includes(response.status)) return response;
  const failure = await failureOf(response);
  if (response.status === 401 && token !== null && token === useSession.getState().token) {
    signOut('Your session has ended. Sign in again; nothing that you wrote is lost.');
  }
  throw failure;
}

export async function sendJson(
  path: string,
  body: unknown,
  options: RequestOptions = {},
): Promise<Response> {
  return send(path, {
    method: 'POST',
    ...options,
    headers: { 'Content-Type': 'application/json', ...options.headers },
    body: JSON.stringify(body),
  });
}

async function fetchOrFail(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiFailure(0, { message: 'The server cannot be reached.' });
  }
}

export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(new DOMException('aborted', 'AbortError'));
      },
      { once: true },
    );
  });
}
