import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createCharacterCounter, readShareGpt } from '@lachesis/data';

import { findHermesPython } from '../../peers/hermes/run-hermes.ts';
import { type CompressorTask, runCompressor } from '../../peers/hermes/run-compressor.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { makeTrajectories } from './compress/make-trajectories.ts';
import { type RunOursOptions, runOurs } from './compress/run-ours.ts';
import { startScriptedSummarizer } from './compress/start-scripted-summarizer.ts';
import { type CompressConfig, writeConfig } from './compress/write-config.ts';

const ROWS_PER_GROUP = 125;
const SEED = 10;
const TIMEOUT_MS = 240_000;

/** Four ways of setting it up, each with its own rows: together 500. */
const GROUPS: readonly Omit<CompressConfig, 'url'>[] = [
  { target: 3_000, summaryTarget: 100 },
  { target: 1_500, summaryTarget: 400, last: 2 },
  { target: 4_000, summaryTarget: 50, last: 7, firstTool: false },
  { target: 2_000, summaryTarget: 750, last: 0, hasNotice: false },
];

/** What the scripted model says: of the asked length or far longer, with and without the prefix, with spaces around it. */
function sayOf(digest: string): string {
  const kind = Number.parseInt(digest.slice(0, 4), 16) % 7;
  if (kind === 0) return `[CONTEXT SUMMARY]: ${'far too long '.repeat(400)}${digest.slice(0, 8)}`;
  if (kind === 1) return `  \u00a0\n the agent went on (${digest.slice(0, 8)})\u2003\n`;
  if (kind === 2) return `[CONTEXT SUMMARY]:ohne Abstand, 世界 😀 ${digest.slice(0, 8)}`;
  return `[CONTEXT SUMMARY]: ${digest.slice(0, 40)}`;
}

/** A line of ours without the two fields that Hermes does not have. */
const withoutOurs = (line: string): string => line.replace(/, "compression_fidelity": .*$/s, '}');

const readRows = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');

interface Compared {
  readonly rows: number;
  readonly different: number;
  readonly compressed: number;
  readonly over: number;
}

function compare(theirs: readonly string[], ours: readonly string[], log?: (text: string) => void): Compared {
  let different = Math.abs(theirs.length - ours.length);
  for (const [at, line] of theirs.entries()) {
    const mine = withoutOurs(ours[at] ?? '');
    if (mine === line) continue;
    different += 1;
    if (different < 4) log?.(describeDifference(at, line, mine));
  }
  const having = (text: string): number => theirs.filter((line) => line.includes(text)).length;
  return {
    ...{ rows: theirs.length, different },
    ...{ compressed: having('"was_compressed": true'), over: having('"still_over_limit": true') },
  };
}

function describeDifference(at: number, line: string, mine: string): string {
  let from = 0;
  while (from < line.length && line[from] === mine[from]) from += 1;
  const cut = (text: string): string => text.slice(Math.max(0, from - 80), from + 120);
  return `row ${at}\n  Hermes …${cut(line)}\n  ours   …${cut(mine)}`;
}

