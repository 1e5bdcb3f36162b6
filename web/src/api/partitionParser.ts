import { type PartitionCells, scanCells } from './partitionCells';
import type { ScanReply, ScanRequest } from './partitionWorker';

interface Waiting {
  columns: number;
  resolve(cells: PartitionCells): void;
  reject(error: Error): void;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
let lastId = 0;

/** Finds the cells of a partition beside the page's own thread. */
export function parsePartition(
  bytes: ArrayBuffer,
  columns: number,
  rows: number,
): Promise<PartitionCells> {
  if (typeof Worker === 'undefined') {
    return Promise.resolve(scanCells(new Uint8Array(bytes), columns, rows));
  }
  lastId += 1;
  const request: ScanRequest = { id: lastId, bytes, columns, rows };
  return new Promise((resolve, reject) => {
    waiting.set(request.id, { columns, resolve, reject });
    theWorker().postMessage(request, [bytes]);
  });
}

function theWorker(): Worker {
  if (worker !== null) return worker;
  worker = new Worker(new URL('./partitionWorker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = (event: MessageEvent<ScanReply>) => {
    const reply = event.data;
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) asked?.reject(new Error(reply.error));
    else {
      const bytes = new Uint8Array(reply.bytes);
      const places = new Uint32Array(reply.places);
      asked?.resolve({ bytes, places, columns: asked.columns });
    }
  };
  worker.onerror = () => {
    worker = null;
    for (const asked of waiting.values())
      asked.reject(new Error('A part of the result cannot be read.'));
    waiting.clear();
  };
  return worker;
}
