import { decodeGroup, encodeGroup } from '@lachesis/protocol/codec';

import type { Random } from '../../simulation/random.ts';
import { pickText } from './hostile-values.ts';
import { mutateBytes, mutateInPlace } from './mutate-bytes.ts';
import { writeNoisyJson } from './write-noisy-json.ts';
import type { Json } from './write-noisy-json.ts';

const SIZES = [2, 2, 2, 2, 2, 2, 4, 1, 3];
const ENV_IDS = [0, 0, 1, 2, -1, 7, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1)];

/** Two in a batch of four, so that batches form often. */
export function composeRegistration(random: Random): Json {
  return {
    wandb_group: 'fuzz',
    wandb_project: random.chance(0.2) ? pickText(random) : 'fuzz',
    batch_size: random.pick([4, 4, 4, 8, 2]),
    max_token_len: 2048,
    checkpoint_dir: '/tmp/fuzz',
    save_checkpoint_interval: 10,
    starting_step: random.pick([0, 0, 5]),
    num_steps: 100,
  };
}

export function composeEnvironment(random: Random): Json {
  return {
    max_token_length: 2048,
    desired_name: random.chance(0.3) ? pickText(random) : 'fuzz',
    weight: random.pick([1, 0.5, 0, -1, 1e300]),
    group_size: random.pick([2, 2, 4]),
    // Rare, because a single environment that asks for too much keeps its run from forming batches.
    min_batch_allocation: random.chance(0.03) ? random.pick([0, 0.25, 1, 2]) : null,
  };
}

/** A group of the Atropos wire; now and then with every optional field. */
export function composeGroup(random: Random): Json {
  const rows = makeRows(random);
  const perToken = (value: number): number[][] => rows.map((row) => row.map(() => value));
  const common: Record<string, Json> = {
    tokens: rows,
    masks: rows.map((row) => row.map((token, index) => (index === 0 ? -100 : token))),
    scores: rows.map((_, index) => index % 2),
    env_id: random.chance(0.3) ? null : random.pick(ENV_IDS),
  };
  if (random.chance(0.6)) return common;
  return {
    ...common,
    advantages: perToken(0.5),
    ref_logprobs: perToken(-0.25),
    inference_logprobs: perToken(-1e-7),
    messages: rows.map(() => [{ role: 'user', content: pickText(random) }]),
    generation_params: { temperature: 1, top_p: 0.9, __proto__: null },
    overrides: rows.map(() => ({ set_advantage_to_zero: true })),
    group_overrides: { [pickText(random)]: 1 },
    images: random.pick([null, [], ['data:image/png;base64,AA==']]),
    distill_token_ids: rows.map((row) => row.map((token) => [token, 1])),
    distill_logprobs: rows.map((row) => row.map(() => [-0.5, -1])),
  };
}

/** A packed group: as it should be, with hostile facts that its schema allows, or with broken bytes. */
export function composePacked(random: Random): Buffer {
  const rows = makeRows(random);
  const rowLengths = Uint32Array.from(rows, (row) => row.length);
  const values = Uint32Array.from(rows.flat());
  const isOdd = random.chance(0.4);
  const isRich = random.chance(0.4);
  const logprobs = { values: new Float32Array(values.length).fill(-0.5), rowLengths };
  const header = {
    environment: isOdd ? pickText(random).slice(0, 200) : 'fuzz',
    env_id: random.pick([null, ...ENV_IDS]),
    consent: isOdd ? pickText(random).slice(0, 200) : 'unspecified',
    outcome: random.pick(['scored', 'scored', 'scored', 'failed'] as const),
    split: random.pick(['train', 'train', 'train', 'eval'] as const),
    ...(isOdd ? { reason: pickText(random).slice(0, 2000), environment_digest: pickText(random).slice(0, 200) } : {}),
  };
  const packed = Buffer.from(
    encodeGroup({
      header,
      tokens: { values, rowLengths },
      masks: { values: Int32Array.from(values, (token, index) => (index % 3 === 0 ? -100 : token)), rowLengths },
      scores: Float32Array.from(header.outcome === 'failed' ? [] : rows, (_, index) => index % 2),
      ...(isRich
        ? {
            inferenceLogprobs: logprobs,
            advantages: logprobs,
            policyRanges: Uint32Array.from(rows.flatMap((row, index) => [index, 0, row.length, 2 ** 32 - 1])),
            json: {
              messages: Buffer.from(
                writeNoisyJson(
                  rows.map(() => []),
                  { random, faults: 0.5 },
                ),
              ),
            },
          }
        : {}),
    }),
  );
  const fate = random.next();
  if (fate < 0.5) return packed;
  if (fate < 0.65) return replaceHeader(packed, random);
  return fate < 0.9 ? mutateInPlace(packed, random) : mutateBytes(packed, random);
}

/** Puts hostile JSON of the same length into the header's place, which no checked writer would let through. */
function replaceHeader(packed: Buffer, random: Random): Buffer {
  const written = Buffer.from(JSON.stringify(decodeGroup(packed).header));
  const start = packed.indexOf(written);
  if (start < 0) throw new Error('a packed group does not hold its header as JSON text');
  const end = start + written.length;
  const noisy = Buffer.from(writeNoisyJson(JSON.parse(written.toString()) as Json, { random, faults: 1 }));
  packed.fill(' ', start, end);
  noisy.copy(packed, start, 0, Math.min(noisy.length, end - start));
  return packed;
}

function makeRows(random: Random): number[][] {
  const length = random.chance(0.02) ? 1_000 : 1 + random.below(8);
  return Array.from({ length: random.pick(SIZES) }, () => Array.from({ length }, () => random.below(50_000)));
}
