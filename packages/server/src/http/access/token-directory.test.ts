import { createToken, openHome } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTokenDirectory } from './token-directory.ts';

test('tokens that are asked for in one turn are one question, and each has its own answer', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-tokens-'));
  try {
    await using opened = await openHome({ home });
    const { store } = opened;
    const made = [];
    for (const name of ['ada', 'bob', 'eve'])
      made.push(await createToken({ store, tenantId: name, name, scopes: ['view'] }));
    let questions = 0;
    const db = new Proxy(store.db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (name === 'selectFrom') questions += 1;
          return Reflect.apply(value, target, given) as unknown;
        };
      },
    });
    const directory = createTokenDirectory(
      new Proxy(store, { get: (of, name) => (name === 'db' ? db : Reflect.get(of, name, of)) }),
    );
    const texts = [...made.map(({ token }) => token), 'nobody', made[0]!.token];
    const found = await Promise.all(texts.map((text) => directory.find(text)));
    expect(found.map((principal) => principal?.tenantId ?? null)).toEqual(['ada', 'bob', 'eve', null, 'ada']);
    expect(questions).toBe(1);
    expect((await directory.find(made[1]!.token))?.tenantId).toBe('bob');
    expect(questions).toBe(2);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
