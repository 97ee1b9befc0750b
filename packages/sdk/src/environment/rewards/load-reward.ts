import { resolve } from 'node:path';
import { importOwnFile } from '../../config/import-own-file.ts';
import type { RewardReply } from '../definition.ts';
import { EnvironmentError } from '../environment-error.ts';
import { type Outcome, failed } from '../outcome.ts';
import { createHttpReward, type HttpRewardOptions } from './create-http-reward.ts';
import { readRewardReply } from './read-reward-reply.ts';
import type { Reward, RewardInput } from './reward.ts';

/** The default export of a reward file. */
export type OwnReward = (input: RewardInput) => RewardReply | Promise<RewardReply>;

export interface LoadRewardOptions extends Omit<HttpRewardOptions, 'model' | 'url'> {
  /** `rewards/short.ts`, or `https://…`. */
  readonly from: string;
  /** Where files are looked for. */
  readonly cwd?: string | undefined;
  /** Imports a file by its path. */
  readonly importModule?: (file: string) => Promise<Record<string, unknown>>;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * A reward of one's own: a file whose default export grades, or an address that does. What cannot be used is refused here, before
 * the first rollout; what goes wrong later is a failure of the verifier.
 */
export async function loadReward({ from, cwd = process.cwd(), ...options }: LoadRewardOptions): Promise<Reward> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return createHttpReward({ ...options, url: from });
  const path = resolve(cwd, from);
  const { importModule = importOwnFile } = options;
  let grade: unknown;
  try {
    grade = (await importModule(path))['default'];
  } catch (cause) {
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `The reward ${path} cannot be imported: ${cause instanceof Error ? cause.message : String(cause)}.`,
      hint: 'Run it with node to see where.',
      cause,
    });
  }
  if (typeof grade !== 'function') {
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `The reward ${path} has no default export that is a function.`,
      hint: 'Write: export default ({ answer, messages, expected }) => answer.length < 100 ? 1 : 0;',
    });
  }
  return guardReward(grade as OwnReward, { name: from, timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS });
}

/** Turns what a function gives, throws or forgets to give into an outcome. A function that never yields cannot be ended. */
function guardReward(grade: OwnReward, { name, timeoutMs }: { name: string; timeoutMs: number }): Reward {
  return async (input) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Outcome>((resolve_) => {
      timer = setTimeout(
        () => resolve_(failed('verifier', `the reward ${name} gave nothing within ${timeoutMs} ms`)),
        timeoutMs,
      );
    });
    try {
      return await Promise.race([late, run(grade, input, name)]);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function run(grade: OwnReward, input: RewardInput, name: string): Promise<Outcome> {
  try {
    return readRewardReply(await grade(input), `the reward ${name}`);
  } catch (error) {
    return failed('verifier', `the reward ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
