import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createIdSource, recipeSchema } from '@lachesis/protocol';
import { findOrCreateRun, openCheckpointList, openStore } from '@lachesis/store';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createConverter } from '../datums/create-converter.ts';
import { makeGroup } from '../datums/group.fixture.ts';
import { TrainerError } from '../../trainer-error.ts';
import { loadOwnCode } from './load-own-code.ts';
import { pinOwnCode } from './pin-own-code.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-own-code-'));
});
afterAll(() => rm(folder, { recursive: true }));

const tinker = pathToFileURL(join(import.meta.dirname, '../../../../../../tinker/src/losses/own/')).href;
const LOSS = `import { defineLoss } from '${tinker}define-loss.ts';\nexport default defineLoss`;
const ADVANTAGE = `import { defineAdvantage } from '${tinker}define-advantage.ts';\nexport default defineAdvantage`;

async function write(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}
const loading = async (key: 'advantage' | 'loss', text: string) =>
  loadOwnCode({ [key]: await write(`${createIdSource().next()}.ts`, text) });

test('names load nothing; a file gives what it defines, with its digest', async () => {
  expect(await loadOwnCode({ loss: 'ppo', advantage: 'mean_centred' })).toEqual({ files: [] });
  const own = await loading('loss', `${LOSS}({ name: 'nll', loss: ({ learner }) => learner.sum().times(-1) });`);
  expect(own.loss?.name).toBe('nll');
  expect(own.files).toMatchObject([{ key: 'loss', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }]);
});

test.each([
  ['loss', 'export const loss = 1;', /has no loss as its default export\. Write: import \{ defineLoss \}/],
  ['advantage', `${LOSS}({ name: 'x', loss: ({ learner }) => learner.sum() });`, /no advantage as its default export/],
  ['loss', 'export default {', /cannot be imported/],
  [
    'loss',
    `${LOSS}({ name: 'x', loss: ({ learner }) =>\n learner.nothing.sum() });`,
    /, line 3, failed on a batch that was made up/,
  ],
  [
    'loss',
    `${LOSS}({ name: 'x', loss: ({ learner }) => learner.log().sum() });`,
    /Custom loss x: is NaN\. Mend the file/,
  ],
  ['loss', `${LOSS}({ name: 'x', loss: ({ advantages }) => advantages.sum() });`, /does not depend on learner/],
  ['advantage', `${ADVANTAGE}({ name: 'x', advantage: () => 1 });`, /gives no list for 2 groups/],
  [
    'advantage',
    `${ADVANTAGE}({ name: 'x', advantage: ({ groups }) => groups.map(() => [1]) });`,
    /1 numbers for the 2 rollouts/,
  ],
  [
    'advantage',
    `${ADVANTAGE}({ name: 'x', advantage: ({ groups }) => groups.map(({ scores }) => scores.map(() => NaN)) });`,
    /gives NaN for rollout 0/,
  ],
] as const)('%s: %s is refused with what to do', async (key, text, sentence) => {
  const refused = loading(key, text);
  await expect(refused).rejects.toThrow(sentence);
  await expect(refused).rejects.toSatisfy(TrainerError.isInstance);
});

test('in a folder where nothing is installed a file finds the package of the server', async () => {
  const file = await write(
    'empty-folder.ts',
    `${LOSS.replace(/'.*'/, "'@lachesis/tinker'")}({ name: 'x', loss: ({ learner }) => learner.sum() });`,
  );
  const program = `import { loadOwnCode } from ${JSON.stringify(join(import.meta.dirname, 'load-own-code.ts'))};
    console.log((await loadOwnCode({ loss: ${JSON.stringify(file)} })).loss.name);`;
  const given = ['--conditions=lachesis-source', '--input-type=module', '-e', program];
  expect((await promisify(execFile)(process.execPath, given)).stdout).toBe('x\n');
});

test('a file that is not there is named', async () => {
  await expect(loadOwnCode({ loss: '/nowhere/mine.ts' })).rejects.toThrow(/tinker\.loss names \/nowhere\/mine\.ts/);
});

test('an advantage of a file sees all groups with scores, masks and log probabilities, and weighs the batch', async () => {
  const own = await loading(
    'advantage',
    `${ADVANTAGE}({ name: 'batch', advantage: ({ groups }) => {
      const all = groups.flatMap(({ scores }) => [...scores]);
      const mean = all.reduce((sum, score) => sum + score, 0) / all.length;
      return groups.map(({ scores, sequences }) => Array.from(scores, (score, rollout) =>
        (score - mean) * sequences[rollout].mask.reduce((sum, one) => sum + one, 0) * -sequences[rollout].logprobs[1]));
    } });`,
  );
  const recipe = recipeSchema.parse({ tinker: { advantage: own.files[0]!.file } });
  const { sequences } = createConverter(
    recipe,
    own,
  )([
    makeGroup([{ tokens: [1, 2, 3], logprobs: [1, -2, -1], score: 1 }]),
    makeGroup([{ tokens: [1, 2], logprobs: [1, -0.5], score: 0 }]),
  ]);
  expect(sequences.map(({ datum }) => [...datum.inputs.advantages])).toEqual([[2, 2], [-0.25]]);
});

test('a run keeps the code it learns by, and does not go on with other code under the same path', async () => {
  const directory = await mkdtemp(join(folder, 'run-'));
  const store = await openStore({ sqlitePath: join(directory, 'lachesis.db') });
  try {
    const scope = { store, tenantId: 'local', run: 'r', directory };
    const text = `${LOSS}({ name: 'a', loss: ({ learner }) => learner.sum() });`;
    const file = await write('changing.ts', text);
    const pin = async () => {
      const { files } = await loadOwnCode({ loss: file });
      await pinOwnCode({ ...scope, files });
      return files;
    };
    await pin();
    await write('changing.ts', `${text}\n// other\n`);
    // Nothing was learned by the first.
    const [pinned] = await pin();
    const { runId } = await findOrCreateRun({ store, tenantId: 'local', name: 'r' });
    await openCheckpointList({ ...scope, runId, incarnationId: 'i', ids: createIdSource() }).add({
      ...{ step: 1, policyVersion: 1, modelId: 'n', statePath: 'tinker://n/weights/1', weightsPath: null },
      isFinal: false,
    });
    await pin();
    await write('changing.ts', text);
    await expect(pin()).rejects.toThrow(
      /The run r learned by .*changing\.ts as it was \(sha256 .*lachesis train --from r:<step>/,
    );
    const kept = JSON.parse(await readFile(join(directory, 'own-code.json'), 'utf8')) as unknown[];
    expect(kept.at(-1)).toEqual(pinned);
    expect(await readdir(join(directory, 'own-code'))).toContain(`${pinned!.sha256.slice(0, 12)}-changing.ts`);
    // Another file is another wish.
    const { files } = await loadOwnCode({ loss: await write('other.ts', `${text}\n`) });
    await pinOwnCode({ ...scope, files });
    expect(JSON.parse(await readFile(join(directory, 'own-code.json'), 'utf8'))).toHaveLength(3);
  } finally {
    await store.close();
  }
});
