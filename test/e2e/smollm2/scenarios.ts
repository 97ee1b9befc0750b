import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readProcessTree } from '../../kit/read-process-tree.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { runGrpo } from '../grpo-tiny/run-grpo.ts';
import { warmUp } from '../grpo-tiny/warm-up.ts';
import { askWeights } from '../learns/ask-weights.ts';
import { bootstrapGain } from '../learns/bootstrap-gain.ts';
import { meanOf, show, showGain } from '../learns/judge-run.ts';
import type { HeldOut } from '../learns/measure-held-out.ts';
import { LETTERS, makeLetterTask, REPLY_TOKENS, scoreWords } from './letter-task.ts';
import type { LetterItem } from './letter-task.ts';

const SEED = 1;
const STEPS = 30;
const GROUP_SIZE = 8;
const GROUPS = 8;
const LEARNING_RATE = 5e-4;
/** Replies to each held-out prompt. */
const SAMPLES = 32;
const WANTED_GAIN = 0.25;
const PATIENCE_MS = 3 * 3600 * 1000;

const environment = fileURLToPath(new URL('letter-words.ts', import.meta.url));
const output = fileURLToPath(new URL('../../../.ci/logs/smollm2/', import.meta.url));

/** `pnpm e2e smollm2 --full`: the loop on a real pretrained model, judged by prompts that training never had. */
export const scenarios: Scenario[] = [
  {
    name: 'learns',
    title:
      'SmolLM2-135M-Instruct learns to write words that begin with the letter that was asked for (with --full alone)',
    async run(context) {
      const bar = `≥ ${WANTED_GAIN} more on prompts that training never had, its interval above 0`;
      if (!context.full) {
        context.reportNotRun({ name: 'held-out reward', why: 'it takes half an hour; run with --full', bar });
        return;
      }
      const engine = await startEnginePeer({ model: 'smollm2', onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const home = join(await context.scratch(), 'home');
      await mkdir(home);
      const shared = { engineUrl: engine.url, modelDirectory: engine.modelDirectory, seed: SEED };
      const { train, heldOut } = makeLetterTask(SEED);
      const ask = (weightsPath: string): Promise<string[][]> =>
        askWeights({
          ...{ ...shared, weightsPath, samples: SAMPLES, maxTokens: REPLY_TOKENS },
          prompts: heldOut.map(({ prompt }) => [{ role: 'user', content: prompt }]),
        });

      // Nothing is learnt before: a state of no steps is the model as it was published.
      const published = await warmUp({ ...shared, conversations: [] });
      const first = await ask(published.samplerPath);
      const run = await runGrpo({
        ...{ engineUrl: engine.url, home, run: 'letters', environment },
        title: 'words with a letter on SmolLM2-135M-Instruct: mean reward of a batch',
        sharedFlags: [
          ...['--env.total_steps', String(STEPS), '--env.group_size', String(GROUP_SIZE)],
          ...['--env.batch_size', String(GROUP_SIZE * GROUPS), '--env.max_token_length', '128'],
        ],
        trainerFlags: [
          ...['--tinker.initial_state', published.statePath, '--tinker.seed', String(SEED)],
          ...['--tinker.learning_rate', String(LEARNING_RATE)],
        ],
        environmentFlags: ['--env.seed', String(SEED)],
        probe: { prompt: train[0]?.prompt ?? '', samples: GROUP_SIZE, maxTokens: REPLY_TOKENS },
        ...{ output, timeoutMs: PATIENCE_MS, log: context.log, defer: context.defer },
      });
      const { weights_path: weightsPath } = run.status;
      if (weightsPath === null) throw new Error(`the trainer ended at step ${run.status.step} and names no weights`);
      const last = await ask(weightsPath);

      const [start, end] = [score(heldOut, first), score(heldOut, last)];
      const gain = bootstrapGain({ before: start, after: end, seed: SEED });
      const minutes = (run.cpuSeconds + readProcessTree(engine.pid).cpuSeconds) / 60;
      context.report({
        name: 'held-out reward',
        figure: `${show(start)} to ${show(end)} in ${run.status.step} steps of ${GROUP_SIZE * GROUPS} replies, gain ${showGain(gain)}, ${heldOut.length} prompts of ${SAMPLES} replies, ${minutes.toFixed(0)} minutes of CPU (${(run.seconds / 60).toFixed(0)} by the clock)`,
        bar,
        ok: gain.mean >= WANTED_GAIN && gain.low > 0 && run.status.lost_steps === 0,
      });
      // Who writes words with one letter whatever is asked earns as much by any other prompt.
      const [otherStart, otherEnd] = [score(heldOut.map(toOther), first), score(heldOut.map(toOther), last)];
      context.report({
        name: 'the same replies, by another letter',
        figure: `${show(otherStart)} to ${show(otherEnd)}`,
        bar: `at most a quarter of the gain is there too`,
        ok: meanOf(otherEnd) - meanOf(otherStart) <= gain.mean / 4,
      });
      for (const [index, { prompt }] of heldOut.entries()) {
        context.log(
          `${prompt} ${JSON.stringify(first[index]?.slice(0, 2))} → ${JSON.stringify(last[index]?.slice(0, 2))}`,
        );
      }
      context.log(`curve, metrics and replies are in ${output}`);
    },
  },
];

const score = (items: readonly LetterItem[], replies: readonly string[][]): HeldOut =>
  items.map(({ letter }, index) => (replies[index] ?? []).map((reply) => scoreWords(reply, letter)));

/** The next letter in its place. */
const toOther = (item: LetterItem): LetterItem => ({
  ...item,
  letter: LETTERS[(LETTERS.findIndex((letter) => letter === item.letter) + 1) % LETTERS.length] ?? item.letter,
});
