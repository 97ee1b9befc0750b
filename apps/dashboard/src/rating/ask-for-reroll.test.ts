import { afterEach, expect, test, vi } from 'vitest';
import { askForReroll } from './ask-for-reroll.ts';

afterEach(() => vi.unstubAllGlobals());

const rerolled = {
  trajectory_id: 'r',
  turn_index: 0,
  model: 'm',
  prompt_tokens: 3,
  tokens: 2,
  reply: { role: 'assistant' },
};

async function ask(...lines: object[]) {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  const asked = vi.fn<typeof fetch>(
    async () => new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  );
  vi.stubGlobal('fetch', asked);
  const said: string[] = [];
  const reply = await askForReroll({ trajectory: 'a/b', turn: 4, onProgress: (text) => said.push(text) });
  return { reply, said, asked: asked.mock.calls[0] as [string, RequestInit] };
}

test('tells what is done meanwhile, and gives the new reply', async () => {
  const { reply, said, asked } = await ask({ said: 'asking' }, { waiting: true }, { rerolled }, { done: true });
  expect([reply, said]).toEqual([rerolled, ['asking']]);
  expect([asked[0], asked[1].method]).toEqual(['/v1/trajectories/a%2Fb/turns/4/reroll', 'POST']);
});

test('what failed on the way, or broke off, is refused in the words of the server', async () => {
  await expect(
    ask({ said: 'asking' }, { failed: { message: 'all the same', hint: 'Ask again.' } }),
  ).rejects.toMatchObject({
    ...{ message: 'all the same', hint: 'Ask again.' },
  });
  await expect(ask({ said: 'asking' })).rejects.toThrow('broke off');
});
