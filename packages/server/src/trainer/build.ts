import type { Recipe } from '@lachesis/protocol';
import { runPath } from '@lachesis/protocol/home';
import type { FastifyInstance } from 'fastify';
import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { TrainerStatus } from '../services/training/rl/status.ts';
import { openAuditLog } from '../http/audit/open-audit-log.ts';
import { SettingError } from '../http/settings/setting-error.ts';
import type { TrainerSettings } from '../http/settings/trainer-settings.ts';
import { fitInFlight } from '../process/fit-in-flight.ts';
import { createInferenceHttp } from '../http/inference-http.ts';
import { openInference } from '../inference/open-inference.ts';
import { openServerHome } from '../process/open-server-home.ts';
import { superviseTraining } from './supervise-training.ts';
import { openTrainer } from './open-trainer.ts';

export interface BuiltTrainer {
  app: FastifyInstance;
  status(): TrainerStatus;
  /** Trains until the end, and again after what may pass. Never rejects: the status tells. */
  train(): Promise<void>;
  /** Ends the training with a checkpoint, then lets go of everything. */
  close(): Promise<void>;
}

/** The trainer, and beside it the inference station unless that is elsewhere, over one store and one port. */
export async function buildTrainer(options: {
  settings: TrainerSettings;
  recipe: Recipe;
  log: Logger;
  onLine: (line: string) => void;
}): Promise<BuiltTrainer> {
  const { recipe, log } = options;
  const settings = fitInFlight(options.settings, { log });
  if (settings.model !== undefined && settings.inferenceUrl === undefined) {
    throw new SettingError(
      `setting model is ${settings.model}: the station of a trainer serves what it trains. ` +
        `Serve the promoted version beside it: lachesis serve inference --model ${settings.model}.`,
    );
  }
  await mkdir(runPath(settings.home, settings.run), { recursive: true });
  const home = await openServerHome({ settings, log });
  const { store } = home;
  try {
    const registry = new Registry();
    const audit = await openAuditLog({ store, home: settings.home, by: 'trainer', log });
    const station =
      settings.inferenceUrl === undefined ? await openInference({ settings, home, registry, log }) : undefined;
    const supervision = superviseTraining({
      open: () =>
        openTrainer({
          ...{ settings, recipe, store, blobs: home.blobs, station, log, onLine: options.onLine },
          readTokens: station === undefined ? undefined : () => readTokens(registry),
        }),
      log,
    });
    const { app } = createInferenceHttp({
      settings,
      store,
      registry,
      audit,
      log,
      routes: [...supervision.routes, ...(station?.routes ?? [])],
      ...(station === undefined ? {} : { misdirected: station.misdirected }),
      title: 'Lachesis trainer',
      ...{ run: settings.run, tenant: settings.tenant },
    });
    await app.ready();
    return {
      app,
      status: supervision.status,
      train: supervision.run,
      async close() {
        await supervision.stop();
        await station?.close();
        await app.close();
        await audit.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What the inference station has counted since this process began. */
async function readTokens(registry: Registry): Promise<{ prompt: number; sampled: number }> {
  const count = async (name: string): Promise<number> => {
    const found = await registry.getSingleMetric(`lachesis_inference_${name}_tokens_total`)?.get();
    return (found?.values ?? []).reduce((sum, { value }) => sum + value, 0);
  };
  return { prompt: await count('prompt'), sampled: await count('sampled') };
}
