import { INFERENCE_SETTINGS } from './inference-settings.ts';
import { resolveSettings, type ResolvedSettings, type SettingValues } from './resolve-settings.ts';
import { batchLeaseSetting } from './server-settings.ts';
import { text } from './setting-kinds.ts';
import { setting } from './setting-spec.ts';

/** The settings of the process of the trainer: those of the inference station, which it hosts, and its own. */
export const TRAINER_SETTINGS = {
  ...INFERENCE_SETTINGS,
  // Environments of atroposlib do not name their rollouts, and their groups are kept already.
  capture: setting({ ...INFERENCE_SETTINGS.capture, fallback: () => false }),
  inferenceUrl: setting<string | undefined>({
    kind: text({ pattern: /^https?:\/\/[^/]/, refusal: 'it must be an http:// or https:// URL' }),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_INFERENCE_URL',
    describe: 'inference server that new weights are published to; without it this process serves them itself',
  }),
  batchLeaseSeconds: setting<number | undefined>({
    ...batchLeaseSetting,
    fallback: () => undefined,
    describe: 'how long it holds a batch without renewing it; what the trajectory API is set to when left out',
  }),
  token: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_TOKEN',
    describe: 'token for the trajectory API, and for an inference server elsewhere',
  }),
  wandbPython: setting({
    kind: text(),
    fallback: () => 'python3',
    environmentVariable: 'LACHESIS_WANDB_PYTHON',
    describe: 'Python that has the package wandb, for the W&B sink',
  }),
  wandbEntity: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    environmentVariable: 'WANDB_ENTITY',
    describe: 'user or team that runs belong to at W&B',
  }),
  wandbMode: setting({
    kind: text({ pattern: /^(auto|disabled|offline|online)$/, refusal: 'it must be online, offline or disabled' }),
    fallback: () => 'auto',
    environmentVariable: 'WANDB_MODE',
    describe:
      'online sends metrics while training, offline keeps them for `wandb sync`; online when WANDB_API_KEY is set',
  }),
};

export type TrainerSettings = SettingValues<typeof TRAINER_SETTINGS>;

/** Options before variables before defaults; throws a `SettingError` that names what is wrong. */
export function readTrainerSettings(
  options: Record<string, unknown>,
  env: Record<string, string | undefined>,
): ResolvedSettings<TrainerSettings> {
  return resolveSettings(TRAINER_SETTINGS, options, env);
}
