import { recipeSchema } from '@lachesis/protocol';
import { createTinkerClient, downloadAdapter, type CustomLoss, type Datum, type PassOptions } from '@lachesis/tinker';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { EngineModel, EngineTraits } from '../../../packages/server/src/services/training/engine/engine.ts';
import { createTinkerEngine } from '../../../packages/server/src/services/training/engine/tinker-engine.ts';
import { createConverter } from '../../../packages/server/src/services/training/rl/datums/create-converter.ts';
import { makeGroup } from '../../../packages/server/src/services/training/rl/datums/group.fixture.ts';
import { startPass } from '../../../packages/server/src/services/training/rl/losses/start-pass.ts';
import { loadOwnCode } from '../../../packages/server/src/services/training/rl/own-code/load-own-code.ts';
import { readFloats } from '../../../packages/tinker/src/weights/merge/float-formats.ts';
import { readSafetensorsHeader } from '../../../packages/tinker/src/weights/merge/safetensors-header.ts';
import { createRandom } from '../render/random.ts';

/** Adapters from one seed begin alike, so that what two steps did to them can be laid side by side. */
const RANK = 8;
const SEED = 22;
/** With so large an eps the first step of Adam is along the gradient itself; with a small one along its signs, which say less. */
const OPTIMIZER = { learningRate: 1e4, beta1: 0.9, beta2: 0.95, eps: 1e4, weightDecay: 0 };
const VOCABULARY = 2_000;

export interface EngineWeights {
  /** How one step moved each weight of the adapter. */
  move(options: {
    tinker: Readonly<Record<string, unknown>>;
    traits?: Partial<EngineTraits>;
    /** A fault: what becomes of the datums on their way to the engine. */
    distort?: (datum: Datum) => Datum;
  }): Promise<{ movement: Float32Array; byEngine: boolean }>;
}

/** The real engine, with a batch whose ratios lie on both sides of every clip. */
export async function openEngineWeights(options: { url: string; scratch: string }): Promise<EngineWeights> {
  const { url, scratch } = options;
  const service = await createTinkerClient({ baseUrl: url }).connect();
  const engine = createTinkerEngine({ service, baseModel: 'engine', lora: { rank: RANK }, seed: SEED });
  let saves = 0;
  const read = async (model: Awaited<ReturnType<typeof engine.create>>): Promise<Float32Array> => {
    const name = `at-${(saves += 1)}`;
    const { path } = await model.saveForSampler(name);
    const { directory } = await downloadAdapter({ path, destination: join(scratch, name), server: { baseUrl: url } });
    return await readTensors(join(directory, 'adapter_model.safetensors'));
  };
  const groups = makeReplies();
  const untouched = await engine.create();
  const before = await read(untouched);
  const plain = toGroups(groups, (row) => row.map(() => -1));
  const { sequences } = createConverter(recipeSchema.parse({}))(plain);
  const { logprobs } = await untouched.forward(
    sequences.map(({ datum: { tokens, inputs } }) => ({
      tokens,
      inputs: { target_tokens: inputs.target_tokens, weights: inputs.weights },
    })),
  );
  await untouched.close();
  const random = createRandom(SEED);
  // Ratios from 0.5 to 2, and beyond: a bound of each clip is met.
  const sampled = logprobs.map((row) => row.map((value) => Math.fround(value + 1.4 * (random.next() - 0.5))));
  let at = 0;
  const batch = toGroups(groups, (row) => {
    const own = sampled[at]!;
    at += 1;
    return row.map((_, position) => own[own.length - row.length + position]!);
  });
  return {
    async move({ tinker, traits, distort = (datum) => datum }) {
      const recipe = recipeSchema.parse({ env: { max_token_length: 16 }, tinker });
      const own = await loadOwnCode(recipe.tinker);
      const { sequences: trained } = createConverter(recipe, own)(batch);
      const model = await engine.create();
      let byEngine = false;
      const watched = {
        customLoss: (datums: readonly Datum[], loss: CustomLoss) => model.customLoss(datums.map(distort), loss),
        forwardBackward(datums: readonly Datum[], asked: PassOptions) {
          byEngine = true;
          return model.forwardBackward(datums.map(distort), asked);
        },
      } as unknown as EngineModel;
      const pass = startPass({
        ...{ model: watched, recipe, traits: { ...engine.traits, ...traits }, sequences: trained, own: own.loss },
      });
      await pass.result;
      await model.optimStep(OPTIMIZER);
      const after = await read(model);
      await model.close();
      return { movement: after.map((value, index) => value - before[index]!), byEngine };
    },
  };
}

interface Reply {
  prompt: number[];
  reply: number[];
  score: number;
}

/** Two groups of four replies of one to twelve tokens. */
function makeReplies(): Reply[][] {
  const random = createRandom(SEED + 1);
  return random.list(2, () => {
    const prompt = random.list(4, () => 5 + random.integer(VOCABULARY));
    return random.list(4, () => ({
      prompt,
      reply: random.list(1 + random.integer(12), () => 5 + random.integer(VOCABULARY)),
      score: random.next(),
    }));
  });
}

const toGroups = (groups: readonly Reply[][], logprobsOf: (reply: readonly number[]) => number[]) =>
  groups.map((replies) =>
    makeGroup(
      replies.map(({ prompt, reply, score }) => ({
        tokens: [...prompt, ...reply],
        logprobs: [...prompt.map(() => 1), ...logprobsOf(reply)],
        score,
      })),
    ),
  );

async function readTensors(file: string): Promise<Float32Array> {
  const { tensors } = await readSafetensorsHeader(file);
  const bytes = await readFile(file);
  const rows = [...tensors.values()].map(({ dtype, byteOffset, byteLength }) =>
    readFloats(bytes.subarray(byteOffset, byteOffset + byteLength), dtype as Parameters<typeof readFloats>[1]),
  );
  return Float32Array.from(rows.flatMap((row) => [...row]));
}
