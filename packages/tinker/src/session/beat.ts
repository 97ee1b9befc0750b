import type { HeartbeatReport } from './heartbeat-messages.ts';

export interface BeatOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  sessionId: string;
  timeoutMs: number;
  fetch: typeof fetch;
}

/** One heartbeat. Never throws: a missed beat is a report, and the next one may arrive. */
export async function beat({
  url,
  headers,
  sessionId,
  timeoutMs,
  fetch,
}: BeatOptions): Promise<Exclude<HeartbeatReport, { kind: 'missed' }> | { kind: 'missed'; reason: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: sessionId }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    // The body is read so that the connection can be used for the next beat.
    await response.arrayBuffer();
    if (response.status === 410) return { kind: 'gone', sessionId };
    return response.ok ? { kind: 'beat', sessionId } : { kind: 'missed', reason: `HTTP ${response.status}` };
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name?: string };
    return { kind: 'missed', reason: cause?.code ?? name ?? 'the connection failed' };
  }
}
