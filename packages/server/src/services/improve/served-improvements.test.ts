import { improvePlanSchema } from '@lachesis/protocol';
import { changeImprovementRunner, findImprovement, openStore, type Store } from '@lachesis/store';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beginImprovement } from './improve.ts';
import {
  createServedImprovements,
  type ServedImprovements,
  type ServedImprovementsOptions,
} from './served-improvements.ts';

const tenantId = 'a';
const plan = (changes: Record<string, unknown> = {}) =>
  improvePlanSchema.parse({ model: 'm', all_models: true, ...changes });

interface Bench extends AsyncDisposable {
  store: Store;
  folder: string;
  open: (changes?: Partial<ServedImprovementsOptions>) => ServedImprovements;
}

async function openBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-improve-'));
  const store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  const nothing = async (): Promise<void> => undefined;
  return {
    ...{ store, folder },
    open: (changes) =>
      createServedImprovements({
        ...{ store, env: {}, workingDirectory: folder, limits: {}, maxOpen: 2, prepare: nothing },
        ...{ drain: nothing, wake: () => undefined, ...changes },
      }),
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    (error: unknown) => String(error),
  );

test('an open improvement is taken over only if a server would have begun it', async () => {
  await using bench = await openBench();
  const { store } = bench;
  const judge = { base_url: 'http://127.0.0.1:9/v1', model: 'j', rubric: 'r', rubric_name: 'r.md' };
  await beginImprovement({ store, tenantId, plan: plan({ judge }) });
  expect(await refusal(bench.open().start(tenantId, plan()))).toMatch(/127\.0\.0\.1/);
  expect(await refusal(bench.open().resume(tenantId, 'm'))).toMatch(/127\.0\.0\.1/);
  expect(await findImprovement({ store, tenantId, ref: 'm' })).toMatchObject({ runner: null });
});

test('what is resumed counts as what is begun: so many are open and no more', async () => {
  await using bench = await openBench();
  const { store } = bench;
  const served = bench.open();
  const { improvement_id: improvementId } = await served.start(tenantId, plan({ model: 'm' }));
  await changeImprovementRunner({ store, tenantId, improvementId, runner: 'server-paused' });
  await served.start(tenantId, plan({ model: 'n' }));
  await served.start(tenantId, plan({ model: 'o' }));
  expect(await refusal(served.resume(tenantId, 'm'))).toMatch(/2 improvements of this tenant/);
  expect(await served.resume(tenantId, 'n')).toMatchObject({ state: 'waiting' });
});

test('limits of the operator hold: steps are bounded, and what cannot be held is not begun', async () => {
  await using bench = await openBench();
  const served = bench.open({ limits: { steps: 10 } });
  const long = plan({ training: { max_steps: 11 } });
  expect(await refusal(served.start(tenantId, long))).toMatch(/max_steps of the training is at most 10/);
  await served.start(tenantId, plan());
  const { store } = bench;
  expect(await findImprovement({ store, tenantId, ref: 'm' })).toMatchObject({ plan: { training: { max_steps: 10 } } });
  await beginImprovement({ store, tenantId, plan: plan({ model: 'home' }) });
  expect(await refusal(served.resume(tenantId, 'home'))).toMatch(/max_steps/);
  for (const limits of [{ cost: 1 }, { tokens: 1 }]) {
    expect(await refusal(bench.open({ limits }).start(tenantId, plan({ model: 'n' })))).toMatch(/LACHESIS_MAX_COST/);
  }
});

test('a base model is a name, also where a folder of that name lies in the working directory', async () => {
  await using bench = await openBench();
  await mkdir(join(bench.folder, 'owner', 'name'), { recursive: true });
  for (const base of ['owner/name', 'models', 'owner/name/sub', 'C:\\models', 'owner/..'])
    expect(await refusal(bench.open().start(tenantId, plan({ base_model: base })))).toMatch(/not a folder/);
  expect(await refusal(bench.open().start(tenantId, plan({ base_model: 'Qwen/Qwen3-0.6B' })))).toBe('taken');
});

test('a plan that cannot come to an end is refused', async () => {
  await using bench = await openBench();
  const served = bench.open();
  for (const model of ['a b', 'a/b', '-a', 'a..b', 'a'.repeat(91), 'a\u0000'])
    expect(await refusal(served.start(tenantId, plan({ model })))).toMatch(/model is letters/);
  const rule = { name: 'r', when: { regex: '(' }, score: 1 };
  for (const rules of [[], [{}], [rule], [{ ...rule, score: 2 }]])
    expect(await refusal(served.start(tenantId, plan({ rules })))).toMatch(/rules cannot be used/);
});
