import type { LearningFinding } from '@lachesis/protocol';
import { hasLearned, listRecent, mean, readRecent, readReward, type Learning } from './learning.ts';
import { writeCommand, writeTrainCommand } from './write-command.ts';

/** So many rollouts lost to the verifier leave groups that are late or gone; at twice as many the environment pauses. */
const BROKEN_SHARE = 0.1;

/** What grades breaks, again and again. */
export function judgeVerifier(learning: Learning): LearningFinding | undefined {
  for (const { name, values } of listRecent(learning, 'train/verifier_failure_rate')) {
    const share = mean(values);
    if (values.some((value) => value < BROKEN_SHARE)) continue;
    return {
      cause: 'verifier-fails',
      facts: { [name]: share },
      message: `what grades the replies broke in ${percent(share)} of the rollouts of the last ${values.length} steps; they have no reward and teach nothing`,
      command: writeCommand('logs', learning.run, 'env'),
    };
  }
  return undefined;
}

/** The model was never shown its tools, or never its own calls. */
export function judgeTemplate({ templateProblem, environment }: Learning): LearningFinding | undefined {
  if (templateProblem === null) return undefined;
  return {
    cause: 'template-without-tools',
    facts: {},
    message: templateProblem,
    command: writeCommand('env', 'check', environment),
  };
}

/** Half of the replies. */
const MANY = 0.5;

/** Replies are there, and nothing can be read out of them. */
export function judgeParsing(learning: Learning): LearningFinding | undefined {
  if (hasLearned(learning)) return undefined;
  const parsed = listRecent(learning, 'train/signal/parsed').map(({ name, values }) => ({
    ...{ name, values: values.map((value) => 1 - value) },
  }));
  const found = [...parsed, ...listRecent(learning, 'train/parse_failures')].find(({ values }) =>
    values.every((value) => value >= MANY),
  );
  if (found === undefined) return undefined;
  const isShare = found.name.endsWith('parsed');
  const value = mean(found.values);
  return {
    cause: 'unparsed-replies',
    facts: { [found.name]: isShare ? 1 - value : value },
    message: isShare
      ? `${percent(value)} of the replies of the last ${found.values.length} steps could not be parsed, so their content earned nothing; look at what they write, then show the form in the prompt or teach it with a warm-up`
      : `replies hold ${value.toFixed(1)} tool calls each that cannot be parsed; look at what they write, and name the format of the model's calls with tool_call_parser`,
    command: writeCommand('rollouts', learning.run, '--worst'),
  };
}

/** What a cut reply may still earn where being cut does no harm. */
const EARNED_SHARE = 0.1;
/** Nats a token: a model that writes at random never ends a reply, and more room would not help it. */
const NOISE_ENTROPY = 3;

/** A limit ends the replies before they can earn anything. */
export function judgeTruncation(learning: Learning): LearningFinding | undefined {
  if (hasLearned(learning)) return undefined;
  const earned = listRecent(learning, 'train/truncated_reward_share');
  const entropy = mean(readRecent(learning, 'policy/entropy_estimate') ?? [0]);
  const isNoise = readReward(learning)?.now === 0 && entropy >= NOISE_ENTROPY;
  for (const { name, values } of listRecent(learning, 'train/truncated_rate')) {
    const share = earned.find((each) => each.name === name.replace('truncated_rate', 'truncated_reward_share'));
    if (isNoise || values.some((value) => value < MANY) || mean(share?.values ?? [1]) > EARNED_SHARE) continue;
    const most = Number(learning.env['max_completion_tokens'] ?? learning.env['max_token_length'] ?? 0);
    const setting =
      learning.env['max_completion_tokens'] === undefined ? 'env.max_token_length' : 'env.max_completion_tokens';
    return {
      cause: 'truncation',
      facts: { [name]: mean(values), [setting.slice(4)]: most },
      message: `${percent(mean(values))} of the replies of the last ${values.length} steps were cut off at their limit, and they earned ${percent(mean(share?.values ?? []))} of the reward`,
      command: writeTrainCommand(learning, { [setting]: 2 * most }),
    };
  }
  return undefined;
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;
