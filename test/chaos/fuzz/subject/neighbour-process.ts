/*
 * The real control server with tokens of two tenants. What it is given comes as JSON in its first argument; a mutant is the
 * same server with one part as a careless author could have written it.
 */
import type { Redactor } from '@lachesis/protocol';
import { readControlSettings } from '@lachesis/server';
import { createLog } from '@lachesis/server/processes';
import { buildControl, type ControlReplacements } from '../../../../packages/server/src/control/build.ts';
import { createToken, openStore } from '@lachesis/store';
import { join } from 'node:path';

export type Mutant = 'announced length' | 'parsing on the event loop' | 'quadratic redaction';

export interface NeighbourOptions {
  home: string;
  port: number;
  mutant: Mutant | 'none';
}

/** What it says once it listens. */
export interface NeighbourReady {
  /** `records:write` of one tenant. */
  attacker: string;
  /** `view` and `feedback:write` of another. */
  neighbour: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as NeighbourOptions;

/** Charges what a body says it will be, first come first served. */
function createAnnouncedLedger(capacity: number, largest: number) {
  let used = 0;
  const line: { share: number; enter: () => void }[] = [];
  const admit = (): void => {
    for (let next = line[0]; next !== undefined && used + next.share <= capacity; next = line[0]) {
      line.shift();
      used += next.share;
      next.enter();
    }
  };
  return {
    open(_owner: unknown, announced: number | undefined) {
      const share = announced ?? largest;
      let isHeld = false;
      return {
        take() {
          if (isHeld) return undefined;
          isHeld = true;
          const entered = new Promise<void>((enter) => line.push({ share, enter }));
          admit();
          return entered;
        },
        release() {
          if (!isHeld) return;
          isHeld = false;
          used -= share;
          admit();
        },
      };
    },
  };
}

/** Looks for each secret it found in the whole text again. */
function redactSlowly(real: Redactor): Redactor {
  return {
    ...real,
    redactText(text, isLate) {
      let kept = text;
      for (const secret of new Set(text.match(/hf_[A-Za-z0-9]{20,}/g) ?? []))
        kept = kept.split(secret).join('[secret]');
      return real.redactText(kept, isLate);
    },
  };
}

const MIB = 1024 ** 2;
const mutants: Readonly<Record<Mutant | 'none', ControlReplacements>> = {
  none: {},
  'announced length': { bodies: { bodyLedger: createAnnouncedLedger(256 * MIB, 64 * MIB) } },
  'parsing on the event loop': {
    bodies: {
      jsonReader: {
        open: async (bytes) => ({ bytes, parse: async () => JSON.parse(new TextDecoder().decode(bytes)) as unknown }),
        close: async () => undefined,
      },
    },
  },
  'quadratic redaction': { parts: (real) => ({ ...real, redactor: redactSlowly(real.redactor) }) },
};

const store = await openStore({ sqlitePath: join(options.home, 'lachesis.db') });
const attacker = await createToken({ store, tenantId: 'a', name: 'attacker', scopes: ['records:write'] });
const neighbour = await createToken({ store, tenantId: 'b', name: 'neighbour', scopes: ['view', 'feedback:write'] });
await store.close();
const { values: settings } = readControlSettings({ home: options.home, port: options.port, logLevel: 'error' }, {});
const control = await buildControl({
  settings,
  log: createLog({ name: 'control', level: 'silent' }),
  env: {},
  replace: mutants[options.mutant],
});
await control.app.listen({ host: '127.0.0.1', port: options.port });
const ready: NeighbourReady = { attacker: attacker.token, neighbour: neighbour.token };
process.stdout.write(`${JSON.stringify(ready)}\n`);
