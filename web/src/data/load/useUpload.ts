// The file on its way to a table lies on the user's own stage, for as long as its dialog is open.
import { useEffect, useRef, useState } from 'react';
import { newRequestId } from '../../api/requestId';
import { listFiles, OWN_STAGE, removeFile, writeFile } from '../../api/stageFiles';
import { type Remote, useRemote } from '../../components/useRemote';
import { type FileFormat, guessFormat } from './fileFormat';

const FOLDER = 'console-upload/';

/** Older ones were left behind where the browser or the network ended. */
const LEFT_OVER_MS = 24 * 60 * 60 * 1000;

export interface Upload {
  path: string;
  /** What the file looks like, once it is there. */
  brought: Remote<FileFormat>;
}

export function useUpload(file: File): Upload {
  const [path] = useState(() => `${FOLDER}${newRequestId()}${endingOf(file.name)}`);
  const writing = useRef<Promise<unknown> | null>(null);
  const brought = useRemote(`${file.name} ${path}`, async (signal) => {
    const format = await guessFormat(file);
    signal.throwIfAborted();
    writing.current = writeFile(OWN_STAGE, path, file, 'any', signal);
    await writing.current;
    return format;
  });
  useEffect(() => {
    const remove = () => {
      const gone = () => removeFile(OWN_STAGE, path).catch(() => undefined);
      void gone();
      // What was on its way may have come after that.
      void writing.current?.then(gone, gone);
    };
    window.addEventListener('pagehide', remove);
    void removeLeftOver().catch(() => undefined);
    return () => {
      window.removeEventListener('pagehide', remove);
      remove();
    };
  }, [path]);
  return { path, brought };
}

async function removeLeftOver(): Promise<void> {
  const before = Date.now() - LEFT_OVER_MS;
  for (const { path, lastModified } of await listFiles(OWN_STAGE, FOLDER)) {
    if (lastModified < before) await removeFile(OWN_STAGE, path);
  }
}

/** ".csv.gz": the server unpacks by the ending. */
function endingOf(name: string): string {
  return /(\.[a-z0-9]+){1,2}$/i.exec(name)?.[0].toLowerCase() ?? '';
}
