import type { Recording } from './recording.ts';

/** Speaks to the recording server itself: what it has seen, that it shall forget it, or forget it and keep bodies. */
export async function askServer(url: string, question: 'forget' | 'keep' | 'recording'): Promise<Recording> {
  const reply = await fetch(`${url}/${question}`, { method: 'POST', body: '{}' });
  return (await reply.json()) as Recording;
}
