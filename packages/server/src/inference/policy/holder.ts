import { LachesisError, type ActivePolicy, type PolicyPublication, type PolicyState } from '@lachesis/protocol';
import type { Logger } from 'pino';
import { KEPT_POLICIES, type PolicyMemory } from './memory.ts';
import type { WeightsSampler, WeightsSource } from './weights-source.ts';

export interface PolicyHolderOptions {
  source: WeightsSource;
  memory: PolicyMemory;
  /** The base model of this server; a publication may name another one. */
  baseModel: string;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Logger;
  onSwitch?: (policy: ActivePolicy) => void;
  /** What is to be served before anything else, given what was served before; undefined to go on with that. */
  readFirst?: ((history: readonly ActivePolicy[]) => Promise<PolicyPublication | undefined>) | undefined;
  /** The pause before weights that could not be loaded at the start are tried again. */
  retryMs?: number;
}

/** A policy in use by one completion. */
export interface HeldPolicy {
  policy: ActivePolicy;
  sampler: WeightsSampler;
  release(): void;
}

interface Slot {
  policy: ActivePolicy;
  sampler: WeightsSampler;
  users: number;
}

const RETRY_MS = 2_000;
/** A successor loads its weights in seconds; clients whose connections outlived the crash need not notice. */
const FIRST_LOAD_WAIT_MS = 20_000;

/**
 * Serves one policy and switches to the next without losing a request: the new weights are loaded and have answered
 * before the first request goes to them, and the old ones are given back when their last request has ended.
 */
