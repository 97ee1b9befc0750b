import { createRewardModel, loadReward } from '@lachesis/sdk/environment';
import { readRewardSettings, startReward } from '@lachesis/server';
import { findModel, type ModelVersion } from '@lachesis/store';
import { resolve } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import type { LocalLibrary } from '../../flags/library/local-library.ts';
import { offerSdk } from '../../flags/environment.ts';

/** Who says what a reply is worth: a model of the registry, or a person's own file or server. */
export type Grader = { readonly kind: 'model' | 'own'; readonly ref: string };

export function readGrader({ model, own }: { model: string | undefined; own: string | undefined }): Grader {
  if (model !== undefined && own !== undefined) fail('give --reward-model or --reward, and not both.');
  if (model !== undefined) return { kind: 'model', ref: model };
  if (own !== undefined) return { kind: 'own', ref: own };
  return fail(
    'nothing says what a reply is worth. Give --reward-model name@version (`lachesis train reward` makes one), --reward file.ts or --reward https://….',
  );
}

export interface Grading {
  readonly name: string;
  readonly rewardModel: ModelVersion | undefined;
  /** What the environment is told. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Makes sure that rewards can be had before anything is started: a mistake in a file is told here, not in a log. */
export async function openGrader(options: {
  grader: Grader;
  library: LocalLibrary;
  place: { home: string; databaseUrl: string | undefined };
  engineUrl: string | undefined;
}): Promise<Grading> {
  const { grader, library, place, engineUrl } = options;
  if (grader.kind === 'own') {
    const isAddress = /^https?:\/\//.test(grader.ref);
    const reward = isAddress ? grader.ref : resolve(grader.ref);
    offerSdk();
    await loadReward({ from: reward }).catch((error: unknown) =>
      fail(error instanceof Error ? error.message : String(error)),
    );
    return { name: grader.ref, rewardModel: undefined, env: { reward }, close: async () => undefined };
  }
  const { ref } = grader;
  const version =
    (await findModel({ store: library.store, tenantId: library.tenantId, ref })) ??
    fail(`there is no model ${ref}. \`lachesis models list\` shows what there is.`);
  const model = `${version.name}@${version.version}`;
  const { values } = readRewardSettings(
    {
      ...{ home: place.home, port: 0, host: '127.0.0.1', model },
      ...(place.databaseUrl === undefined ? {} : { databaseUrl: place.databaseUrl }),
    },
    process.env,
  );
  const supervisor = await startReward({ settings: { ...values, engineUrl } }).catch((error: unknown) =>
    fail(error instanceof Error ? error.message : String(error)),
  );
  const url = `http://127.0.0.1:${supervisor.address.port}`;
  const close = async (): Promise<void> => {
    await supervisor.stop();
  };
  // The first score loads the weights; what is wrong with them is told before a rollout is made.
  const first = await createRewardModel({ url, timeoutMs: 600_000 })({
    answer: 'Hello.',
    messages: [{ role: 'user', content: 'Say hello.' }],
  });
  if (first.kind !== 'scored') {
    await close();
    fail(`the reward model ${model} does not score: ${first.reason}`);
  }
  return { name: model, rewardModel: version, env: { reward_url: url }, close };
}
