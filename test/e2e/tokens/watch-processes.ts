import type { RunRole } from '@lachesis/protocol';
import { findToken, findTrainingRun, listRunProcesses, type Store } from '@lachesis/store';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { findSecrets, type Secrets } from './find-secrets.ts';

/** What each process of a run may hold, besides a token of its own. */
const KEYS: Readonly<Record<RunRole, readonly string[]>> = {
  api: [],
  trainer: ['TINKER_API_KEY', 'HF_TOKEN', 'WANDB_API_KEY'],
  env: ['LACHESIS_REWARD_KEY'],
};
const SCOPES: Readonly<Record<RunRole, string>> = {
  ...{ api: '', trainer: 'trainer:pull', env: 'env:push,inference:call' },
};
const STARTED_MS = 60_000;

export interface WatchedRun {
  readonly problems: readonly string[];
  /** The tokens of the processes, by role. */
  readonly tokens: ReadonlyMap<RunRole, string>;
  readonly ports: ReadonlyMap<RunRole, number>;
}

/** Reads the variables of every process of a run from the system, and asks the store what the tokens in them are good for. */
export async function watchProcesses(options: {
  readonly store: Store;
  readonly tenantId: string;
  readonly shortId: string;
  readonly secrets: Secrets;
}): Promise<WatchedRun> {
  const { store, tenantId, shortId, secrets } = options;
  const run = await findTrainingRun({ store, tenantId, shortId });
  if (run === undefined) throw new Error(`there is no run ${shortId} of ${tenantId}`);
  const list = () => listRunProcesses({ store, tenantId, runId: run.runId });
  const until = performance.now() + STARTED_MS;
  while ((await list()).some(({ pid }) => pid === null) && performance.now() < until) await sleep(100);
  const [problems, tokens, ports] = [[] as string[], new Map<RunRole, string>(), new Map<RunRole, number>()];
  for (const { role, pid, port } of await list()) {
    if (port !== null) ports.set(role, port);
    const { known, unknownTokens } = findSecrets(await readFile(`/proc/${pid}/environ`, 'latin1'), secrets);
    problems.push(...known.filter((name) => !KEYS[role].includes(name)).map((name) => `${role} holds ${name}`));
    const [token] = unknownTokens;
    if (unknownTokens.length > (role === 'api' ? 0 : 1)) problems.push(`${role} holds ${unknownTokens.length} tokens`);
    if (token === undefined) continue;
    tokens.set(role, token);
    const grant = await findToken({ store, token });
    const isLeast =
      grant?.run === shortId &&
      grant.tenantId === tenantId &&
      grant.scopes.join(',') === SCOPES[role] &&
      grant.expiresAt !== null;
    if (!isLeast)
      problems.push(`${role} holds a token for ${grant?.scopes.join(',')} of ${grant?.tenantId}/${grant?.run}`);
  }
  return { problems, tokens, ports };
}
