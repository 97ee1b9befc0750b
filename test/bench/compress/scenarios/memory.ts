import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';

import { startScriptedSummarizer } from '../../../conformance/hermes-batch/compress/start-scripted-summarizer.ts';
import { writeConfig } from '../../../conformance/hermes-batch/compress/write-config.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { makeLongRows } from '../runs/make-long-rows.ts';
import { type CliRun, runCli, watchProcess } from '../runs/run-cli.ts';

const MEGABYTE = 1024 * 1024;
const SMALL_BYTES = 50 * MEGABYTE;
const LARGE_BYTES = 200 * MEGABYTE;
const FULL_BYTES = 2_048 * MEGABYTE;
/** Four or forty times the rows may not take a third more memory, and never more than this. */
const GROWTH = 1.33;
const LIMIT_BYTES = 350 * MEGABYTE;
const TIMEOUT_MS = 1_500_000;
const HOARDER = 'test/bench/compress/runs/hoarding-process.ts';

/** A file of any length in the memory of a short one. */
export const memoryScenario: Scenario = {
  name: 'memory',
  title: 'a file of 200 MB, with --full of 2 GB, is compressed in flat memory',
  async run(context) {
    const folder = await context.scratch();
    await using server = await startScriptedSummarizer();
    const config = join(folder, 'config.yaml');
    await writeConfig(config, { url: server.url, target: 20_000, summaryTarget: 500, passes: 4 });
    const input = join(folder, 'rows.jsonl');
    const output = join(folder, 'out.jsonl');
    const measure = async (run: () => Promise<CliRun>): Promise<CliRun> => {
      const measured = await run();
      for (const path of [output, `${output}.summaries`]) await rm(path, { force: true });
      return measured;
    };
    const flags = ['--input', input, '--output', output, '--config', config, '--tokenizer', 'characters/4'];
    const command = (): Promise<CliRun> => runCli(flags, TIMEOUT_MS);
    const hoard = (): Promise<CliRun> => watchProcess([HOARDER, input, output, config], TIMEOUT_MS);

    await writeRows(input, SMALL_BYTES);
    const small = await measure(command);
    const smallHoard = await measure(hoard);
    // Not the two gigabytes: the fault shows with less, and would take all there is.
    await writeRows(input, LARGE_BYTES);
    context.log(`${show(LARGE_BYTES)} written`);
    const largeHoard = await measure(hoard);
    if (context.full) {
      await writeRows(input, FULL_BYTES);
      context.log(`${show(FULL_BYTES)} written`);
    }
    const large = await measure(command);
    await rm(input);

    const verdict = judge(small, large);
    context.report({
      name: 'peak memory',
      figure: `${show(large.peakBytes)} for ${large.rows} rows (${context.full ? '2 GB' : '200 MB'}, ${large.compressed} compressed, ${(large.rows / large.seconds).toFixed(0)} rows/s), ${show(small.peakBytes)} for ${small.rows}: ${verdict.growth.toFixed(2)}×`,
      bar: `≤ ${GROWTH}×, ≤ ${show(LIMIT_BYTES)}`,
      ok: verdict.isFlat && large.compressed > 0,
    });
    const fault = judge(smallHoard, largeHoard);
    context.report({
      name: 'fault: a part that keeps every text',
      figure: `${show(largeHoard.peakBytes)} for 200 MB, ${show(smallHoard.peakBytes)} for 50 MB: ${fault.growth.toFixed(2)}×, ${fault.isFlat ? 'not caught' : 'caught'}`,
      bar: 'caught',
      ok: !fault.isFlat,
    });
  },
};

function judge(small: CliRun, large: CliRun): { growth: number; isFlat: boolean } {
  const growth = large.peakBytes / small.peakBytes;
  return { growth, isFlat: growth <= GROWTH && large.peakBytes <= LIMIT_BYTES };
}

const show = (bytes: number): string => `${Math.round(bytes / MEGABYTE)} MB`;

/** Made while it is written: rows that fit and rows that do not, in turn. */
async function writeRows(path: string, bytes: number): Promise<void> {
  const out = createWriteStream(path);
  let written = 0;
  for (let seed = 1; written < bytes; seed += 1) {
    for (const exchanges of [12, 34, 12, 18]) {
      for (const line of makeLongRows({ count: 25, seed, exchanges })) {
        written += line.length + 1;
        if (!out.write(`${line}\n`)) await once(out, 'drain');
      }
    }
  }
  out.end();
  await once(out, 'finish');
}
