import { createEventParser } from '@lachesis/sdk';
import { requestResponse } from './request.ts';

/** Reads a stream that ends by itself, and gives the id of its last event. */
export async function readEvents(
  path: string,
  signal: AbortSignal,
  onEvent: (event: { event: string; data: string }) => void,
): Promise<string | undefined> {
  const response = await requestResponse(path, { signal, accept: 'text/event-stream' });
  let last: string | undefined;
  const parser = createEventParser({
    onEvent(event) {
      last = event.id ?? last;
      onEvent(event);
    },
  });
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) return last;
    parser.add(piece.value);
  }
}
