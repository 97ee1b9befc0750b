import type { LearningFinding } from '@lachesis/protocol';
import { hasLearned, JUDGED_STEPS, mean, readRecent, readReward, type Learning } from './learning.ts';
import { writeTrainCommand } from './write-command.ts';

/** The rate of Adam that recipes begin with. */
const USUAL_RATE = 4e-5;

/** Whatever the rewards say, the weights stay. */
export function judgeLearningRate(learning: Learning): LearningFinding | undefined {
  const rates = readRecent(learning, 'train/learning_rate');
  const set = learning.tinker['learning_rate'];
  if (set !== 0 && (rates === undefined || rates.some((rate) => rate !== 0))) return undefined;
  return {
    cause: 'learning-rate-zero',
    facts: { learning_rate: 0 },
    message:
      set === 0
        ? 'learning_rate is 0, so no step changes the weights'
        : `the schedule has brought the learning rate to 0 in the last ${rates?.length ?? 0} steps, so they change nothing`,
    command: writeTrainCommand(
      learning,
      set === 0 ? { 'tinker.learning_rate': USUAL_RATE } : { 'tinker.final_learning_rate_fraction': 0.1 },
    ),
  };
}

/** Logprobs are those of temperature 1, whatever the replies were sampled with. */
export function judgeTemperature(learning: Learning): LearningFinding | undefined {
  const { agent_temperature: own, temperature } = learning.env;
  const used = typeof own === 'number' ? own : temperature;
  if (typeof used !== 'number' || used === 1) return undefined;
  return {
    cause: 'temperature',
    facts: { temperature: used },
    message: `replies are sampled at temperature ${used} and trained on as if it were 1, so every step is pulled towards what that temperature prefers`,
    command: writeTrainCommand(learning, {
      [typeof own === 'number' ? 'env.agent_temperature' : 'env.temperature']: 1,
    }),
  };
}

/** Nats a token; a policy below has next to no choice left. */
const LEAST_ENTROPY = 0.1;
const ONE_REPLY_SHARE = 0.8;

/** The policy writes one reply, and not because it is the best. */
export function judgeCollapse(learning: Learning): LearningFinding | undefined {
  if (hasLearned(learning)) return undefined;
  const entropies = readRecent(learning, 'policy/entropy_estimate');
  const shares = readRecent(learning, 'replies/most_common_share');
  const isGone = entropies?.every((value) => value < LEAST_ENTROPY) === true;
  const isOne = shares?.every((value) => value >= ONE_REPLY_SHARE) === true;
  if (!isGone && !isOne) return undefined;
  const rate = rateOf(learning);
  const [entropy, share] = [mean(entropies ?? []), mean(shares ?? [])];
  return {
    cause: 'collapse',
    facts: { 'policy/entropy_estimate': entropy, 'replies/most_common_share': share },
    message: `the replies have become one: the most common is ${Math.round(100 * share)} % of them, and the policy's entropy is about ${entropy.toFixed(3)} nats a token; begin again from other weights with a lower rate and a cost for leaving them`,
    command: writeTrainCommand(learning, {
      'tinker.learning_rate': Number((rate / 4).toPrecision(2)),
      'tinker.kl_coefficient': 0.01,
    }),
  };
}

/** Policy versions between the weights that sample and those that learn; one is the ordinary case. */
const STALE_VERSIONS = 2;

/** The replies are those of a policy that is no more. */
export function judgeStaleness(learning: Learning): LearningFinding | undefined {
  const versions = readRecent(learning, 'train/staleness_mean');
  const distance = readDistance(learning);
  const age = versions?.at(-1) ?? 0;
  if (distance === undefined || age < STALE_VERSIONS) return undefined;
  if (!isFar(distance, learning) || isRising(learning)) return undefined;
  return {
    cause: 'stale-policy',
    facts: { 'train/staleness_mean': age, ...toFacts(distance) },
    message: `replies are ${age.toFixed(1)} versions old when they are learned from, and far from the policy by then (${describe(distance)})`,
    command: writeTrainCommand(learning, { 'env.max_batches_offpolicy': 1, 'tinker.loss': 'ppo' }),
  };
}

/** One step moves the policy so far that the next batch says nothing about it. */
export function judgeRate(learning: Learning): LearningFinding | undefined {
  const distance = readDistance(learning);
  if (distance === undefined || !isFar(distance, learning) || isRising(learning)) return undefined;
  const rate = rateOf(learning);
  return {
    cause: 'rate-too-high',
    facts: { learning_rate: rate, ...toFacts(distance) },
    message: `each step moves the policy too far (${describe(distance)}) at learning rate ${rate}, and the reward does not rise`,
    command: writeTrainCommand(learning, { 'tinker.learning_rate': Number((rate / 10).toPrecision(2)) }),
  };
}

/** How far the policy that learns is from the one that sampled, over the last steps. */
interface Distance {
  kl: number;
  ratio: number;
  clipped: number;
}

function readDistance(learning: Learning): Distance | undefined {
  // The first step learns from its own samples; two that are far apart are enough.
  const read = (series: string): number[] | undefined => readRecent(learning, series, JUDGED_STEPS - 1);
  const kl = read('numerics/kl3');
  if (kl === undefined) return undefined;
  return {
    kl: Math.min(...kl),
    ratio: Math.min(...(read('numerics/ratio_max') ?? [1])),
    clipped: Math.min(...(read('numerics/clip_fraction') ?? [0])),
  };
}

/** Beyond the alarms of the recipe by as much as a toy that learns well never is: it passes the one of KL itself. */
const FAR = 5;

function isFar({ kl, ratio }: Distance, { tinker }: Learning): boolean {
  const limit = (name: string, usual: number): number => {
    const given = tinker[name];
    return FAR * (typeof given === 'number' ? given : usual);
  };
  return kl >= limit('kl_alarm', 0.1) || ratio >= limit('ratio_alarm', 20);
}

/** The newest steps earn more than the first did: whatever the figures say, it learns. */
function isRising(learning: Learning): boolean {
  const reward = readReward(learning);
  return reward === undefined || hasLearned(learning);
}

const toFacts = ({ kl, ratio, clipped }: Distance): Record<string, number> => ({
  ...{ 'numerics/kl3': kl, 'numerics/ratio_max': ratio, 'numerics/clip_fraction': clipped },
});

const describe = ({ kl, ratio, clipped }: Distance): string =>
  `KL ${kl.toPrecision(2)}, a ratio of up to ${ratio.toPrecision(2)}, ${Math.round(100 * clipped)} % of the tokens beyond the clip`;

const rateOf = ({ tinker }: Learning): number => Number(tinker['learning_rate'] ?? USUAL_RATE);
