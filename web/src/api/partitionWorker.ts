import { scanCells } from './partitionCells';

export interface ScanRequest {
  id: number;
  bytes: ArrayBuffer;
  columns: number;
  rows: number;
}

export type ScanReply =
  | { id: number; bytes: ArrayBuffer; places: ArrayBuffer }
  | { id: number; error: string };

self.onmessage = (event: MessageEvent<ScanRequest>) => {
  const { id, bytes, columns, rows } = event.data;
  try {
    const cells = scanCells(new Uint8Array(bytes), columns, rows);
    const places = cells.places.buffer as ArrayBuffer;
    const reply: ScanReply = { id, bytes, places };
    self.postMessage(reply, { transfer: [bytes, places] });
  } catch (error) {
    const reply: ScanReply = { id, error: error instanceof Error ? error.message : String(error) };
    self.postMessage(reply);
  }
};
