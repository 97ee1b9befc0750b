import { improvePlanSchema, LachesisError, type ImprovePlan, type ModelImprovement } from '@lachesis/protocol';
import type { ControlClient } from '@lachesis/sdk';
import { createEgressRule, EgressError } from '@lachesis/sdk/egress';
import { changeImprovementRunner, listServedImprovements, type Store } from '@lachesis/store';
import { readRecordSettings } from '../training/records/settings.ts';
import { TrainerError } from '../training/trainer-error.ts';
import { beginImprovement } from './improve.ts';
import { describeImprovement, needImprovement, showImprovement } from './improvements.ts';

export interface ServedImprovementsOptions {
  store: Store;
  environment: Readonly<Record<string, string | undefined>>;
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
    async start(tenantId, plan) {
      await checkServedPlan(plan, options.environment);
      await options.prepare();
      await refuseTooMany(tenantId, plan.model);
      await options.drain();
      const { improvement, isNew } = await beginImprovement({ store, tenantId, plan, runner: 'server' });
      const { improvementId: ref } = improvement;
      // If we die before this, a second call finds it and has it go on.
      await serve(tenantId, ref);
      return { ...(await showImprovement({ store, tenantId, ref })), is_new: isNew };
    },
    async resume(tenantId, ref) {
      const improvement = await needImprovement({ store, tenantId, ref });
      if (improvement.endedAt !== null) return describeImprovement(improvement, await store.now());
      await checkServedPlan(improvePlanSchema.parse(improvement.plan), options.environment);
      await options.prepare();
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

/** What a plan may ask of a server: settings that training has, nothing of the machine, a judge that may be asked. */
async function checkServedPlan(
  plan: ImprovePlan,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const named = OF_THE_MACHINE.filter((name) => Object.hasOwn(plan.training, name));
  if (named.length > 0) refuse(`the setting ${named.join(', ')} of the training cannot be set over HTTP`);
  if (/^[./~]|\\|\.\./.test(plan.base_model)) refuse('base_model is the name of a model, not a folder');
  if (plan.model.includes('\u0000')) refuse('the name of the model holds a zero byte');
  if (plan.rules !== null && plan.judge !== null) refuse('rules and a judge were given: choose one of them');
  try {
    readRecordSettings(plan.method, plan.training);
    const { judge } = plan;
    if (judge !== null) await createEgressRule({ allow: environment['LACHESIS_EGRESS_ALLOW'] }).resolve(judge.base_url);
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
