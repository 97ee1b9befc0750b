import { MASKED } from '@lachesis/protocol';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { makeTrainedRun } from '../../../packages/server/src/services/runs/rollouts/trained-run.fixture.ts';
import { openSinks } from '../../../packages/server/src/services/training/sinks/open-sinks.ts';
import { startControlServer } from '../../kit/start-control-server.ts';
import { typePage } from '../../kit/type-page.ts';
import type { Scenario } from '../../scenarios/scenario.ts';

const PAGE = fileURLToPath(new URL('../../../docs/guides/read-a-run.md', import.meta.url));
const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

/** What somebody who follows the page must have seen, by the command that shows it. */
const SHOWN: readonly (readonly [command: string, words: string])[] = [
  ['lachesis runs list', 'rl-a'],
  ['lachesis runs show rl-a', 'run rl-a  completed'],
  ['lachesis runs watch rl-a', 'completed'],
  ['lachesis metrics rl-a', 'train/loss'],
  ['lachesis rollouts rl-a', 'step 3  reward 0.500'],
  ['lachesis rollouts rl-a --step 2 --worst', 'no, not at step 2'],
  ['lachesis rollouts rl-a --step 2 --best --limit 2', 'seven, at step 2'],
  ['lachesis rollouts rl-a --item train-1', 'seven, at step 3'],
  ['lachesis rollouts rl-a --diff 1 3 --item train-1', 'step 1 and 3'],
  ['lachesis rollouts rl-a --step 2 --tokens --limit 1', 'sampler'],
  ['lachesis rollouts rl-a --html rollouts.html', 'wrote rollouts.html'],
  ['lachesis logs rl-a trainer', 'the trainer speaks'],
];

/** `pnpm e2e read-a-run`: the guide, typed as it stands, on a run that the real trainer made. */
export const scenarios: Scenario[] = [
  {
    name: 'page',
    title: 'every command of docs/guides/read-a-run.md is typed and shows what the page says',
    async run(context) {
      const root = await context.scratch();
      const [home, logs, bin, folder] = ['home', 'logs', 'bin', 'work'].map((name) => join(root, name)) as [
        ...[string, string, string, string],
      ];
      for (const each of [home, logs, bin, folder]) await mkdir(each);
      for (const role of ['api', 'trainer', 'env']) await writeFile(join(logs, `${role}.log`), `the ${role} speaks\n`);
      await makeTrainedRun({
        ...{ home, logs, run: 'rl-a', steps: 3, groupsOf: (step) => [makeGroup(step)] },
        openSink: async (scope) =>
          (await openSinks({ ...scope, directory: home, wandb: undefined, useTensorboard: false })).all,
      });
      const control = await startControlServer({ home });
      context.defer(async () => void (await control.process.stop()));
      const command = join(bin, 'lachesis');
      await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" --conditions=lachesis-source "${CLI}" "$@"\n`);
      await chmod(command, 0o755);
      const { commands, failed } = await typePage({
        page: await readFile(PAGE, 'utf8'),
        folder,
        env: {
          ...{ HOME: root, LACHESIS_HOME: home, LACHESIS_URL: control.url, TERM: 'dumb' },
          PATH: [bin, process.env['PATH'] ?? ''].join(delimiter),
        },
        log: context.log,
      });
      context.report({
        name: 'commands of read-a-run.md',
        figure: `${commands.length} typed, ${failed.length} failed${failed.map((each) => `: ${each.command}`).join('')}`,
        bar: `≥ ${SHOWN.length}, 0 fail`,
        ok: failed.length === 0 && commands.length >= SHOWN.length,
      });
      const silent = SHOWN.filter(
        ([typed, words]) => !commands.some((each) => each.command === typed && each.output.includes(words)),
      );
      context.report({
        name: 'what they show',
        figure: `${SHOWN.length - silent.length} of ${SHOWN.length}${silent.map(([typed]) => `; not ${typed}`).join('')}`,
        bar: 'all',
        ok: silent.length === 0,
      });
      const page = await readFile(join(folder, 'rollouts.html'), 'utf8');
      const isWhole = ['Step 1', 'Step 3', 'advantage', 'policy', 'sampler', '</html>'].every((word) =>
        page.includes(word),
      );
      context.report({
        name: 'rollouts.html',
        figure: `${page.length} letters, ${isWhole ? 'whole' : 'something is missing'}`,
        bar: 'steps, advantages, policies and log probabilities',
        ok: isWhole,
      });
    },
  },
];

/** Two replies to one question; the second is right. */
function makeGroup(step: number): EncodableGroup {
  const rowLengths = Uint32Array.of(4, 4);
  const talk = (answer: string) => [
    { role: 'user', content: 'three and four?' },
    { role: 'assistant', content: answer },
  ];
  return {
    header: { environment: 'toy', item: 'train-1' },
    tokens: { values: Int32Array.of(7, 100 + step, 8, 2, 7, 100 + step, 9, 2), rowLengths },
    masks: { values: Int32Array.of(MASKED, MASKED, 8, 2, MASKED, MASKED, 9, 2), rowLengths },
    scores: Float64Array.of(0, 1),
    inferenceLogprobs: { values: Float32Array.of(1, 1, -1, -0.9, 1, 1, -1.1, -1), rowLengths },
    policyRanges: Uint32Array.of(0, 2, 4, step - 1, 1, 2, 4, step - 1),
    json: {
      messages: Buffer.from(JSON.stringify([talk(`no, not at step ${step}`), talk(`seven, at step ${step}`)])),
    },
  };
}
