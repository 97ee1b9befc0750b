import type { Feedback, FeedbackInput } from '@lachesis/protocol';
import { expect, test, vi } from 'vitest';
import { createOutbox } from './create-outbox.ts';

class Away extends Error {}

function createServer() {
  const kept: FeedbackInput[] = [];
  const withdrawn: string[] = [];
  const server = { isAway: false, kept, withdrawn };
  const write = async (feedback: FeedbackInput): Promise<Feedback> => {
    if (server.isAway) throw new Away('away');
    if (feedback.author === 'nobody') throw new Error('refused');
    kept.push(feedback);
    return { feedback_id: `f${kept.length}`, feedback, value: 1, revises: null, created_at: 0, withdrawn_at: null };
  };
  const withdraw = async (id: string): Promise<void> => void withdrawn.push(id);
  return Object.assign(server, { write, withdraw });
}

const createStorage = () => {
  const values = new Map<string, string>();
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
  };
};

const thumb = (id: string, author = 'ada'): FeedbackInput => ({
  ...{ trajectory_id: id, author, author_kind: 'person', kind: 'thumb', is_up: true, key: `rate:${id}` },
});

function open(server = createServer(), storage = createStorage()) {
  const outbox = createOutbox({
    ...{ write: server.write, withdraw: server.withdraw, storage, onChange: () => undefined },
    isAway: (error) => error instanceof Away,
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  return { server, storage, outbox };
}

test('nothing is lost while the server is away, and nothing is sent twice', async () => {
  const { server, outbox } = open();
  server.isAway = true;
  for (let index = 0; index < 200; index += 1) outbox.say(`rate:${index}`, thumb(String(index)));
  await vi.waitFor(() => expect(outbox.isAway).toBe(true));
  expect(outbox.waiting).toBe(200);
  server.isAway = false;
  await vi.waitFor(() => expect(outbox.waiting).toBe(0));
  expect(server.kept.map(({ trajectory_id: id }) => id)).toEqual(
    Array.from({ length: 200 }, (_, index) => String(index)),
  );
});

test('what was not sent when the page was closed is sent by the next one', async () => {
  const { server, storage, outbox } = open();
  server.isAway = true;
  outbox.say('rate:1', thumb('1'));
  await vi.waitFor(() => expect(outbox.isAway).toBe(true));
  outbox.destroy();
  server.isAway = false;
  const next = open(server, storage);
  await vi.waitFor(() => expect(next.outbox.waiting).toBe(0));
  expect(server.kept).toHaveLength(1);
});

test('what is taken back is withdrawn, or never sent', async () => {
  const { server, outbox } = open();
  outbox.say('rate:1', thumb('1'));
  await vi.waitFor(() => expect(outbox.waiting).toBe(0));
  outbox.takeBack('rate:1');
  await vi.waitFor(() => expect(server.withdrawn).toEqual(['f1']));
  server.isAway = true;
  outbox.say('rate:2', thumb('2'));
  outbox.say('rate:3', thumb('3'));
  outbox.takeBack('rate:3');
  server.isAway = false;
  await vi.waitFor(() => expect(outbox.waiting).toBe(0));
  expect(server.kept.map(({ trajectory_id: id }) => id)).toEqual(['1', '2']);
});

test('one that is refused says why and holds nothing up', async () => {
  const { server, outbox } = open();
  outbox.say('rate:1', thumb('1', 'nobody'));
  await vi.waitFor(() => expect(outbox.problem).toBe('refused'));
  outbox.say('rate:2', thumb('2'));
  await vi.waitFor(() => expect(server.kept).toHaveLength(1));
});
