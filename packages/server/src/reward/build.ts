import { findModel, type ModelVersion, type Store } from '@lachesis/store';
import { createTinkerClient, type Datum, type TinkerService } from '@lachesis/tinker';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { createScorer, type ScoringModel } from '../services/training/reward/create-scorer.ts';
import { createRewardRoutes } from './routes.ts';
import { openAuditLog } from '../http/audit/open-audit-log.ts';
import type { RewardSettings } from '../http/settings/reward-settings.ts';
import { SettingError } from '../http/settings/setting-error.ts';
import { createInferenceHttp } from '../http/inference-http.ts';
import { findTokenizer } from '../services/models/find-tokenizer.ts';
import { openServerHome } from '../process/open-server-home.ts';

export interface BuiltReward {
  app: FastifyInstance;
  close(): Promise<void>;
}

/** A reward model of the registry behind one port. */
export async function buildReward({ settings, log }: { settings: RewardSettings; log: Logger }): Promise<BuiltReward> {
  const { store } = await openServerHome({ settings, log });
  try {
    const version = await findRewardModel(store, settings);
    const scorer = createScorer({
      tokenizer: await findTokenizer(settings.tokenizer ?? version.baseModel),
      maxTokens: settings.maxTokens,
      open: () => openScoringModel(version, settings, log),
    });
    const audit = await openAuditLog({ store, home: settings.home, by: 'reward', log });
    const { app } = createInferenceHttp({
      settings,
      store,
      registry: new Registry(),
      audit,
      log,
      routes: createRewardRoutes({
        scorer,
        served: {
          name: `${version.name}@${version.version}`,
          modelVersionId: version.modelVersionId,
          weightsPath: version.weightsPath,
        },
      }),
      title: 'Lachesis reward model',
      hasProvider: false,
      tenant: settings.tenant,
    });
    await app.ready();
    return {
      app,
      async close() {
        await app.close();
        await audit.close();
        await scorer.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function findRewardModel(
  store: Store,
  { model: ref, tenant: tenantId }: Pick<RewardSettings, 'model' | 'tenant'>,
): Promise<ModelVersion> {
  const hint = '`lachesis models list` shows what there is; `lachesis train reward` makes one';
  if (ref === undefined) throw new SettingError(`there is no reward model to serve; name one with --model. ${hint}.`);
  const version = await findModel({ store, tenantId, ref });
  if (version === undefined) throw new SettingError(`there is no model ${ref}. ${hint}.`);
  if (version.method !== 'reward') {
    throw new SettingError(`the model ${ref} was made by ${version.method} and does not score replies. ${hint}.`);
  }
  return version;
}

/** Loads the weights into a place of their own. */
async function openScoringModel(
  { statePath, weightsPath, baseModel }: ModelVersion,
  { engineUrl }: RewardSettings,
  log: Logger,
): Promise<ScoringModel> {
  const service = await createTinkerClient({
    baseUrl: engineUrl,
    onEvent: (event) => log.debug({ event }, 'engine'),
  }).connect();
  try {
    return statePath === null
      ? await openSampler(service, { weightsPath, baseModel })
      : await openState(service, statePath);
  } catch (error) {
    await service.close();
    throw error;
  }
}

/**
 * What the engine takes through its compiled program at once. A batch of another size would have it compile for half a minute,
 * so what is missing is filled with copies.
 */
const SEQUENCES_AT_ONCE = 16;

async function openState(service: TinkerService, statePath: string): Promise<ScoringModel> {
  const model = await service.createTrainingFromState(statePath, { optimizer: false });
  return {
    async lastLogprobs(datums) {
      const missing = (SEQUENCES_AT_ONCE - (datums.length % SEQUENCES_AT_ONCE)) % SEQUENCES_AT_ONCE;
      const filled = [...datums, ...Array.from({ length: missing }, () => datums[0]!)];
      const { logprobs } = await model.forward(filled);
      return logprobs.slice(0, datums.length).map((row) => row.at(-1) ?? Number.NaN);
    },
    close: () => service.close(),
  };
}

/** Where only weights to sample from are kept. */
async function openSampler(
  service: TinkerService,
  { weightsPath, baseModel }: { weightsPath: string; baseModel: string },
): Promise<ScoringModel> {
  const sampler = await service.createSampler(weightsPath === '' ? { baseModel } : { modelPath: weightsPath });
  return {
    lastLogprobs: (datums) =>
      Promise.all(
        datums.map(async (datum) => (await sampler.computeLogprobs(wholeSequence(datum))).at(-1) ?? Number.NaN),
      ),
    close: () => service.close(),
  };
}

/** The tokens of a datum with its last target behind them. */
function wholeSequence({ tokens, inputs }: Datum): Int32Array {
  const targets = inputs['target_tokens'] as Int32Array;
  return Int32Array.of(...tokens, targets.at(-1)!);
}
