import { expect, it } from 'vitest';
import { serverEvents } from './serverEvents';

it('puts events together that came in pieces', async () => {
  const pieces = [
    'event: a\ndata: {"x"',
    ':1}\n\n: still at work\n\nevent: b\r\ndata: 2\r\n',
    '\r\n',
  ];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const events = [];
  for await (const event of serverEvents(body)) events.push(event);
  expect(events).toEqual([
    { name: 'a', data: '{"x":1}' },
    { name: 'b', data: '2' },
  ]);
});
