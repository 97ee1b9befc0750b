import { join } from 'node:path';

import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import { startSubject, type Subject } from '../../trajectory-api/subject/start-subject.ts';

export interface ReplicasOptions {
  /** Of all of them, or where theirs lie. */
  readonly home: string;
  /** Each has a home of its own, as on machines of their own; false by default. */
  readonly ownHomes?: boolean;
  /** Further settings of each, by the name of their environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
  /** 3 by default. */
  readonly size?: number;
  /** Whether each run has an owner; true by default. */
  readonly owned?: boolean;
  /** The module that serves instead of the product's own. */
  readonly mutant?: string;
  /** The built command line of each, asked for at each start; this repository's own by default. */
  readonly cliOf?: (index: number) => string;
}

/** Three servers that look like one: whoever is to be killed is the next of them. */
export interface ReplicaSubject extends Subject {
  readonly ports: readonly number[];
  /** Where each is asked by the others, in the order of the ports. */
  readonly addresses: readonly string[];
  /** The processes that serve. */
  childPids(): number[];
  /** One after the other is ended with a warning and started again, each once the one before serves. */
  restartAll(): Promise<void>;
}

const REPLICAS = 3;
const BACK_MS = 60_000;

export async function startReplicas({
  owned = true,
  ownHomes = false,
  size = REPLICAS,
  cliOf,
  ...options
}: ReplicasOptions): Promise<ReplicaSubject> {
  const subjects: Subject[] = [];
  const addresses: string[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(subjects.map((subject) => subject.end()));
  };
  try {
    // One after the other: the first makes the tables.
    for (let index = 0; index < size; index += 1) {
      const address = `http://127.0.0.1:${await findQuietPort()}`;
      addresses.push(address);
      const settings = { ...options.settings, ...(owned ? { LACHESIS_REPLICA_ADDRESS: address } : {}) };
      const home = ownHomes ? join(options.home, String(index)) : options.home;
      const cli = cliOf === undefined ? {} : { cli: () => cliOf(index) };
      subjects.push(await startSubject({ ...options, home, port: await findQuietPort(), settings, ...cli }));
    }
  } catch (error) {
    await end();
    throw error;
  }
  let turn = 0;
  const takeTurn = async (wait: (subject: Subject) => Promise<void>): Promise<Subject | undefined> => {
    const subject = subjects[turn % subjects.length];
    turn += 1;
    if (subject !== undefined) await wait(subject);
    return subject;
  };
  return {
    port: subjects[0]?.port ?? 0,
    ports: subjects.map((subject) => subject.port),
    addresses,
    childPids: () => subjects.flatMap((subject) => subject.childPid() ?? []),
    async kill(victim) {
      // Its database may be away, and then no server is well.
      const subject = await takeTurn((next) => waitUntilBack(next, { mayBeUnwell: true }));
      await subject?.kill(victim);
    },
    async restart() {
      const subject = await takeTurn(waitUntilBack);
      await subject?.restart();
    },
    async restartAll() {
      for (const subject of subjects) {
        await waitUntilBack(subject);
        await subject.restart();
      }
    },
    isRunning: () => subjects.every((subject) => subject.isRunning()),
    childPid: () => subjects[0]?.childPid(),
    logs: () => subjects.map((subject) => subject.logs()).join('\n'),
    end,
  };
}

/** It may have been killed a moment ago: the next kill is of a server that serves, or that at least answers. */
async function waitUntilBack(subject: Subject, { mayBeUnwell = false }: { mayBeUnwell?: boolean } = {}): Promise<void> {
  const until = performance.now() + BACK_MS;
  while (performance.now() < until) {
    const isBack = await fetch(`http://127.0.0.1:${subject.port}/health`, { signal: AbortSignal.timeout(5_000) }).then(
      (reply) => reply.ok || mayBeUnwell,
      () => false,
    );
    if (isBack && subject.childPid() !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server at ${subject.port} did not come back:\n${subject.logs()}`);
}
