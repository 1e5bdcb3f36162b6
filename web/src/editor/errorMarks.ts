// Marks the error of a statement in its text. What draws the marks is loaded with the first error: most visits have none.
import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

export interface ErrorMark {
  offset: number;
  message: string;
}

let lint: typeof import('@codemirror/lint') | null = null;
const wanted = new WeakMap<EditorView, ErrorMark | null>();

/** Marks an error in the text, or takes the marks away. */
export async function markError(view: EditorView, error: ErrorMark | null): Promise<void> {
  wanted.set(view, error);
  if (error === null && lint === null) return;
  lint ??= await import('@codemirror/lint');
  // Another run may have begun while the module was loaded.
  if (wanted.get(view) !== error) return;
  view.dispatch(lint.setDiagnostics(view.state, error ? [diagnosticOf(view.state, error)] : []));
}

function diagnosticOf(state: EditorState, { offset, message }: ErrorMark) {
  const { length } = state.doc;
  const from = Math.min(offset, length);
  const to = Math.max(state.wordAt(from)?.to ?? from + 1, from + 1);
  return {
    from: Math.min(from, Math.max(length - 1, 0)),
    to: Math.min(to, length),
    severity: 'error' as const,
    message,
  };
}
