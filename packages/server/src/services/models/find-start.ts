import { LachesisError } from '@lachesis/protocol';
import {
  findModel,
  findModelByPath,
  findRun,
  findSavedState,
  listSavedStates,
  type ModelVersion,
  type Store,
} from '@lachesis/store';
import { findModelId, findRunName } from '../library/find-by-beginning.ts';

/** In which database models are looked for, and whose they are. */
export interface ModelScope {
  store: Store;
  tenantId: string;
}

/** Weights that somebody named: a version of a model, a step of a run, or a `tinker://` path. */
export interface FoundStart {
  /** As people write it: `name@version`, `run:step`, or the path. */
  name: string;
  /** Weights and optimiser that training can go on from; null where none is known. */
  statePath: string | null;
  /** To sample from; null where none is known, empty for the base model itself. */
  weightsPath: string | null;
  /** The version of the registry that they are. */
  model: ModelVersion | undefined;
}

const SHOWN_STEPS = 12;

/**
 * The one way from what somebody typed to weights: `name@version`, `name` (its newest), an id or its beginning, `run:step`,
 * `run:best` (by evaluation), `run` (its newest), or a `tinker://` path.
 */
export async function findStart(options: ModelScope & { ref: string }): Promise<FoundStart> {
  const { ref } = options;
  if (ref.startsWith('tinker://')) return await findPath(options);
  const [, run, step] = /^(.+):(\d+|best)$/.exec(ref) ?? [];
  if (run !== undefined && step !== undefined) return await findStep({ ...options, run, step });
  const model = await findNamedModel(options);
  if (model !== undefined) return toStart(model);
  const newest = /@\d+$/.test(ref) ? undefined : await findRunName({ ...options, ref });
  if (newest !== undefined) return await findStep({ ...options, run: newest, step: 'newest' });
  throw modelMissing(ref);
}

/** A version of the registry, by anything that `findStart` takes. */
export async function needModel(options: ModelScope & { ref: string }): Promise<ModelVersion> {
  const { model, name } = await findStart(options);
  if (model !== undefined) return model;
  throw new LachesisError({
    code: 'not-found',
    message: `${name} is in no registry of models`,
    hint: 'A run registers the checkpoints it keeps and its last weights; `lachesis models list` shows them.',
  });
}

/** A version of the registry whose weights are still there. */
export async function needKeptModel(options: ModelScope & { ref: string }): Promise<ModelVersion> {
  const model = await needModel(options);
  refuseDeleted(model);
  return model;
}

/** A state to begin a training with; refused, with what to name instead, where there is none. */
export async function needState(options: ModelScope & { ref: string }): Promise<FoundStart & { statePath: string }> {
  const found = await findStart(options);
  if (found.model !== undefined) refuseDeleted(found.model);
  const { statePath, name, weightsPath } = found;
  if (statePath === null) {
    throw new LachesisError({
      code: 'conflict',
      message: weightsPath === '' ? `${name} is a base model` : `${name} has no saved state to begin with`,
      hint: weightsPath === '' ? 'Name it with base_model.' : 'Take another version, or another step of its run.',
    });
  }
  if (isForSampling(options.ref)) {
    throw new LachesisError({
      code: 'invalid',
      message: `${options.ref} is for sampling, and a training begins with a state`,
      hint: `Its state is ${statePath}${found.model === undefined ? '' : `; ${nameOf(found.model)} names both`}.`,
    });
  }
  return { ...found, statePath };
}

/** A state to begin a training with, or a registered base model, which has none. */
export async function needBeginning(options: ModelScope & { ref: string }): Promise<FoundStart> {
  const found = await findStart(options);
  return found.weightsPath === '' ? found : await needState(options);
}

/** Whoever would load these weights would be refused by the engine without a reason. */
export function refuseDeleted(model: Pick<ModelVersion, 'name' | 'run' | 'version' | 'weightsDeletedAt'>): void {
  const { name, version, run, weightsDeletedAt } = model;
  if (weightsDeletedAt === null) return;
  throw new LachesisError({
    code: 'conflict',
    message: `the weights of ${name}@${version} were deleted: the run ${run ?? 'that made it'} keeps only so many checkpoints`,
    hint: `Take another version: \`lachesis models list --name ${name}\`.`,
  });
}

