import { createRandom, type Random } from './random.ts';

/** Thrown by the first thing that must not be. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

const STEP_MS = 8;

/**
 * Time, order and chance of one simulated history. Nothing happens by itself: whatever waits for a message, a timer or
 * its turn is a task, and each step runs one of them, chosen by the seed.
 */
export class World {
  readonly random: Random;
  /** The database's clock, milliseconds. */
  now = 1_000_000;
  /** The first thing that went wrong; the history ends there. */
  violation: Violation | null = null;
  /** No more faults: what is under way must come to a good end. */
  isCalm = false;
  /** Messages and timers. */
  readonly #wire: (() => void)[] = [];
  /** Actors that wait for their turn. */
  readonly #actors: (() => void)[] = [];
  #ids = 0;

  constructor(seed: number) {
    this.random = createRandom(seed);
  }

  get isIdle(): boolean {
    return this.#wire.length === 0;
  }

  nextId(): string {
    return `id-${String(++this.#ids).padStart(6, '0')}`;
  }

  /** Runs `task` some time later. */
  send(task: () => void): void {
    this.#wire.push(task);
  }

  /** Resolves some time later, at least `ms` of simulated time if nothing else moves it. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) =>
      this.send(() => {
        this.now += Math.min(ms, STEP_MS);
        resolve();
      }),
    );
  }

  /** Resolves when it is an actor's turn to do something. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.#actors.push(resolve));
  }

  fails(probability: number): boolean {
    return !this.isCalm && this.random.chance(probability);
  }

  refuse(message: string): void {
    this.violation ??= new Violation(message);
  }

  expect(isTrue: boolean, message: () => string): void {
    if (!isTrue) this.refuse(message());
  }

  /** One step, and everything that follows from it without waiting. */
  async step(): Promise<void> {
    const takesWire = this.#wire.length > 0 && (this.#actors.length === 0 || this.random.chance(0.7));
    const tasks = takesWire ? this.#wire : this.#actors;
    const index = this.random.below(tasks.length);
    const task = tasks[index];
    const last = tasks.pop();
    if (last !== undefined && index < tasks.length) tasks[index] = last;
    this.now += this.random.below(STEP_MS);
    task?.();
    await new Promise(setImmediate);
  }
}
