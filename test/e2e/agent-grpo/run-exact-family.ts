import { createTrajectoryClient } from '@lachesis/sdk';
import { createRandom } from '@lachesis/sdk/environment';
import { loadTokenizer } from '@lachesis/sdk/render';
import { fileURLToPath } from 'node:url';

import {
  encodeOddly,
  writeAnswer,
  writeCall,
} from '../../../packages/sdk/src/environment/agent/testing/odd-replies.fixture.ts';
import { startReEncodingServer } from '../../conformance/inference/re-encoding-server.ts';
import { startScriptedEngine } from '../../conformance/inference/scripted-engine.ts';
import type { ScriptedEngine } from '../../conformance/inference/scripted-engine.ts';
import { startProcess } from '../../kit/start-process.ts';
import { startInference } from '../../peers/openai/start-inference.ts';
import { countStrangers, listSpans } from './compare-spans.ts';
import type { Span } from './compare-spans.ts';
import { readPayloadRows } from './read-arrived-rows.ts';
import type { ArrivedRow } from './read-arrived-rows.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const environment = fileURLToPath(new URL('exact.ts', import.meta.url));

const GROUP_SIZE = 10;
/** Different replies of each kind; the engine draws from them. */
const REPLIES = 200;
const CALL_SHARE = 0.75;
const LATE_MS = 90_000;

export interface ExactFamilyOptions {
  readonly family: string;
  /** Of its tokenizer. */
  readonly directory: string;
  /** A trajectory API that listens. */
  readonly apiUrl: string;
  /** Rollouts of more than one turn. */
  readonly rollouts: number;
  /** Where the environment may write. */
  readonly cwd: string;
  /** Of compiled code, which the inference of one family leaves for that of the next. */
  readonly codeCache: string;
}

export interface ExactFamily {
  readonly rollouts: number;
  readonly severalTurns: number;
  readonly rows: number;
  readonly spans: number;
  /** Trained on and never sampled. */
  readonly strangers: number;
  /** Rollouts whose trained replies are not as many as their replies. */
  readonly incomplete: number;
}

interface CollectOptions extends ExactFamilyOptions {
  readonly run: string;
  readonly inferenceUrl: string;
}

/** Both ways over the same engine and inference: as it is, and with a server between that makes tokens from text again. */
export async function runExactFamily(options: ExactFamilyOptions): Promise<{ ours: ExactFamily; mutant: ExactFamily }> {
  const { family, directory } = options;
  await using engine = await startOddEngine(family, directory);
  await using server = await startInference({
    args: ['--engine-url', engine.url, '--base-model', 'fake/model', '--tokenizer', directory],
    env: { NODE_COMPILE_CACHE: options.codeCache },
  });
  const ours = judge(await collect({ ...options, run: family, inferenceUrl: server.url }), engine);
  await using proxy = await startReEncodingServer({ url: server.url, tokenizerDirectory: directory });
  const few = { ...options, rollouts: GROUP_SIZE, run: `${family}-again`, inferenceUrl: proxy.url };
  return { ours, mutant: judge(await collect(few), engine) };
}

/** Calls and answers of the family, in tokens that no encoder would write. */
async function startOddEngine(family: string, directory: string): Promise<ScriptedEngine> {
  const tokenizer = await loadTokenizer({ directory });
  const random = createRandom('exact', family);
  const make = (write: () => string): Promise<Int32Array[]> =>
    Promise.all(Array.from({ length: REPLIES }, () => encodeOddly(tokenizer, write(), random)));
  const calls = await make(() => writeCall(family, random));
  const answers = await make(() => writeAnswer(random));
  return startScriptedEngine(() => [...random.pick(random.next() < CALL_SHARE ? calls : answers)]);
}

/** As a trainer that learns nothing. */
async function collect(options: CollectOptions): Promise<ArrivedRow[]> {
  const url = `${options.apiUrl}/run/${options.run}`;
  const client = createTrajectoryClient({ url });
  const batchSize = 2 * GROUP_SIZE;
  await client.register({ batch_size: batchSize });
  await using serving = await startProcess({
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', CLI, 'env', 'serve', environment, '--env.group_size', String(GROUP_SIZE)],
      ...['--openai.0.base_url', `${options.inferenceUrl}/v1`, '--openai.0.api_key', 'x'],
      ...['--env.rollout_server_url', url, '--env.batch_size', String(batchSize)],
      ...['--env.steps_per_eval', '0', '--env.max_num_workers', '4'],
    ],
    name: `the environment of ${options.run}`,
    cwd: options.cwd,
  });
  const startedAt = performance.now();
  const rows: ArrivedRow[] = [];
  while (countSeveral(rows) < options.rollouts) {
    if (performance.now() - startedAt > LATE_MS) {
      throw new Error(`${options.run} is late with ${rows.length} rows\n${serving.logs().slice(-3_000)}`);
    }
    const batch = await client.leaseBatch({ waitSeconds: 2, consumer: 'exact' });
    if (batch === null) continue;
    rows.push(...(await client.fetchBatchGroups(batch)).flatMap(readPayloadRows));
    await client.ack(batch);
  }
  return rows;
}

const byRollout = (rows: readonly ArrivedRow[]): ArrivedRow[][] => [
  ...Map.groupBy(rows, ({ rolloutId }) => rolloutId).values(),
];

const countSeveral = (rows: readonly ArrivedRow[]): number =>
  byRollout(rows).filter(([row]) => (row?.replies ?? 0) > 1).length;

function judge(rows: readonly ArrivedRow[], { samples }: ScriptedEngine): ExactFamily {
  const rollouts = byRollout(rows);
  const trained = rows.flatMap(listSpans);
  const sampled = samples.flatMap(({ prompt, sequences }) => sequences.map((each): Span => ({ prompt, ...each })));
  return {
    rollouts: rollouts.length,
    severalTurns: countSeveral(rows),
    rows: rows.length,
    spans: trained.length,
    strangers: countStrangers(trained, sampled),
    incomplete: rollouts.filter((each) => each.flatMap(listSpans).length !== each[0]?.replies).length,
  };
}
