import type { findPromoted } from '@lachesis/store';
import type { ActivePolicy, PolicyPublication, PolicyState } from '@lachesis/protocol';
import { basename, isAbsolute } from 'node:path';
import type { Logger } from 'pino';
import type { PolicyHolder } from './holder.ts';

type PromotedModel = NonNullable<Awaited<ReturnType<typeof findPromoted>>>;

/** What is promoted in the registry under one name. */
export interface PromotedModels {
  name: string;
  read(): Promise<PromotedModel | undefined>;
  /** What a version is registered as, such as `talker@1`. */
  nameOf?: ((modelVersionId: string) => Promise<string | undefined>) | undefined;
}

export interface PromotedFollowerOptions {
  promoted: PromotedModels;
  holder: Pick<PolicyHolder, 'isStarting' | 'publish' | 'state'>;
  /** The base model of this server, whose tokenizer it has. */
  baseModel: string;
  log: Logger;
  /** The pause between two looks: one row by its key, so that a promotion is served within a second. */
  everyMs?: number;
  /** The longest pause while the weights cannot be loaded. */
  longestMs?: number;
}

const EVERY_MS = 250;
const LONGEST_MS = 30_000;

/**
 * Serves what is promoted under a name, and the next one as soon as it is promoted. What cannot be served is told once
 * and tried again, and the policy before it goes on answering.
 */
export class PromotedFollower {
  readonly #options: PromotedFollowerOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #look: Promise<void> = Promise.resolve();
  #failures = 0;
  /** What was told last, so that it is told once. */
  #told: string | undefined;

  constructor(options: PromotedFollowerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#wait(0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#look;
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#look = this.#lookOnce().then(() => {
        if (!this.#isClosed) this.#wait(this.#pause());
      });
    }, ms);
    this.#timer.unref();
  }

  #pause(): number {
    const { everyMs = EVERY_MS, longestMs = LONGEST_MS } = this.#options;
    return Math.min(longestMs, everyMs * 2 ** Math.min(this.#failures, 16));
  }

  async #lookOnce(): Promise<void> {
    const { promoted, holder, baseModel, log } = this.#options;
    // The first weights are the promoted ones already, and what comes after them is numbered by them.
    if (holder.isStarting) return;
    try {
      const found = await promoted.read();
      if (this.#isClosed || found === undefined) return;
      const { active } = holder.state;
      const { modelVersionId } = found.model;
      if (active?.model_version_id !== modelVersionId) {
        refuseOtherBase(found, baseModel);
        await holder.publish(toPublication(found, holder.state));
        log.info({ model: nameOf(found), model_version_id: modelVersionId }, 'the promoted model is served');
      }
      this.#failures = 0;
      this.#told = undefined;
    } catch (error) {
      if (this.#isClosed) return;
      this.#failures += 1;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#told) {
        log.error({ err: error, model: promoted.name }, 'the promoted model is not served; it is tried again');
      }
      this.#told = message;
    }
  }
}

/** What a server that follows a name begins with, so that nobody is answered by another model before. */
export async function readFirstPromoted(
  { promoted, baseModel }: Pick<PromotedFollowerOptions, 'baseModel' | 'promoted'>,
  history: readonly ActivePolicy[],
): Promise<PolicyPublication | undefined> {
  const found = await promoted.read();
  if (found === undefined) return undefined;
  refuseOtherBase(found, baseModel);
  if (history[0]?.model_version_id === found.model.modelVersionId) return undefined;
  return toPublication(found, { active: null, history: [...history] });
}

/** Weights for another model would be read with the wrong tokenizer. */
function refuseOtherBase(found: PromotedModel, baseModel: string): void {
  if (toName(found.model.baseModel) === toName(baseModel)) return;
  throw new Error(
    `${nameOf(found)} belongs to the base model ${found.model.baseModel}, and this server has ${baseModel}. ` +
      'Start one with --base-model for it, or promote a version of this base model.',
  );
}

/** A folder and a repository of the same name are the same model on two machines. */
const toName = (model: string): string => (isAbsolute(model) ? basename(model) : model);

const nameOf = ({ model }: PromotedModel): string => `${model.name}@${model.version}`;

function toPublication({ model }: PromotedModel, { active, history }: PolicyState): PolicyPublication {
  const modelPath = model.weightsPath === '' ? null : model.weightsPath;
  const known = [active, ...history].flatMap((policy) => policy?.policy_version ?? []);
  return {
    model_path: modelPath,
    // A rollback is a policy of its own: replies before and after it are told apart. 0 is the base model's.
    policy_version: Math.max(modelPath === null ? -1 : 0, ...known) + 1,
    step: model.step ?? 0,
    model_version_id: model.modelVersionId,
    force: true,
  };
}