/** As people write it. */
export const nameOf = ({ name, version }: { name: string; version: number }): string => `${name}@${version}`;

/** No model of this tenant by this name or id. */
export const modelMissing = (ref: string): LachesisError =>
  new LachesisError({
    code: 'not-found',
    message: `there is no model ${JSON.stringify(ref.slice(0, 200))}`,
    hint: '`lachesis models list` shows them.',
  });

const toStart = (model: ModelVersion): FoundStart => ({
  ...{ name: nameOf(model), statePath: model.statePath, weightsPath: model.weightsPath, model },
});

async function findNamedModel(options: ModelScope & { ref: string }): Promise<ModelVersion | undefined> {
  const found = await findModel(options);
  if (found !== undefined) return found;
  const ref = await findModelId(options);
  return ref === undefined ? undefined : await findModel({ ...options, ref });
}

/** What an engine keeps may be unknown here: a state is then taken by its path alone. */
async function findPath(options: ModelScope & { ref: string }): Promise<FoundStart> {
  const { ref } = options;
  const isSampler = isForSampling(ref);
  const model =
    (await findModelByPath({ ...options, path: ref })) ??
    // SkyRL leaves the kind of weights for sampling out; people write it as the managed service does.
    (isSampler ? await findModelByPath({ ...options, path: ref.replace('/sampler_weights/', '/') }) : undefined);
  const known = isSampler ? (model?.statePath ?? (await findSavedState({ ...options, weightsPath: ref }))) : ref;
  return {
    name: ref,
    statePath: known ?? null,
    weightsPath: isSampler ? ref : (model?.weightsPath ?? null),
    model,
  };
}

async function findStep(options: ModelScope & { run: string; step: string }): Promise<FoundStart> {
  const { store, tenantId, step } = options;
  const run = await findRunName({ store, tenantId, ref: options.run });
  const found = run === undefined ? undefined : await findRun({ store, tenantId, name: run });
  if (found === undefined) {
    throw new LachesisError({
      code: 'not-found',
      message: `there is no run ${JSON.stringify(options.run.slice(0, 200))}`,
      hint: '`lachesis runs list` shows them.',
    });
  }
  const states = await listSavedStates({ store, tenantId, runId: found.runId });
  const state = pickState(states, step);
  if (state === undefined) {
    const steps = states.map((each) => each.step).slice(0, SHOWN_STEPS);
    throw new LachesisError({
      code: 'not-found',
      message:
        step === 'best'
          ? `no checkpoint of run ${run} has an evaluation`
          : `run ${run} has no saved state${step === 'newest' ? '' : ` of step ${step}`}`,
      hint:
        steps.length === 0
          ? 'It saves one at each checkpoint (tinker.save_checkpoint_interval) and at its end.'
          : `There are those of steps ${steps.join(', ')}.`,
    });
  }
  const path = state.weightsPath ?? state.statePath;
  const model = await findModelByPath({ store, tenantId, path });
  return {
    ...{ name: `${run}:${state.step}`, statePath: state.statePath, weightsPath: state.weightsPath, model },
  };
}

type SavedState = Awaited<ReturnType<typeof listSavedStates>>[number];

/** The states are the newest first. */
function pickState(states: readonly SavedState[], step: string): SavedState | undefined {
  if (step === 'newest') return states[0];
  if (step !== 'best') return states.find((each) => each.step === Number(step));
  return states.reduce<SavedState | undefined>(
    (best, each) =>
      each.evaluation !== null && each.evaluation > (best?.evaluation ?? Number.NEGATIVE_INFINITY) ? each : best,
    undefined,
  );
}

/** Only weights to sample from are ever named without their kind. */
const isForSampling = (ref: string): boolean => /^tinker:\/\/(?![^/]+\/weights\/)/.test(ref);