/** The real compressor of hermes-agent 0.19.0 and ours, on the same rows and with the same scripted summariser. */
export const compressScenario: Scenario = {
  name: 'compress',
  title: 'the compressor of hermes-agent 0.19.0 and ours choose the same turns and write the same rows',
  async run(context) {
    const python = findHermesPython();
    if (python === undefined) throw new Error('There is no Hermes peer. Run .ci/setup, then . .ci/env.sh');
    const home = await context.scratch();
    const folder = await context.scratch();
    await using asked = await startScriptedSummarizer({ reply: sayOf, recordsContents: true });
    await using askedByUs = await startScriptedSummarizer({ reply: sayOf, recordsContents: true });
    await using broken = await startScriptedSummarizer({ refuse: () => ({ status: 500 }) });

    const at = (...parts: string[]): string => join(folder, ...parts);
    const tasks: CompressorTask[] = [];
    for (const [number, group] of GROUPS.entries()) {
      const name = `group-${number}`;
      await mkdir(at(name));
      const lines = [...makeTrajectories({ count: ROWS_PER_GROUP, seed: SEED + number })];
      // Rows without a conversation, and lines that are no JSON, stand among them.
      lines.splice(7, 0, '{"note": "no conversation", "x": 1.0}', '{"conversations": [', '');
      await writeFile(at(name, 'rows.jsonl'), `${lines.join('\n')}\n`);
      await writeConfig(at(`${name}.yaml`), { ...group, url: asked.url });
      await writeConfig(at(`${name}-ours.yaml`), { ...group, url: askedByUs.url });
      tasks.push({ input: at(name), output: at(`${name}-hermes`), config: at(`${name}.yaml`) });
    }
    // What is known to go wrong there.
    await mkdir(at('failing'));
    await writeFile(
      at('failing', 'rows.jsonl'),
      [...makeTrajectories({ count: 6, seed: 77 })].map((line) => `${line}\n`),
    );
    await writeConfig(at('failing.yaml'), { url: broken.url, target: 1_000, summaryTarget: 100 });
    await mkdir(at('run'));
    const few = [...makeTrajectories({ count: 6, seed: 78 })];
    for (const name of ['batch_0.jsonl', 'trajectories.jsonl']) await writeFile(at('run', name), `${few.join('\n')}\n`);
    await using twice = await startScriptedSummarizer();
    await using once = await startScriptedSummarizer();
    await writeConfig(at('run.yaml'), { url: twice.url, target: 1_000, summaryTarget: 100 });
    await writeConfig(at('run-ours.yaml'), { url: once.url, target: 1_000, summaryTarget: 100 });
    tasks.push({ input: at('failing'), output: at('failing-hermes'), config: at('failing.yaml') });
    tasks.push({ input: at('run'), output: at('run-hermes'), config: at('run.yaml') });
    const sampleOf = { sample_percent: 30, seed: 42 };
    await writeConfig(at('sample.yaml'), { url: asked.url, target: 10_000_000, summaryTarget: 100 });
    tasks.push({
      input: at('group-0', 'rows.jsonl'),
      output: at('sample.jsonl'),
      config: at('sample.yaml'),
      sample: sampleOf,
    });

    context.log('the real compressor of Hermes …');
    await runCompressor({ python, timeoutMs: TIMEOUT_MS, job: { home, one_certificate: true, tasks } });

    const ourTask = (number: number): RunOursOptions => ({
      ...{ input: at(`group-${number}`), output: at(`group-${number}-ours`), config: at(`group-${number}-ours.yaml`) },
    });
    const sum = { rows: 0, different: 0, compressed: 0, over: 0 };
    let fileDiffers = 0;
    const theirs: string[][] = [];
    for (const number of GROUPS.keys()) {
      await runOurs(ourTask(number));
      theirs[number] = await readRows(at(`group-${number}-hermes`, 'rows.jsonl'));
      const found = compare(theirs[number], await readRows(at(`group-${number}-ours`, 'rows.jsonl')), context.log);
      for (const key of Object.keys(sum) as (keyof Compared)[]) sum[key] += found[key];
      fileDiffers += Number(
        (await readMetrics(at(`group-${number}-hermes`))) !== (await readMetrics(at(`group-${number}-ours`))),
      );
    }
    context.report({
      name: 'rows',
      figure: `${sum.different} of ${sum.rows} differ in a byte, metrics of the row included; ${sum.compressed} compressed, ${sum.over} of them still over`,
      bar: '0 of ≥ 500; ≥ 300 compressed',
      ok: sum.different === 0 && sum.rows >= 500 && sum.compressed >= 300,
    });
    const onlyOne = [...asked.contents.keys(), ...askedByUs.contents.keys()].filter(
      (digest) => !(asked.contents.has(digest) && askedByUs.contents.has(digest)),
    );
    context.report({
      name: 'turns that the summariser reads',
      figure: `${onlyOne.length} of ${asked.contents.size} texts are asked about by one alone`,
      bar: '0',
      ok: onlyOne.length === 0 && asked.contents.size >= 300,
    });
    context.report({
      name: 'metrics files',
      figure: `${fileDiffers} of ${GROUPS.length} differ, times and our two groups apart`,
      bar: '0',
      ok: fileDiffers === 0,
    });

    // Asked to go on until it fits.
    const over = { all: 0, withRoom: 0, fits: 0 };
    for (const number of GROUPS.keys()) {
      const output = at(`again-${number}`);
      await runOurs({ ...ourTask(number), output, change: { maxPasses: 4 } });
      for (const line of await readRows(join(output, 'rows.jsonl'))) {
        if (!line.includes('"was_compressed": true')) continue;
        const room = readRoom(line);
        if (!line.includes('"still_over_limit": true')) over.fits += 1;
        else {
          over.all += 1;
          if (room >= LEAST_ROOM) over.withRoom += 1;
        }
      }
    }
    context.report({
      name: 'iterated until it fits',
      figure: `rows with a summary over the limit: ${sum.over} at Hermes, ${over.all} with ours, ${over.withRoom} of them with room for a summary beside what is protected`,
      bar: `fewer, 0`,
      ok: over.all < sum.over && over.withRoom === 0,
    });

    const placeholders = (await readRows(at('failing-hermes', 'rows.jsonl'))).filter((line) =>
      line.includes('generation failed'),
    );
    const failing = await runOurs({ input: at('failing'), output: at('failing-ours'), config: at('failing.yaml') });
    const kept =
      (await readFile(at('failing-ours', 'rows.jsonl'), 'utf8')) ===
      (await readFile(at('failing', 'rows.jsonl'), 'utf8'));
    context.report({
      name: 'defect: a placeholder counts as a summary',
      figure: `${placeholders.length} rows at Hermes; ours: ${failing.sums.compressed} compressed, ${failing.sums.failed} failed, originals ${kept ? 'kept' : 'lost'}`,
      bar: '≥ 1; 0, the same number, kept',
      ok:
        placeholders.length > 0 && failing.sums.compressed === 0 && failing.sums.failed === placeholders.length && kept,
    });
    await runOurs({ input: at('run'), output: at('run-ours'), config: at('run-ours.yaml') });
    const [callsTwice, callsOnce] = [twice, once].map((server) =>
      [...server.asked.values()].reduce((all, each) => all + each, 0),
    );
    context.report({
      name: 'defect: the folder of a batch run is paid for twice',
      figure: `${callsTwice} calls at Hermes, ${callsOnce} of ours`,
      bar: 'ours half',
      ok: callsOnce !== undefined && callsOnce > 0 && callsTwice === callsOnce * 2,
    });
    await runOurs({
      ...{ input: at('group-0', 'rows.jsonl'), output: at('sample-ours.jsonl'), config: at('sample.yaml') },
      sample: { percent: sampleOf.sample_percent, seed: sampleOf.seed },
    });
    const [drawn, drawnByUs] = await Promise.all(
      ['sample.jsonl', 'sample-ours.jsonl'].map((name) => readRows(at(name))),
    );
    context.report({
      name: 'sample of 30 %',
      figure: `${drawnByUs?.length} rows, ${drawn?.filter((line) => drawnByUs?.includes(line)).length} of the ${drawn?.length} that Hermes draws`,
      bar: 'the same rows',
      ok:
        drawn !== undefined &&
        drawn.length > 10 &&
        JSON.stringify(drawn.toSorted()) === JSON.stringify(drawnByUs?.toSorted()),
    });

    const read = await Array.fromAsync(readShareGpt(`${theirs.flat().join('\n')}\n`, { repair: false }));
    const unread = read.filter((result) => 'problem' in result).length;
    context.report({
      name: 'its compressed files read by us',
      figure: `${unread} of ${read.length} rows cannot be read`,
      bar: `${GROUPS.length}, the ones without a conversation`,
      ok: unread === GROUPS.length,
    });

    for (const [name, fault] of Object.entries(mutants)) {
      let caught = 0;
      for (const number of GROUPS.keys()) {
        const output = at(`mutant-${name.replaceAll(' ', '-')}-${number}`);
        await runOurs({ ...ourTask(number), output, ...fault });
        caught += compare(theirs[number] ?? [], await readRows(join(output, 'rows.jsonl'))).different;
      }
      context.report({ name: `mutant: ${name}`, figure: `caught by ${caught} rows`, bar: '≥ 1', ok: caught > 0 });
    }
  },
};

