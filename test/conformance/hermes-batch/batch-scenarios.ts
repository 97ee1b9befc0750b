import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readShareGpt } from '@lachesis/data';
import { toShareGpt } from '../../../packages/data/src/export/sharegpt/to-sharegpt.ts';

import { findHermesPython } from '../../peers/hermes/run-hermes.ts';
import { runHermesBatch } from '../../peers/hermes/run-hermes-batch.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { mutants as formatMutants } from '../hermes-format/mutants.ts';
import { startScriptedModel } from '../hermes-format/start-scripted-model.ts';
import { type BatchRow, byIndex, compareRuns, readRun, toFacts } from './batch/compare-runs.ts';
import { cleanText, makePrompts } from './batch/make-prompts.ts';
import { runOurBatch } from './batch/run-our-batch.ts';

const PROMPTS = 50;
const FULL_PROMPTS = 200;
const SEED = 10;
const BATCH_SIZE = 10;
const WORKERS = 2;
/** More replies than any prompt has. */
const MAX_TURNS = 10;
/** A minute on two free cores, nearly all of it the client and the agent that Hermes makes for each prompt. */
const TIMEOUT_MS = 600_000;

/** The real batch runner and ours, on the same prompts with the same scripted model. */
export const batchScenario: Scenario = {
  name: 'batch',
  title:
    'the batch runner of hermes-agent 0.19.0 and ours make the same rows of the same prompts, and each goes on with the other',
  async run(context) {
    const python = findHermesPython();
    if (python === undefined) throw new Error('There is no Hermes peer. Run .ci/setup, then . .ci/env.sh');
    const folder = await context.scratch();
    const { prompts, script, changed, failing, silent } = makePrompts(context.full ? FULL_PROMPTS : PROMPTS, SEED);
    const datasetFile = join(folder, 'prompts.jsonl');
    await writeFile(
      datasetFile,
      prompts.map((prompt) => `${JSON.stringify({ prompt })}\n`),
    );
    // One for each who is counted: the runs go side by side, since nearly all of the time is that of Hermes' agents.
    await using theirModel = await startScriptedModel(script);
    await using ourModel = await startScriptedModel(script);
    await using adoptingModel = await startScriptedModel(script);
    const [theirCwd, ourCwd] = [join(folder, 'theirs'), join(folder, 'ours')];
    await Promise.all([theirCwd, ourCwd].map((path) => mkdir(path)));
    const hermes = (cwd: string, resume: boolean) =>
      runHermesBatch({
        python,
        timeoutMs: TIMEOUT_MS,
        job: {
          ...{
            home: join(folder, 'hermes'),
            cwd,
            base_url: theirModel.baseUrl,
            dataset_file: datasetFile,
            run_name: 'run',
          },
          ...{ batch_size: BATCH_SIZE, num_workers: WORKERS, max_turns: MAX_TURNS, resume },
        },
      });
    const lachesis = (cwd: string, home: string, resume: boolean, model = ourModel) =>
      runOurBatch({
        ...{ cwd, home: join(folder, home), baseUrl: model.baseUrl, datasetFile, runName: 'run', resume },
        ...{ batchSize: BATCH_SIZE, numWorkers: WORKERS, timeoutMs: TIMEOUT_MS },
      });

    const timed = async <T>(name: string, work: Promise<T>): Promise<T> => {
      const begun = performance.now();
      const ended = await work;
      context.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
      return ended;
    };
    context.log(`${prompts.length} prompts through Hermes and through ours …`);
    const [, { code, output }] = await Promise.all([
      timed('Hermes', hermes(theirCwd, false)),
      timed('ours', lachesis(ourCwd, 'home', false)),
    ]);
    const calls = ourModel.calls();
    const theirs = await readRun(join(theirCwd, 'data', 'run'));
    const ours = await readRun(join(ourCwd, 'data', 'run')).catch((error: unknown) => {
      throw new Error(`ours ended with ${code}:\n${output}`, { cause: error });
    });

    const isChanged = (key: string): boolean => changed.has(Number(key.split('/')[0]));
    const all = compareRuns(theirs, ours);
    const different = all.filter((key) => !isChanged(key));
    for (const key of different.slice(0, 5))
      context.log(`${key}\n  Hermes ${toFacts(theirs.get(key))}\n  ours   ${toFacts(ours.get(key))}`);
    const repeated = prompts.length - new Set(prompts).size;
    context.report({
      name: 'rows',
      figure: `${different.length} of ${theirs.size} differ; of ${prompts.length} prompts ${repeated} are repeated, ${silent.size} without reasoning, ${failing.size} refused`,
      bar: '0, every prompt accounted for',
      ok: different.length === 0 && theirs.size > 0 && ours.size === prompts.length - silent.size - failing.size,
    });
    const rawTexts = [
      ...new Set([...script.values()].flat().flatMap((reply) => ('status' in reply ? [] : (reply.content ?? [])))),
    ];
    const imitated = new Map([...ours].map(([key, row]) => [key, cleanRow(row, rawTexts)]));
    const left = compareRuns(theirs, imitated);
    for (const key of left.slice(0, 5))
      context.log(`${key}\n  Hermes ${toFacts(theirs.get(key))}\n  ours   ${toFacts(imitated.get(key))}`);
    context.report({
      name: 'defect: its agent takes white space and lone tags out of replies',
      figure: `${all.filter(isChanged).length} rows differ, ${left.length} of all when ours does as Hermes does`,
      bar: '≥ 1, 0',
      ok: all.some(isChanged) && left.length === 0,
    });
    const discarded = await readIndexes(join(ourCwd, 'data', 'run', 'discarded.jsonl'));
    const failures = await readIndexes(join(ourCwd, 'data', 'run', 'failures.jsonl'));
    context.report({
      name: 'what Hermes loses',
      figure: `${discarded.length} discarded rows kept apart, ${failures.length} failures with their reason; Hermes marks all of them done and keeps nothing`,
      bar: `${silent.size} and ${failing.size}`,
      ok: isSame(discarded, silent) && isSame(failures, failing) && code === (failing.size > 0 ? 1 : 0),
    });

    // Ours goes on in a folder of Hermes, with a database that has never heard of it; Hermes goes on in a folder of ours; and
    // ours goes on where nothing is left to do.
    await cp(theirCwd, join(folder, 'theirs-then-ours'), { recursive: true });
    await cp(ourCwd, join(folder, 'ours-then-theirs'), { recursive: true });
    const [, resuming] = await Promise.all([
      timed('ours after Hermes', lachesis(join(folder, 'theirs-then-ours'), 'home-2', true, adoptingModel)),
      timed('Hermes after ours', hermes(join(folder, 'ours-then-theirs'), true)),
      timed('ours once more', lachesis(ourCwd, 'home', true)),
    ]);
    const again = ourModel.calls() - calls;
    const askedAgain = adoptingModel.calls();
    const missing = prompts.flatMap((_, at) => (theirs.has(String(at)) ? [] : [at]));
    const callsOf = (indexes: readonly number[]): number =>
      indexes.reduce((sum, at) => sum + (script.get(/#q\d+#/.exec(prompts[at] ?? '')?.[0] ?? '')?.length ?? 0), 0);
    const adopted = await readRun(join(folder, 'theirs-then-ours', 'data', 'run'));
    context.report({
      name: 'ours goes on with its folder',
      figure: `${compareRuns(theirs, adopted).length} of ${adopted.size} rows differ; ${askedAgain} calls, for the ${missing.length} prompts of which it kept nothing`,
      bar: `0; ${callsOf(missing)} calls`,
      ok: compareRuns(theirs, adopted).length === 0 && askedAgain === callsOf(missing),
    });

    const kept = await readRun(join(folder, 'ours-then-theirs', 'data', 'run'));
    const resumed = /RESUMING WITH:\s+(\d+)/.exec(resuming)?.[1] ?? 'none';
    const withoutRow = prompts.filter((_, at) => !ours.has(String(at))).length;
    context.report({
      name: 'Hermes goes on with our folder',
      figure: `${compareRuns(ours, kept).length} of ${kept.size} rows differ after its merge; it found ${resumed} prompts without a row`,
      bar: `0; ${withoutRow}`,
      ok: compareRuns(ours, kept).length === 0 && Number(resumed) === withoutRow,
    });
    context.report({
      name: 'a second resume',
      figure: `${again} calls of the model (the first run: ${calls})`,
      bar: '0',
      ok: again === 0 && calls > 0,
    });

    for (const [name, mutant] of Object.entries(mutants)) {
      const caught = compareRuns(theirs, byIndex(await mutant([...ours.values()], prompts))).length;
      context.report({ name: `mutant: ${name}`, figure: `caught by ${caught} rows`, bar: '≥ 1', ok: caught > 0 });
    }
  },
};

async function readIndexes(file: string): Promise<number[]> {
  const text = await readFile(file, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { prompt_index: number }).prompt_index);
}

const isSame = (found: readonly number[], expected: ReadonlySet<number>): boolean =>
  found.length === expected.size && found.every((index) => expected.has(index));

/** A row as it would be had Hermes' agent held the conversation. */
function cleanRow(row: BatchRow, texts: readonly string[]): BatchRow {
  // A text stands before the first call, or it is the end of the reply, where both strip.
  const replaceIn = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    for (const raw of texts) {
      const clean = cleanText(raw);
      if (clean === raw || clean === '') continue;
      const before = `${raw}\n<tool_call>`;
      if (value.includes(before)) return value.replace(before, () => `${clean}\n<tool_call>`);
      if (value.endsWith(raw.trim())) return value.slice(0, -raw.trim().length) + clean;
    }
    return value;
  };
  return {
    ...row,
    conversations: row.conversations.map(({ from, value }) => ({
      from,
      value: from === 'gpt' ? replaceIn(value) : value,
    })),
  };
}

type Mutant = (rows: BatchRow[], prompts: readonly string[]) => BatchRow[] | Promise<BatchRow[]>;

/** Runners with one fault each. */
const mutants: Readonly<Record<string, Mutant>> = {
  'writes JSON without spaces': async (rows) => {
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    const written: BatchRow[] = [];
    for await (const read of readShareGpt(text)) {
      const row = rows[written.length];
      if (!('record' in read) || row === undefined) continue;
      const conversations = toShareGpt(read.record, formatMutants['no space behind : and ,']);
      written.push({ ...row, conversations });
    }
    return written;
  },
  'asks a repeated prompt once': (rows, prompts) =>
    rows.filter(({ prompt_index: index }) => prompts.indexOf(prompts[index] ?? '') === index),
  'mixes up two prompts': (rows) =>
    rows.map((row, at) => ({ ...row, conversations: (rows[at ^ 1] ?? row).conversations })),
};
