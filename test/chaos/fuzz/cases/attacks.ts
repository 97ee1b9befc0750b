import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const MIB = 1024 ** 2;

export interface AttackTarget {
  readonly port: number;
  readonly token: string;
  /** Ends the attack: its sockets are closed. */
  readonly signal: AbortSignal;
}

export type Attack = (target: AttackTarget) => Promise<unknown>;

/** What one tenant can send to keep a server from the others. */
export const ATTACKS = {
  /** Many small things in a long body. */
  'sixty megabytes of empty objects, four at once': (target) => {
    const body = `{"records":[${'{},'.repeat(20 * MIB - 10)}{}]}`;
    return Promise.all(Array.from({ length: 4 }, () => post(target, body)));
  },
  'three million nested lists': (target) =>
    Promise.all(Array.from({ length: 4 }, () => post(target, `{"records":${'['.repeat(3 * MIB)}`))),
  /** Announced and never sent. */
  'sixteen idle senders of 64 MB': async (target) => {
    const head = `content-length: ${64 * MIB}\r\n\r\nx`;
    for (let index = 0; index < 16; index += 1) open(target, head);
    await sleep(4_000, undefined, { signal: target.signal }).catch(() => undefined);
  },
  'sixteen idle chunked senders': async (target) => {
    for (let index = 0; index < 16; index += 1) open(target, 'transfer-encoding: chunked\r\n\r\n1\r\nx\r\n');
    await sleep(4_000, undefined, { signal: target.signal }).catch(() => undefined);
  },
  /** Redaction at its worst. */
  'twenty thousand distinct keys in a message': (target) => {
    const keys = Array.from({ length: 20_000 }, () => ['hf', randomUUID().replaceAll('-', '')].join('_'));
    return post(target, recordOf(keys.join(' ')));
  },
} as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof ATTACKS;

async function post({ port, token, signal }: AttackTarget, body: string): Promise<number> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/records`, {
      ...{ method: 'POST', body, signal },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    await reply.arrayBuffer();
    return reply.status;
  } catch {
    // Refused in the middle of what it sends, or ended by us: what counts is how the others fare.
    return 0;
  }
}

function open({ port, token, signal }: AttackTarget, rest: string): void {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => socket.destroy());
  signal.addEventListener('abort', () => socket.destroy());
  socket.write(`POST /v1/records HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${rest}`);
}

const recordOf = (text: string): string =>
  JSON.stringify({
    records: [
      {
        ...{ record_id: randomUUID(), recorder: 'fuzz', sequence: 0, trajectory: null, at: 1, user: null, tags: [] },
        ...{ consent: 'keep', metadata: null, kind: 'messages', source: 'app', model: null, tools: null },
        messages: [{ role: 'user', content: text }],
      },
    ],
  });
