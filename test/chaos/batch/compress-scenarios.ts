import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readCompressionSettings } from '@lachesis/data';
import { readYamlFile } from '@lachesis/sdk/config';

import { makeTrajectories } from '../../conformance/hermes-batch/compress/make-trajectories.ts';
import { runOurs } from '../../conformance/hermes-batch/compress/run-ours.ts';
import { startScriptedSummarizer } from '../../conformance/hermes-batch/compress/start-scripted-summarizer.ts';
import { writeConfig } from '../../conformance/hermes-batch/compress/write-config.ts';
import { createRandom } from '../../conformance/render/random.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { countCalls, runWithKills } from './compress/run-with-kills.ts';

const SHORT = { rows: 800, kills: 16 };
const FULL = { rows: 2_000, kills: 100 };
const MUTANT_KILLS = 8;
/** In a life, on average a little more than half of it. */
const MUTANT_QUESTIONS = 60;
const CONCURRENT = 8;
const DELAY_MS = 10;
const SEED = 10;

/** kill -9 in the middle of a compression, again and again. */
export const compressScenario: Scenario = {
  name: 'compress',
  title:
    'a compression that is killed over and over writes the same file and pays for no summary twice beyond those in flight',
  async run(context) {
    const { rows, kills: wanted } = context.full ? FULL : SHORT;
    const folder = await context.scratch();
    const at = (name: string): string => join(folder, name);
    await writeFile(
      at('rows.jsonl'),
      [...makeTrajectories({ count: rows, seed: SEED, turns: 24, characters: 900 })].map((line) => `${line}\n`),
    );
    await using server = await startScriptedSummarizer({ delayMs: DELAY_MS });
    await writeConfig(at('config.yaml'), {
      ...{ url: server.url, target: 900, summaryTarget: 60, passes: 4, concurrent: CONCURRENT },
    });
    const whole = await runOurs({ input: at('rows.jsonl'), output: at('whole.jsonl'), config: at('config.yaml') });
    const questions = countCalls(server);
    const known = new Map(server.asked);
    context.log(`${whole.sums.compressed} of ${rows} rows compressed with ${questions} calls; now with kills`);

    const settings = readCompressionSettings(await readYamlFile(at('config.yaml')));
    const job = { input: at('rows.jsonl'), output: at('killed.jsonl'), settings, isForgetful: false };
    const startedAt = performance.now();
    const common = { cache: at('compiled'), log: context.log };
    const { kills, inFlight } = await runWithKills({
      ...common,
      ...{ server, job, kills: wanted, questions, random: createRandom(SEED), isFinished: true },
    });
    const calls = countCalls(server) - questions;
    const unknown = [...server.asked.keys()].filter((digest) => !known.has(digest)).length;
    const [expected, found] = await Promise.all(
      ['whole.jsonl', 'killed.jsonl'].map((name) => readFile(at(name), 'utf8')),
    );
    context.report({
      name: 'final file',
      figure: `${found === expected ? 'the same bytes' : 'another file'}, ${found?.split('\n').filter((line) => line !== '').length} rows, after ${kills} kills in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
      bar: `the same bytes, ${rows} rows, ≥ ${wanted} kills`,
      ok: found === expected && kills >= wanted,
    });
    const bound = countExcused(inFlight);
    context.report({
      name: 'summaries paid for twice',
      figure: `${calls - questions} of ${calls} calls, ${unknown} about texts that the uninterrupted run did not ask about`,
      bar: `≤ ${bound} (in flight at the kills), 0`,
      ok: calls - questions <= bound && unknown === 0,
    });
    context.report({
      name: 'calls in flight at a kill',
      figure: `${(bound / Math.max(1, kills)).toFixed(1)} on average, ${Math.max(...inFlight)} at most; asked for and not on the disk`,
      bar: `≤ ${CONCURRENT}, some`,
      ok: Math.max(...inFlight) <= CONCURRENT && bound > 0,
    });
    await runOurs({ input: at('rows.jsonl'), output: at('killed.jsonl'), config: at('config.yaml') });
    const further = countCalls(server) - questions - calls;
    context.report({ name: 'run again when done', figure: `${further} calls`, bar: '0', ok: further === 0 });

    await using forgotten = await startScriptedSummarizer({ delayMs: DELAY_MS });
    const mutant = await runWithKills({
      ...common,
      ...{ server: forgotten, kills: MUTANT_KILLS, questions: MUTANT_KILLS * MUTANT_QUESTIONS },
      ...{ random: createRandom(SEED), isFinished: false },
      job: { ...job, output: at('mutant.jsonl'), settings: { ...settings, baseUrl: forgotten.url }, isForgetful: true },
    });
    const asked = countCalls(forgotten);
    const repeated = asked - forgotten.asked.size;
    const excused = countExcused(mutant.inFlight);
    const caught = repeated > excused && Math.max(...mutant.inFlight) > CONCURRENT;
    context.report({
      name: 'mutant: a journal that writes nothing down',
      figure: `${repeated} of ${asked} calls were paid for twice after ${mutant.kills} kills, up to ${Math.max(...mutant.inFlight)} not kept at one, ${caught ? 'caught' : 'not caught'}`,
      bar: `caught (> ${excused})`,
      ok: caught,
    });
  },
};

/** A call that was asked for is lost to a kill only while it is under way, and so many are at once. */
const countExcused = (inFlight: readonly number[]): number =>
  inFlight.reduce((sum, calls) => sum + Math.min(CONCURRENT, calls), 0);
