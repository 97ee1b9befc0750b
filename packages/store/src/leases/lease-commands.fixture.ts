import fc from 'fast-check';
import { deepStrictEqual } from 'node:assert';
import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';
import { LeaseLostError } from '../errors/lease-lost-error.ts';
import { readSettings, writeSettings } from '../settings/settings.ts';
import { acquireLease, releaseLease, renewLease } from './acquire-lease.ts';
import { fence } from './fence.ts';
import type { Lease } from './lease.ts';

const HOLDERS = ['a', 'b', 'c'] as const;

/** What must be true, in memory. */
export interface Model {
  holder: string | null;
  epoch: number;
  isExpired: boolean;
  /** What holders were given, the oldest first; some believe for ever that they have it. */
  granted: Lease[];
  /** What the thing says: the last write that was kept. */
  written: string | undefined;
}

export interface Real {
  /** Two processes. */
  stores: readonly [Store, Store];
  resource: string;
}

export const keyOf = (resource: string) => ({ tenantId: 't', kind: 'record-training', resource }) as const;
const isHeld = (model: Model, { holder, epoch }: Lease): boolean => model.holder === holder && model.epoch === epoch;
const isLost = (error: unknown): boolean => {
  if (!LeaseLostError.isInstance(error)) throw error;
  return true;
};

class Acquire implements fc.AsyncCommand<Model, Real> {
  readonly holder: string;
  readonly gone: string;
  readonly at: 0 | 1;
  constructor(...[asking, gone, store]: [string, string, 0 | 1]) {
    this.holder = asking;
    this.gone = gone;
    this.at = store;
  }
  check = (): boolean => true;
  async run(model: Model, { stores, resource }: Real): Promise<void> {
    const isFree =
      model.holder === null || model.isExpired || model.holder === this.holder || model.holder === this.gone;
    const lease = await acquireLease({
      ...{ store: stores[this.at], ...keyOf(resource), holder: this.holder, seconds: 600 },
      isGone: (holder) => holder === this.gone,
    });
    if ('heldBy' in lease) {
      deepStrictEqual([lease.heldBy, isFree], [model.holder, false]);
      return;
    }
    deepStrictEqual(lease, { ...keyOf(resource), holder: this.holder, epoch: model.epoch + 1 });
    deepStrictEqual(isFree, true);
    grant(model, lease);
  }
  toString = (): string => `acquire(${this.holder}, gone ${this.gone}, store ${this.at})`;
}

class Race implements fc.AsyncCommand<Model, Real> {
  check = (): boolean => true;
  async run(model: Model, { stores, resource }: Real): Promise<void> {
    const isFree = model.holder === null || model.isExpired;
    const asked = await Promise.all(
      ['x', 'y', 'z'].map((holder, index) =>
        acquireLease({ store: stores[index % 2 === 0 ? 0 : 1], ...keyOf(resource), holder, seconds: 600 }),
      ),
    );
    const won = asked.filter((one): one is Lease => !('heldBy' in one));
    // Who won before and asks again gets it again: nobody else does.
    const isAgain = ['x', 'y', 'z'].includes(model.holder ?? '');
    deepStrictEqual(won.length, isFree || isAgain ? 1 : 0);
    const [lease] = won;
    if (lease === undefined) return;
    deepStrictEqual(lease.epoch, model.epoch + 1);
    grant(model, lease);
  }
  toString = (): string => 'race';
}

function grant(model: Model, lease: Lease): void {
  Object.assign(model, { holder: lease.holder, epoch: lease.epoch, isExpired: false });
  model.granted.push(lease);
}

/** One of the leases that were ever given does something. */
abstract class ByHolder implements fc.AsyncCommand<Model, Real> {
  readonly which: number;
  readonly at: 0 | 1;
  constructor(...[ago, store]: [number, 0 | 1]) {
    this.which = ago;
    this.at = store;
  }
  check = ({ granted }: Readonly<Model>): boolean => granted.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const lease = model.granted.at(-1 - (this.which % model.granted.length));
    if (lease !== undefined) await this.act(model, { store: real.stores[this.at], lease });
  }
  abstract act(model: Model, held: { store: Store; lease: Lease }): Promise<void>;
  toString = (): string => `${this.constructor.name}(${this.which} ago, store ${this.at})`;
}

class Renew extends ByHolder {
  async act(model: Model, held: { store: Store; lease: Lease }): Promise<void> {
    const isRefused = await renewLease({ ...held, seconds: 600 }).then(() => false, isLost);
    deepStrictEqual(isRefused, !isHeld(model, held.lease));
    if (!isRefused) model.isExpired = false;
  }
}

class Release extends ByHolder {
  async act(model: Model, held: { store: Store; lease: Lease }): Promise<void> {
    deepStrictEqual(await releaseLease(held), isHeld(model, held.lease));
    if (isHeld(model, held.lease)) model.holder = null;
  }
}

let writes = 0;

class Write extends ByHolder {
  async act(model: Model, held: { store: Store; lease: Lease }): Promise<void> {
    const value = `write ${(writes += 1)}`;
    const scope = { tenantId: 't', scope: held.lease.resource };
    const writing = writeSettings({ store: fence(held), ...scope, settings: [{ name: 'n', value, origin: 'test' }] });
    deepStrictEqual(await writing.then(() => false, isLost), !isHeld(model, held.lease));
    if (isHeld(model, held.lease)) model.written = value;
    const [kept] = await readSettings({ store: held.store, ...scope });
    deepStrictEqual(kept?.value, model.written);
  }
}

/** Nobody renewed for too long. */
class TimePasses implements fc.AsyncCommand<Model, Real> {
  check = ({ holder }: Readonly<Model>): boolean => holder !== null;
  async run(model: Model, { stores: [store], resource }: Real): Promise<void> {
    await store.db
      .updateTable('leases')
      .set({ lease_expires_at: databaseClock(store.dialect) })
      .where('resource', '=', resource)
      .execute();
    model.isExpired = true;
  }
  toString = (): string => 'time passes';
}

const holder = fc.constantFrom(...HOLDERS);
const at = fc.constantFrom(0 as const, 1 as const);
const which = fc.nat(3);
export const leaseCommands = fc.commands(
  [
    fc.tuple(holder, holder, at).map((given) => new Acquire(...given)),
    fc.tuple(holder, fc.constant('nobody'), at).map((given) => new Acquire(...given)),
    fc.constant(new Race()),
    fc.tuple(which, at).map((given) => new Renew(...given)),
    fc.tuple(which, at).map((given) => new Release(...given)),
    fc.tuple(which, at).map((given) => new Write(...given)),
    fc.tuple(which, at).map((given) => new Write(...given)),
    fc.constant(new TimePasses()),
  ],
  { maxCommands: 30, size: 'max' },
);
