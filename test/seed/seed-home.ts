import { createIdSource } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { countTrajectories, createToken, createTrainingRun, listTrainingRuns, openHome } from '@lachesis/store';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openHomeAccess } from '../../packages/cli/src/commands/serve/home-access.ts';
import { openLocalStore } from '../../packages/cli/src/flags/library/open-local-store.ts';
import { fillLibrary } from './fill-library.ts';
import { makeRun } from './make-run.ts';
import type { SeedPlan } from './scenarios.ts';
import { createVocabulary } from './vocabulary.ts';

export interface SeedHomeOptions {
  home: string;
  plan: SeedPlan;
  now?: number;
  onProgress?: (line: string) => void;
}

const TENANT = 'local';
const DAY_MS = 24 * 3_600_000;
/** Where the tokenizer of seeded runs is, below the home. */
const TOKENIZER = join('models', 'words');

/** Fills a home by the recorders and stores that fill it in earnest. */
export async function seedHome({ home, plan, now = Date.now(), onProgress }: SeedHomeOptions): Promise<void> {
  const say = onProgress ?? (() => undefined);
  const runs = join(home, 'runs');
  await mkdir(runs, { recursive: true });
  const [vocabulary, tokenizer] = [createVocabulary(), join(home, TOKENIZER)];
  if (plan.oldRuns > 0) {
    await makeOldRuns(home, plan.oldRuns, now);
    say(`${plan.oldRuns.toLocaleString('en')} runs of other days`);
  }
  const { groups, rollouts } = plan;
  for (const run of plan.runs) {
    await makeRun({ home, runs, vocabulary, tokenizer, plan: run, groups, rollouts, now });
    say(`run ${run.run}: ${run.steps} steps of ${run.environment}, ${run.end?.state ?? 'completed'}`);
  }
  if (plan.runs.length > 0) await vocabulary.write(tokenizer);
  if (plan.library !== undefined) {
    await fillLibrary(home, plan.library, now);
    say(`${plan.library.count.toLocaleString('en')} recorded chats, ${plan.library.versions} versions of a model`);
  }
  if (plan.tokens.length > 0) {
    await makeTokens(home, plan.tokens);
    say(`${plan.tokens.length} tokens of people; yours is in ${homePaths(home).token}`);
  }
}

/** The first one as the first start of a server makes it, so that commands find it; what the others are nobody knows. */
async function makeTokens(home: string, names: readonly string[]): Promise<void> {
  const place = { home, databaseUrl: undefined };
  await openHomeAccess({ ...place, wantsToken: true, gatewayTenant: undefined });
  await using local = await openLocalStore(place);
  for (const name of names) {
    const scopes = ['view', 'feedback:write'];
    const { tokenId } = await createToken({ store: local.store, tenantId: TENANT, name, scopes });
    const things = { token: tokenId, scopes: scopes.join(',') };
    await local.audit({ action: 'token create', tenantId: TENANT, things });
  }
}

/** What is in a home already, in words; undefined for one that is empty. */
export async function describeHome(folder: string): Promise<string | undefined> {
  await using home = await openHome({ home: folder });
  const scope = { store: home.store, tenantId: TENANT };
  const runs = (await listTrainingRuns({ ...scope, limit: 1 })).length;
  const count = await countTrajectories({ ...scope, filter: {}, most: 1 });
  const parts = [...(runs > 0 ? ['runs'] : []), ...((count ?? 0) > 0 ? ['trajectories'] : [])];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

/** Rows only, a run an hour: what a list of many is made of. */
async function makeOldRuns(folder: string, count: number, now: number): Promise<void> {
  await using home = await openHome({ home: folder });
  const { store } = home;
  for (let index = count; index > 0; index -= 1) {
    const at = now - 30 * DAY_MS - index * 3_600_000;
    const row = await createTrainingRun({
      ...{ store, tenantId: TENANT, environment: index % 3 === 0 ? 'order-desk' : 'word-problems', config: {} },
      ...{ details: () => ({ totalSteps: 40 }), ids: createIdSource({ now: () => at }) },
      processes: () => ({ trainer: { logPath: '', port: null } }),
      nextShortId: () => `old${index.toString(36).padStart(5, '0')}`,
    });
    // Ten thousand transitions would take minutes and tell no more.
    const ended = { state: index % 7 === 0 ? 'failed' : 'completed', reason: 'it made its last step' };
    await store.db
      .updateTable('training_runs')
      .set({ ...ended, created_at: at, started_at: at, ended_at: at + 1_800_000, changed_at: at + 1_800_000 })
      .where('run_id', '=', row.runId)
      .execute();
  }
}
