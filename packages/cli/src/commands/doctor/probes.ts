import { homePaths } from '@lachesis/protocol/home';
import { probeNativeTokenizers } from '@lachesis/sdk/render';
import { allMigrations } from '@lachesis/store';
import {
  EngineError,
  findEngine,
  findPreparedEngine,
  findPython,
  findUv,
  readOutsideServer,
  type Python,
} from '@lachesis/tinker/engine';
import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkKeys } from '../../doctor/check-keys.ts';
import { checkClock, checkDatabase, checkDisk, checkProject, type DatabaseFacts } from '../../doctor/check-machine.ts';
import { checkPorts } from '../../doctor/check-ports.ts';
import { checkEngine, checkNode, checkPython, checkTokenizers, checkUv } from '../../doctor/check-programs.ts';
import type { DoctorCheck } from '../../doctor/run-doctor.ts';
import { SecretsError } from '../../secrets/secrets-error.ts';
import { readSecretsFile } from '../../secrets/secrets-file.ts';
import { probePorts } from './ports.ts';
import { openLocalStore } from '../../flags/library/open-local-store.ts';

export interface DoctorPlace {
  readonly home: string;
  readonly databaseUrl: string | undefined;
  /** With what the file of secrets has. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As it was given to us. */
  readonly given: Readonly<Record<string, string | undefined>>;
}

/** Keys that commands read. */
const KEY_NAMES = [
  'TINKER_API_KEY',
  'TINKER_BASE_URL',
  'LACHESIS_TOKEN',
  'LACHESIS_UPSTREAM_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'HF_TOKEN',
  'WANDB_API_KEY',
] as const;

/** Long enough to see a clock being set; short enough that nobody waits for it. */
const WATCH_MS = 300;

/** The checks of this machine, in the order in which they are databaseNow. */
export function createDoctorChecks(place: DoctorPlace): DoctorCheck[] {
  const { home } = place;
  const database = openOnce(() => probeDatabase(place));
  return [
    { name: 'node', run: async () => checkNode(process.version) },
    { name: 'project', run: async () => checkProject(place.given['LACHESIS_PROJECT_FILE']) },
    { name: 'tokenizers', run: async () => checkTokenizers(await probeTokenizers()) },
    { name: 'python', run: async (signal) => checkPython(await probePython(signal)) },
    { name: 'uv', run: async (signal) => checkUv(await findUv({ signal })) },
    { name: 'engine', run: (signal) => probeEngine(place, signal) },
    { name: 'keys', run: () => probeKeys(place) },
    { name: 'ports', run: async () => checkPorts(await probePorts()) },
    { name: 'disk', run: async () => checkDisk({ freeBytes: await readFreeBytes(home), path: home }) },
    {
      name: 'clock',
      async run() {
        const [{ aheadMs }, drift] = await Promise.all([database(), watchClocks()]);
        return checkClock({ now: Date.now(), databaseAheadMs: aheadMs, drift });
      },
    },
    { name: 'database', run: async () => checkDatabase((await database()).facts) },
  ];
}

function openOnce<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => (opened ??= open());
}

/** Loads the native package by the way a trainer does, and uses it once; the first sentence of what goes wrong. */
async function probeTokenizers(): Promise<string | undefined> {
  try {
    await probeNativeTokenizers();
    return undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
  }
}

async function probePython(signal: AbortSignal): Promise<Python | { problem: string }> {
  return await findPython({ signal }).catch((error: unknown) => {
    if (EngineError.isInstance(error)) return { problem: 'Python 3.12 was not found' };
    throw error;
  });
}

async function probeEngine({ home, env }: DoctorPlace, signal: AbortSignal): ReturnType<DoctorCheck['run']> {
  const running = await findEngine({ home });
  const outside = readOutsideServer({ env, localUrls: running === undefined ? [] : [running.url] });
  return checkEngine({
    outside,
    outsideAnswers: outside?.url === undefined ? undefined : await answers(outside.url, signal),
    isInstalled: (await findPreparedEngine({ home })) !== undefined,
    running,
  });
}

/** Any answer shows a server; not every one has this route. */
async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  return await fetch(`${url}/api/v1/healthz`, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) }).then(
    (response) => response.body?.cancel().then(() => true) ?? true,
    () => false,
  );
}

async function probeKeys({ home, env, given }: DoctorPlace): ReturnType<DoctorCheck['run']> {
  const running = await findEngine({ home });
  const hasLocalEngine = running !== undefined || (await findPreparedEngine({ home })) !== undefined;
  const isSet = (from: DoctorPlace['given'], name: string): boolean => (from[name] ?? '') !== '';
  const keys = KEY_NAMES.filter((name) => isSet(env, name)).map((name) => ({
    name,
    origin: isSet(given, name) ? ('environment' as const) : ('file' as const),
  }));
  return checkKeys({ keys, fileProblem: findFileProblem(home), hasLocalEngine });
}

function findFileProblem(home: string): { message: string; fix: string } | undefined {
  try {
    readSecretsFile(home);
    return undefined;
  } catch (error) {
    if (!SecretsError.isInstance(error)) throw error;
    return { message: error.message.slice(0, -error.fix.length - 2), fix: error.fix };
  }
}

/** The home may not be there yet; what holds it is. */
function findExisting(path: string): string {
  const whole = resolve(path);
  return existsSync(whole) || dirname(whole) === whole ? whole : findExisting(dirname(whole));
}

async function readFreeBytes(home: string): Promise<number> {
  const { bavail, bsize } = await statfs(findExisting(home));
  return bavail * bsize;
}

async function watchClocks(): Promise<{ wallMs: number; monotonicMs: number }> {
  const [wall, monotonic] = [Date.now(), performance.now()];
  await sleep(WATCH_MS);
  return { wallMs: Date.now() - wall, monotonicMs: performance.now() - monotonic };
}

async function probeDatabase(place: DoctorPlace): Promise<{ facts: DatabaseFacts; aheadMs: number | undefined }> {
  const { home, databaseUrl } = place;
  const name = databaseUrl === undefined ? 'SQLite' : 'PostgreSQL';
  if (databaseUrl === undefined && !existsSync(homePaths(home).database)) {
    const isWritable = await access(findExisting(home), constants.W_OK).then(
      () => true,
      () => false,
    );
    return { facts: { state: 'absent', path: home, isWritable }, aheadMs: undefined };
  }
  try {
    // Opened as every command opens it, and so brought up to date by it.
    await using local = await openLocalStore(place);
    const { store } = local;
    const before = Date.now();
    const databaseNow = await store.now();
    const aheadMs = databaseNow - (before + Date.now()) / 2;
    const applied = await store.db.selectFrom('migrations').select('number').execute();
    const known = allMigrations.length;
    return {
      facts: { state: 'open', name, applied: applied.length, known, isWritable: await canWrite(store) },
      aheadMs,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    return { facts: { state: 'broken', name, reason: reason ?? 'no reason given' }, aheadMs: undefined };
  }
}

class TakenBack extends Error {}

/** A row is written and taken back: a right to write and a lock that can be had show in nothing less. */
async function canWrite({ db }: Awaited<ReturnType<typeof openLocalStore>>['store']): Promise<boolean> {
  try {
    await db.transaction().execute(async (transaction) => {
      const row = { number: -1, name: 'doctor', checksum: '', min_reader: 0, applied_at: 0 };
      await transaction.insertInto('migrations').values(row).execute();
      throw new TakenBack();
    });
    return false;
  } catch (error) {
    return error instanceof TakenBack;
  }
}
