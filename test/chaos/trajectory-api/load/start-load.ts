import { WireClient } from './wire-client.ts';
import type { WireClientOptions } from './wire-client.ts';
import { History } from './history.ts';
import { CONSUMERS, PRODUCERS } from './load-control.ts';
import type { LoadControl } from './load-control.ts';
import { consumeNative, produceNative, pushNativeGroup, registerNativeTrainer } from './native-clients.ts';
import {
  consumePlain,
  producePlain,
  pushPlainGroup,
  registerEnvironment,
  registerPlainTrainer,
} from './plain-clients.ts';

/** The clients of one run: producers, consumers, and what they saw. */
export interface Load {
  readonly name: 'native' | 'plain';
  readonly client: WireClient;
  readonly history: History;
  readonly control: LoadControl;
  /** Pushes one more group; used to fill up the last batch. */
  pushOne(): Promise<void>;
  /** Resolves when every producer has had its last group acknowledged. */
  stopProducing(): Promise<void>;
  /** Resolves when every consumer has ended its round. */
  stopConsuming(): Promise<void>;
  /** Ends everything at once, whatever it waits for. */
  abandon(): void;
}

export type LoadOptions = Omit<WireClientOptions, 'runName'> & {
  /** 3 % by default. */
  readonly zombieShare?: number;
  readonly producers?: number;
  /** 30 by default. */
  readonly longestStepMs?: number;
  /** 2 by default. */
  readonly leaseSeconds?: number;
};

export async function startNativeLoad(options: LoadOptions): Promise<Load> {
  const client = new WireClient({ ...options, runName: 'native' });
  const history = new History();
  const control = createControl(options);
  await registerNativeTrainer(client);
  const clients = { client, history, control };
  const producers = Array.from({ length: options.producers ?? PRODUCERS }, () => produceNative(clients));
  const consumers = Array.from({ length: CONSUMERS }, (_, index) =>
    consumeNative({ ...clients, name: `consumer-${index}` }),
  );
  return createLoad('native', { ...clients, producers, consumers, pushOne: () => pushNativeGroup(client, history) });
}

export async function startPlainLoad(options: LoadOptions): Promise<Load> {
  const client = new WireClient({ ...options, runName: 'plain' });
  const history = new History();
  const control = createControl(options);
  await registerPlainTrainer(client);
  const envIds: number[] = [];
  for (let index = 0; index < (options.producers ?? PRODUCERS); index += 1) {
    envIds.push(await registerEnvironment(client, 'chaos'));
  }
  const clients = { client, history, control };
  const producers = envIds.map((envId) => producePlain({ ...clients, envId }));
  const consumers = Array.from({ length: CONSUMERS }, (_, index) =>
    consumePlain({ ...clients, name: `consumer-${index}`, gzip: index % 2 === 0 }),
  );
  const pushOne = (): Promise<void> => pushPlainGroup(client, history, envIds[0] ?? 0);
  return createLoad('plain', { ...clients, producers, consumers, pushOne });
}

function createControl({ zombieShare = 0.03, longestStepMs = 30, leaseSeconds = 2 }: LoadOptions): LoadControl {
  return { isProducing: true, isConsuming: true, zombieShare, longestStepMs, leaseSeconds };
}

function createLoad(
  name: Load['name'],
  parts: Pick<Load, 'client' | 'history' | 'control' | 'pushOne'> & {
    producers: Promise<void>[];
    consumers: Promise<void>[];
  },
): Load {
  const { client, history, control, pushOne } = parts;
  const producing = Promise.all(parts.producers);
  const consuming = Promise.all(parts.consumers);
  // Who waits for them is told; until then a client that threw must not end the process.
  producing.catch(() => undefined);
  consuming.catch(() => undefined);
  return {
    name,
    client,
    history,
    control,
    pushOne,
    async stopProducing() {
      control.isProducing = false;
      await producing;
    },
    async stopConsuming() {
      control.isConsuming = false;
      await consuming;
    },
    abandon() {
      control.isProducing = false;
      control.isConsuming = false;
      client.close();
    },
  };
}
