import { TinkerStoppedError } from '../errors/client-errors.ts';
import type { Deadline } from '../transport/deadline.ts';
import type { HeldSession, SamplerSource } from './sampler-source.ts';

/** A second model that holds the weights of one checkpoint and is never trained. */
export interface LoadedModel {
  samplingSessionId: string;
  /** Clears and unloads it. */
  unload(): Promise<void>;
}

export interface IsolatedModelsOptions {
  /** Makes a fresh model and loads the saved weights into it. */
  load(path: string, deadline: Deadline): Promise<LoadedModel>;
  /** Models kept at once; the engine has a handful of places for all its users. */
  places?: number;
  onUnloadFailed: (error: Error) => void;
}

interface Place {
  path: string;
  model: Promise<LoadedModel>;
  users: number;
  /** When it was last asked for, as a count. */
  usedAt: number;
  /** Its sampler was closed: it goes when the last sample under way has ended. */
  isLeaving: boolean;
}

/**
 * Samples checkpoints through models of their own, for servers on which sampling a checkpoint overwrites the weights it
 * was taken from. Two places are used in turn: the newest weights are loaded into one while samples of the ones before
 * end in the other. A sampler that lost its place gets one again when it is next used.
 */
export class IsolatedModels {
  readonly #options: IsolatedModelsOptions;
  readonly #places: number;
  readonly #loaded = new Map<string, Place>();
  readonly #waiting = new Set<() => void>();
  #uses = 0;
  #isClosed = false;

  constructor(options: IsolatedModelsOptions) {
    this.#options = options;
    this.#places = options.places ?? 2;
  }

  /** A source of sessions for the weights at this path. */
  source(path: string): SamplerSource {
    return {
      acquire: (deadline) => this.#acquire(path, deadline),
      close: () => this.#drop(path),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await Promise.all([...this.#loaded.values()].map((place) => this.#unload(place)));
  }

  async #acquire(path: string, deadline: Deadline): Promise<HeldSession> {
    const place = await this.#placeFor(path, deadline);
    place.users += 1;
    place.isLeaving = false;
    this.#uses += 1;
    place.usedAt = this.#uses;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      place.users -= 1;
      if (place.users > 0) return;
      // `unload` reports its own failure.
      if (place.isLeaving) void this.#unload(place);
      this.#wake();
    };
    try {
      const { samplingSessionId } = await place.model;
      return { samplingSessionId, release };
    } catch (error) {
      if (this.#loaded.get(path) === place) this.#loaded.delete(path);
      release();
      throw error;
    }
  }

  async #placeFor(path: string, deadline: Deadline): Promise<Place> {
    for (;;) {
      if (this.#isClosed) throw new TinkerStoppedError({ operation: 'asample', reason: 'the service is closed.' });
      const known = this.#loaded.get(path);
      if (known !== undefined) return known;
      if (this.#loaded.size < this.#places) {
        const place: Place = { path, model: this.#options.load(path, deadline), users: 0, usedAt: 0, isLeaving: false };
        this.#loaded.set(path, place);
        return place;
      }
      const idle = [...this.#loaded.values()]
        .filter(({ users }) => users === 0)
        .toSorted((a, b) => a.usedAt - b.usedAt)[0];
      if (idle === undefined) await this.#wait(deadline);
      else await this.#unload(idle);
    }
  }

  async #drop(path: string): Promise<void> {
    const place = this.#loaded.get(path);
    if (place === undefined) return;
    place.isLeaving = true;
    if (place.users === 0) await this.#unload(place);
  }

  async #unload(place: Place): Promise<void> {
    if (this.#loaded.get(place.path) !== place) return;
    this.#loaded.delete(place.path);
    try {
      await (await place.model).unload();
    } catch (error) {
      // The place on the server comes back when the session ends; the sampler that wants this one must not fail for it.
      this.#options.onUnloadFailed(error as Error);
    } finally {
      this.#wake();
    }
  }

  async #wait(deadline: Deadline): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const giveUp = (): void => resolve();
    this.#waiting.add(giveUp);
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
      deadline.check({ operation: 'asample', waitingFor: 'a place for the weights' });
    } finally {
      clearTimeout(timer);
      deadline.signal?.removeEventListener('abort', giveUp);
      this.#waiting.delete(giveUp);
    }
  }

  #wake(): void {
    for (const resume of this.#waiting) resume();
  }
}