/** Compressors with one fault each, as somebody could write them. */
const mutants: Readonly<Record<string, Partial<RunOursOptions>>> = {
  'characters are counted as JavaScript counts them': {
    counter: { ...createCharacterCounter(), count: (text) => Math.floor(text.length / 4) },
  },
  'a quarter is rounded up': {
    counter: { ...createCharacterCounter(), count: (text) => Math.ceil(Array.from(text).length / 4) },
  },
  'the first answer of a tool is not protected': { change: { protectFirstTool: false } },
};

async function readMetrics(folder: string): Promise<string> {
  const file = JSON.parse(await readFile(join(folder, 'compression_metrics.json'), 'utf8')) as Record<string, unknown>;
  const { processing: _times, fidelity: _ours, lachesis: _alsoOurs, ...known } = file;
  return JSON.stringify(known);
}

/** A summary shorter than this says nothing, and is not asked for. */
const LEAST_ROOM = 40;

/** What the longest region leaves for a summary. */
function readRoom(line: string): number {
  const { compression_provenance: origin } = JSON.parse(line) as {
    compression_provenance: {
      target_max_tokens: number;
      passes: { end_idx: number; summary_tokens: number; tokens_after: number }[];
    };
  };
  return Math.max(
    ...origin.passes.map(
      ({ summary_tokens: summary, tokens_after: after }) => origin.target_max_tokens - after + summary,
    ),
  );
}
