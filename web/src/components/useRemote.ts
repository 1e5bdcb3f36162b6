import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort, messageOf } from '../api/failure';

export interface Remote<Value> {
  value: Value | undefined;
  error: string | null;
  isLoading: boolean;
  reload: () => void;
}

/**
 * Loads something when the key changes and when it is asked to. While it loads again, the old value
 * stays; a null key loads nothing.
 */
export function useRemote<Value>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<Value>,
): Remote<Value> {
  const [state, setState] = useState<{ key: string | null; value?: Value; error: string | null }>({
    key: null,
    error: null,
  });
  const [isLoading, setLoading] = useState(key !== null);
  const [round, setRound] = useState(0);
  const newest = useRef(load);
  newest.current = load;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is what loads again
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    setLoading(true);
    newest
      .current(abort.signal)
      .then((value) => setState({ key, value, error: null }))
      .catch((error: unknown) => {
        if (isAbort(error) || abort.signal.aborted) return;
        setState((before) => ({ ...before, key, error: messageOf(error) }));
      })
      .finally(() => !abort.signal.aborted && setLoading(false));
    return () => abort.abort();
  }, [key, round]);

  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : null,
    isLoading,
    reload,
  };
}
