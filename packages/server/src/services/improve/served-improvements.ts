import {
  improvePlanSchema,
  LachesisError,
  readRules,
  type ImprovePlan,
  type ModelImprovement,
} from '@lachesis/protocol';
import type { ControlClient } from '@lachesis/sdk';
import { createEgressRule, EgressError } from '@lachesis/sdk/egress';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changeImprovementRunner, listServedImprovements, type Store } from '@lachesis/store';
import type { RunLimits } from '../runs/config/estimate-run.ts';
import { readRecordSettings } from '../training/records/settings.ts';
import { TrainerError } from '../training/trainer-error.ts';
import { refuseUnknownModel } from './own-trajectories.ts';
import { beginImprovement } from './improve.ts';
import { describeImprovement, needImprovement, showImprovement } from './improvements.ts';

export interface ServedImprovementsOptions {
  store: Store;
  env: Readonly<Record<string, string | undefined>>;
  /** Where its processes are started. */
  workingDirectory: string;
  /** What the operator allows a training. */
  limits: RunLimits;
  /** Before one is written down: whether this server can start processes, and whether there is an engine. */
  prepare: () => Promise<unknown>;
  /** Brings what was recorded into the store, so that the newest ratings count. */
  drain: () => Promise<unknown>;
  /** Most improvements of one tenant that a server brings on and that have not ended. */
  maxOpen: number;
  /** Told when there is something to do. */
  wake: () => void;
}

/** Improvements that a server brings on. Listing, looking and stopping need no server, see `improvements.ts`. */
export interface ServedImprovements {
  /** Writes it down and returns at once; a process of the server does the rest. */
  start(tenantId: string, plan: ImprovePlan): ReturnType<ControlClient['startImprovement']>;
  /** Has one that was interrupted go on, with its own settings. */
  resume(tenantId: string, ref: string): Promise<ModelImprovement>;
}

const RETRY_SECONDS = 60;

export function createServedImprovements(options: ServedImprovementsOptions): ServedImprovements {
  const { store, wake } = options;

  async function serve(tenantId: string, improvementId: string): Promise<void> {
    await changeImprovementRunner({ store, tenantId, improvementId, runner: 'server', problem: null });
    wake();
  }

  return {
    async start(tenantId, asked) {
      const { steps } = options.limits;
      const training = steps === undefined ? asked.training : { max_steps: steps, ...asked.training };
      const plan = { ...asked, training };
      await checkServedPlan(plan, options);
      await options.prepare();
      await refuseTooMany(tenantId, plan.model);
      await options.drain();
      await refuseUnknownModel({ store, tenantId, plan });
      const { improvement, isNew } = await beginImprovement({ store, tenantId, plan, runner: 'server' });
      const { improvementId: ref } = improvement;
      if (!isNew) await checkServedPlan(improvePlanSchema.parse(improvement.plan), options);
      // If we die before this, a second call finds it and has it go on.
      await serve(tenantId, ref);
      return { ...(await showImprovement({ store, tenantId, ref })), is_new: isNew };
    },
    async resume(tenantId, ref) {
      const improvement = await needImprovement({ store, tenantId, ref });
      if (improvement.endedAt !== null) return describeImprovement(improvement, await store.now());
      await checkServedPlan(improvePlanSchema.parse(improvement.plan), options);
      await options.prepare();
      await refuseTooMany(tenantId, improvement.model);
      await serve(tenantId, improvement.improvementId);
      return await showImprovement({ store, tenantId, ref: improvement.improvementId });
    },
  };

  async function refuseTooMany(tenantId: string, model: string): Promise<void> {
    const open = (await listServedImprovements({ store })).filter((each) => each.tenantId === tenantId);
    if (open.length < options.maxOpen || open.some((each) => each.model === model)) return;
    throw new LachesisError({
      code: 'back-pressure',
      message: `${open.length} improvements of this tenant have not ended, and more are not started`,
      hint: 'Stop one with POST /improvements/{id}/stop, or wait. LACHESIS_OPEN_RUNS of the server sets how many there may be.',
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
}

/** What names a place or other weights is for who has the machine, not for who has a token. */
const OF_THE_MACHINE = ['initial_state', 'model_name', 'parent', 'tokenizer'];

/** Its data sets are called after a model, and are longer by a word; its run leads into a folder. */
const MODEL_NAME = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,89}$/;
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * What a plan may ask of a server: settings that training has, within the operator's limits, nothing of the machine, rules
 * that can be used, a judge that may be asked.
 */
async function checkServedPlan(
  plan: ImprovePlan,
  { env, limits, workingDirectory }: ServedImprovementsOptions,
): Promise<void> {
  const named = OF_THE_MACHINE.filter((name) => Object.hasOwn(plan.training, name));
  if (named.length > 0) refuse(`the setting ${named.join(', ')} of the training cannot be set over HTTP`);
  const { base_model: base } = plan;
  if (base !== 'engine' && (!REPOSITORY.test(base) || existsSync(join(workingDirectory, base))))
    refuse('base_model is `engine` or the name of a model, `owner/name`, not a folder');
  if (!MODEL_NAME.test(plan.model))
    refuse('model is letters, digits, dots, dashes and underscores, at most 90, without two dots in a row');
  if (plan.rules !== null && plan.judge !== null) refuse('rules and a judge were given: choose one of them');
  const read = plan.rules === null ? { rules: [] } : readRules(plan.rules);
  if ('problem' in read) refuse(`the rules cannot be used: ${read.problem}`);
  if (limits.cost !== undefined || limits.tokens !== undefined)
    refuse('LACHESIS_MAX_COST or LACHESIS_MAX_TOKENS is set here, and an improvement cannot be held to either');
  try {
    const { max_steps: steps } = readRecordSettings(plan.method, plan.training);
    const most = limits.steps ?? Number.POSITIVE_INFINITY;
    if ((steps ?? Number.POSITIVE_INFINITY) > most) refuse(`max_steps of the training is at most ${most} here`);
    const { judge } = plan;
    if (judge !== null) await createEgressRule({ allow: env['LACHESIS_EGRESS_ALLOW'] }).resolve(judge.base_url);
  } catch (error) {
    if (TrainerError.isInstance(error) || EgressError.isInstance(error)) refuse(error.message.replace(/\.$/, ''));
    throw error;
  }
}

function refuse(message: string): never {
  throw new LachesisError({
    code: 'invalid',
    message,
    hint: 'GET /openapi.json has the fields of a plan; `lachesis improve --help` says what they mean.',
  });
}