export class PolicyHolder {
  readonly #options: PolicyHolderOptions;
  readonly #closed = new AbortController();
  /** Older policies with requests under way. */
  readonly #draining = new Set<Slot>();
  #active: Slot | undefined;
  #history: ActivePolicy[] = [];
  /** Publications one after another. */
  #line: Promise<unknown> = Promise.resolve();
  #problem = 'the weights are being loaded';
  /** The first attempt to load weights, while it is under way. */
  #firstLoad: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PolicyHolderOptions) {
    this.#options = options;
  }

  get state(): PolicyState {
    return { active: this.#active?.policy ?? null, history: this.#history };
  }

  /** Why nothing is served, while nothing is. */
  get problem(): string | undefined {
    return this.#active === undefined ? this.#problem : undefined;
  }

  /** Whether the first weights are being loaded: what is served is not known yet. */
  get isStarting(): boolean {
    return this.#firstLoad !== undefined;
  }

  /** Loads what was published last, or else the base model; tries again until it works or something is published. */
  start(): void {
    const load = this.#inLine(() => this.#restore());
    this.#firstLoad = load.finally(() => (this.#firstLoad = undefined));
  }

  publish(publication: PolicyPublication): Promise<ActivePolicy> {
    return this.#inLine(async () => {
      const { policy_version: version, model_path: modelPath, force = false } = publication;
      const last = this.#active?.policy ?? this.#history[0];
      const isSame = last?.policy_version === version && last.model_path === modelPath;
      if (isSame && this.#active !== undefined) return this.#active.policy;
      if (last !== undefined && !isSame && !force && version <= last.policy_version) throw conflict(version, last);
      return this.#switch(publication);
    });
  }

  /** Takes the policy for one completion. Who comes while the first weights are loaded waits for them a while. */
  async acquire(options: { wanted?: number | undefined; signal?: AbortSignal | undefined } = {}): Promise<HeldPolicy> {
    if (this.#active === undefined && this.#firstLoad !== undefined) await this.#waitForFirst(options.signal);
    const { wanted } = options;
    const slot =
      wanted === undefined || this.#active?.policy.policy_version === wanted
        ? this.#active
        : [...this.#draining].find(({ policy }) => policy.policy_version === wanted);
    if (slot === undefined) throw this.#refusal(wanted);
    slot.users += 1;
    let isHeld = true;
    return {
      policy: slot.policy,
      sampler: slot.sampler,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        slot.users -= 1;
        if (slot.users === 0 && this.#draining.has(slot)) this.#giveBack(slot);
      },
    };
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#closed.abort();
      await this.#line;
      const slots = [...this.#draining, ...(this.#active === undefined ? [] : [this.#active])];
      this.#active = undefined;
      this.#problem = 'the server is stopping';
      await Promise.allSettled(slots.map(({ sampler }) => sampler.close()));
      await this.#options.source.close();
    })();
    return this.#closing;
  }

  async #waitForFirst(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, FIRST_LOAD_WAIT_MS);
    signal?.addEventListener('abort', () => resolve(), { once: true });
    await Promise.race([this.#firstLoad, promise]);
    clearTimeout(timer);
    signal?.throwIfAborted();
  }

  #inLine<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#line.then(work);
    this.#line = result.catch(() => undefined);
    return result;
  }

  async #restore(): Promise<void> {
    const { memory, baseModel, log, readFirst } = this.#options;
    try {
      this.#history = await memory.load();
      const last = this.#history[0];
      const first = await readFirst?.(this.#history);
      if (first !== undefined) await this.#switch(first);
      // A run that changed its base model starts over.
      else if (last === undefined || last.base_model !== baseModel) {
        await this.#switch({ model_path: null, policy_version: 0, step: 0, base_model: baseModel });
      } else {
        await this.#load(last);
        log.info({ policy: last.policy_version, path: last.model_path }, 'the last published policy is served again');
      }
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      this.#problem = `the weights could not be loaded: ${error instanceof Error ? error.message : String(error)}`;
      log.warn({ err: error }, 'the weights could not be loaded; they are tried again');
      const timer = setTimeout(() => {
        if (this.#active === undefined && !this.#closed.signal.aborted) this.start();
      }, this.#options.retryMs ?? RETRY_MS);
      timer.unref();
    }
  }

  async #switch(publication: PolicyPublication): Promise<ActivePolicy> {
    const { baseModel, memory, now } = this.#options;
    const { policy_version, model_path, step } = publication;
    const { model_version_id } = publication;
    const policy = {
      ...{ policy_version, model_path, step, base_model: publication.base_model ?? baseModel },
      ...(model_version_id === undefined ? {} : { model_version_id }),
    };
    return this.#load(policy, async () => {
      const active = { ...policy, active_since: now() };
      const history = [active, ...this.#history].slice(0, KEPT_POLICIES);
      await memory.save(history);
      // Dying here, the successor serves the new policy; the publisher, who heard nothing, publishes it again.
      this.#history = history;
      return active;
    });
  }

  async #load(
    policy: Omit<ActivePolicy, 'active_since'>,
    remember: () => Promise<ActivePolicy> = () => Promise.resolve(policy as ActivePolicy),
  ): Promise<ActivePolicy> {
    const { source, onSwitch } = this.#options;
    const weights = { modelPath: policy.model_path, baseModel: policy.base_model };
    const sampler = await source.open(weights, { signal: this.#closed.signal });
    let active: ActivePolicy;
    try {
      active = await remember();
    } catch (error) {
      await sampler.close();
      throw error;
    }
    const before = this.#active;
    this.#active = { policy: active, sampler, users: 0 };
    if (before !== undefined) {
      if (before.users === 0) this.#giveBack(before);
      else this.#draining.add(before);
    }
    onSwitch?.(active);
    return active;
  }

  #giveBack(slot: Slot): void {
    this.#draining.delete(slot);
    // Nobody waits for it: the new policy answers already, and what stays loaded goes with the session.
    slot.sampler.close().catch((error: unknown) => {
      this.#options.log.warn({ err: error, policy: slot.policy.policy_version }, 'old weights could not be given back');
    });
  }

  #refusal(wanted: number | undefined): LachesisError {
    const active = this.#active?.policy;
    if (wanted !== undefined && active !== undefined) {
      return new LachesisError({
        code: 'conflict',
        message: `policy ${wanted} is wanted and policy ${active.policy_version} is served`,
        hint: 'Leave x-lachesis-policy out to take whatever is served; the reply says which it was.',
      });
    }
    return new LachesisError({
      code: 'unavailable',
      message: `no policy is served: ${this.#problem}`,
      hint: 'GET /v1/policy says what is served. Send the same request after Retry-After.',
      retryAfterSeconds: 1,
    });
  }
}

function conflict(version: number, last: ActivePolicy): LachesisError {
  const isSame = version === last.policy_version;
  return new LachesisError({
    code: 'conflict',
    message: isSame
      ? `policy ${version} was published with other weights`
      : `policy ${version} is older than policy ${last.policy_version}, which was published before`,
    hint: 'A run that starts over publishes with "force": true.',
  });
}
