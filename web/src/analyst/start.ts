// What a model is about and what can be asked of it: asked once for each model and role.
import { ask } from '../api/analyst';
import { useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { type ModelChoice, modelKey, modelSource } from './model';

export interface Start {
  text: string;
  suggestions: string[];
  warnings: string[];
}

const known = new Map<string, Start>();

export function useStart(model: ModelChoice): {
  start: Start | undefined;
  error: string | null;
  reload: () => void;
} {
  const role = useRole();
  const key = `${role} ${modelKey(model)}`;
  const { value, error, reload } = useRemote(known.has(key) ? null : key, async (signal) => {
    const start = await startOf(model, role, signal);
    known.set(key, start);
    return start;
  });
  return { start: known.get(key) ?? value, error, reload };
}

/** A model that was changed is asked anew. */
export function forgetStarts(): void {
  known.clear();
}

async function startOf(
  model: ModelChoice,
  role: string | null,
  signal: AbortSignal,
): Promise<Start> {
  const text = 'What can I ask?';
  const question = {
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
    model: modelSource(model),
    role,
  };
  const { content, warnings } = await ask(question, {}, signal);
  return {
    text: content.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n\n'),
    suggestions: content.flatMap((one) => (one.type === 'suggestions' ? one.suggestions : [])),
    warnings: warnings.map(({ message }) => message),
  };
}
