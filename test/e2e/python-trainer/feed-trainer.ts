import { startScriptedEngine, type EngineSample } from '../../conformance/inference/scripted-engine.ts';
import { startReEncodingServer } from '../../conformance/inference/re-encoding-server.ts';
import { prepareBatches, type PreparedBatch } from '../../peers/atropos/start-trainer.ts';
import { startServer } from '../../peers/atropos/start-server.ts';
import { startInference } from '../../peers/openai/start-inference.ts';
import { CHATML, createTinyModel } from '../../../packages/sdk/src/render/testing/tiny-model.fixture.ts';
import { startLachesis } from '../../peers/atropos/start-lachesis.ts';

export const GROUP_SIZE = 8;
export const BATCH_SIZE = 32;
const REPLY_TOKENS = 8;
const SEVEN = 0x37;

/** What `digits` scores, counted in tokens: one byte is one token here. */
export const scoreTokens = (tokens: readonly number[]): number =>
  tokens.filter((token) => token === SEVEN).length / REPLY_TOKENS;

export interface Feeding {
  readonly samples: readonly EngineSample[];
  readonly batches: readonly PreparedBatch[];
}

/** Runs `digits` until the example trainer has prepared what it can get. */
export async function feedTrainer(options: {
  /** A folder to run in. */
  readonly cwd: string;
  /** Whether a server stands before inference that makes tokens from text again. */
  readonly reEncodes: boolean;
  /** Ends what was started, also when the show is interrupted. */
  readonly defer: (cleanup: () => Promise<void>) => void;
}): Promise<Feeding> {
  const { cwd } = options;
  const model = await createTinyModel({ template: CHATML });
  await using stack = new AsyncDisposableStack();
  options.defer(() => stack.disposeAsync());
  stack.defer(() => model.remove());
  const engine = stack.use(await startScriptedEngine(writeReply));
  const [api, inference] = await Promise.all([
    startServer().then((server) => stack.use(server)),
    startInference({
      args: ['--engine-url', engine.url, '--base-model', 'fake/model', '--tokenizer', model.directory],
    }).then((server) => stack.use(server)),
  ]);
  const asked = options.reEncodes
    ? stack.use(await startReEncodingServer({ url: inference.url, tokenizerDirectory: model.directory }))
    : inference;
  const preparing = prepareBatches({
    ...{ url: api.url, batchSize: BATCH_SIZE, microBatch: GROUP_SIZE, cwd, timeoutMs: 60_000 },
  });
  const environment = stack.use(
    await startLachesis({
      args: [
        ...['env', 'serve', 'digits', '--env.rollout_server_url', api.url, '--openai.base_url', `${asked.url}/v1`],
        ...['--env.group_size', String(GROUP_SIZE), '--env.batch_size', String(BATCH_SIZE)],
        ...['--env.max_completion_tokens', String(REPLY_TOKENS), '--env.max_num_workers', '2'],
        ...['--env.max_batches_offpolicy', '1', '--env.total_steps', '1000'],
      ],
      cwd,
      home: cwd,
    }),
  );
  const died = environment.exited.then(() => {
    throw new Error(`the environment ended before the trainer had its batch:\n${environment.logs()}`);
  });
  const batches = await Promise.race([preparing, died]);
  died.catch(() => undefined);
  return { samples: engine.samples, batches };
}

/** Some sevens, bytes that are no text on their own, and the number of the request: no two replies are the same. */
function writeReply({ count, index }: { count: number; index: number }): number[] {
  const sevens = Array.from({ length: (count + index) % 4 }, () => SEVEN);
  return [...sevens, 0xc3, 0x28, 0x80 + (count % 64), 0x80 + index, 0x61, 0x62, 0x63].slice(0, REPLY_TOKENS);
}
