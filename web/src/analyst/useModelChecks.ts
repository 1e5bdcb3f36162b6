import { useEffect, useState } from 'react';
import { isAbort, messageOf } from '../api/failure';
import { type ModelProblem, validateModel } from '../api/semanticModels';
import { currentRole } from '../shell/role';
import { checkYaml } from './checkYaml';

export interface ModelChecks {
  problems: ModelProblem[];
  isChecking: boolean;
  /** Who checked: the server reads the model as the analyst does, the page only the YAML. */
  by: 'server' | 'page';
  /** Set if the server could not be asked. */
  error: string | null;
}

const QUIET_MS = 500;

/** Checks a while after the last letter: on the server, and here where it does not answer. */
export function useModelChecks(yaml: string, connect: boolean): ModelChecks {
  const [checks, setChecks] = useState<ModelChecks>({
    problems: [],
    isChecking: true,
    by: 'page',
    error: null,
  });
  useEffect(() => {
    const abort = new AbortController();
    setChecks((before) => ({ ...before, isChecking: true }));
    const timer = setTimeout(() => {
      validateModel({ semantic_model: yaml }, currentRole(), connect, abort.signal)
        .then((found) =>
          setChecks({
            problems: found ?? checkYaml(yaml),
            isChecking: false,
            by: found === null ? 'page' : 'server',
            error: null,
          }),
        )
        .catch((error: unknown) => {
          if (isAbort(error) || abort.signal.aborted) return;
          const problems = checkYaml(yaml);
          setChecks({ problems, isChecking: false, by: 'page', error: messageOf(error) });
        });
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [yaml, connect]);
  return checks;
}
