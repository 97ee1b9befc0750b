/** What the heartbeat thread is started with. */
export interface HeartbeatSetup {
  url: string;
  headers: Record<string, string>;
  sessionIds: string[];
  intervalMs: number;
  timeoutMs: number;
}

export type HeartbeatCommand =
  | { kind: 'headers'; headers: Record<string, string> }
  | { kind: 'add'; sessionId: string }
  | { kind: 'stop' };

export type HeartbeatReport =
  | { kind: 'beat'; sessionId: string }
  | { kind: 'missed'; sessionId: string; silentMs: number; reason: string }
  /** The server has ended the session. */
  | { kind: 'gone'; sessionId: string };
