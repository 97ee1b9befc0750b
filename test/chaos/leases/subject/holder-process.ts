import { openHome, type Store } from '@lachesis/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { mutate, type Mutant } from './mutants.ts';
import { isLost, LEASE_USERS, type LeaseUser, type Things } from './users.ts';
import { createGate, hold, witness } from './witness.ts';

/** What a process under test is told. */
export interface HolderOptions {
  home: string;
  databaseUrl: string | undefined;
  things: Things;
  holder: string;
  seconds: number;
  mutant: Mutant | null;
}

/** What it says. */
export type HolderMessage =
  | { kind: 'ready' | 'pausing' }
  | { kind: 'acquired' | 'refused'; who: string; epoch: number };

const WRITE_EVERY_MS = 60;
const ASK_EVERY_MS = 150;

const options = JSON.parse(process.argv[2] ?? '') as HolderOptions;
const { things, holder, seconds, mutant } = options;
const { store: opened, blobs } = await openHome(options);
const gate = createGate();
const spoil = (whole: Store): Store => (mutant === null ? whole : mutate(whole, mutant));
const store = spoil(hold(opened, gate));
const held = new Set<string>();
const tell = (message: HolderMessage): void => void process.send?.(message);

/** Acquires, writes until it is refused, and begins anew: with the same name, as a process that is started again under it. */
async function live(user: LeaseUser): Promise<never> {
  for (;;) {
    // A database that is busy is asked again.
    const life = await user.acquire({ store, blobs, things, holder, seconds }).catch(() => undefined);
    if (life === undefined) {
      await sleep(ASK_EVERY_MS);
      continue;
    }
    const who = user.name;
    tell({ kind: 'acquired', who, epoch: life.epoch });
    held.add(who);
    const mine = spoil(witness(opened, { who, writer: holder, held: life, gate }));
    const kept = life.renew(mine);
    for (let count = 0; held.has(who); count += 1) {
      await life.write(mine, count).catch((error: unknown) => {
        if (isLost(error)) held.delete(who);
      });
      await sleep(WRITE_EVERY_MS);
    }
    tell({ kind: 'refused', who, epoch: life.epoch });
    await kept[Symbol.asyncDispose]();
  }
}

process.on('message', () => {
  void gate.shut(held).then(() => {
    tell({ kind: 'pausing' });
    // The message is on its way before the process stands still.
    setTimeout(() => {
      process.kill(process.pid, 'SIGSTOP');
      gate.open();
    }, 50);
  });
});

tell({ kind: 'ready' });
await Promise.all(LEASE_USERS.map(live));
