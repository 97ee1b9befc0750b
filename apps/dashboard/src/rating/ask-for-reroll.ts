import type { rerollSchemas } from '@lachesis/protocol';
import { walkLines } from '../api/read-lines.ts';
import { RequestError, requestResponse } from '../api/request.ts';

type RerollLine = ReturnType<typeof rerollSchemas.line.parse>;

export type Rerolled = Extract<RerollLine, { rerolled: unknown }>['rerolled'];

interface RerollAsk {
  readonly trajectory: string;
  readonly turn: number;
  readonly onProgress: (said: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Another reply to a turn. The engine may have to load the model first: what it does meanwhile is told. */
export async function askForReroll({ trajectory, turn, onProgress, signal }: RerollAsk): Promise<Rerolled> {
  const path = `/v1/trajectories/${encodeURIComponent(trajectory)}/turns/${turn}/reroll`;
  const refuse = (message: string, hint: string | undefined, code: string): RequestError =>
    new RequestError({ ...{ status: undefined, code, message, hint }, call: `POST ${path}` });
  const response = await requestResponse(path, {
    ...{ method: 'POST', body: {}, accept: 'application/x-ndjson', signal },
  });
  for await (const line of walkLines(response) as AsyncGenerator<RerollLine>) {
    if ('said' in line) onProgress(line.said);
    if ('failed' in line) throw refuse(line.failed.message, line.failed.hint, 'not made');
    if ('rerolled' in line) return line.rerolled;
  }
  throw refuse('The answer broke off before the new reply was there.', 'Ask again.', 'connection');
}
