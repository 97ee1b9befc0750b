import { resolveSettings, type ResolvedSettings, type SettingValues } from './resolve-settings.ts';
import { flag, name, number, text, wholeNumber } from './setting-kinds.ts';
import {
  batchLeaseSetting,
  bodySettings,
  DEFAULT_BATCH_LEASE_SECONDS,
  homeSetting,
  portSetting,
  SERVER_SETTINGS,
} from './server-settings.ts';
import { setting } from './setting-spec.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** The settings of the trajectory API, each with its default, its bounds and the reason for both. */
export const TRAJECTORY_API_SETTINGS = {
  ...SERVER_SETTINGS,
  port: portSetting({ port: 8000, environmentVariable: 'LACHESIS_TRAJECTORY_API_PORT' }),
  home: homeSetting('folder for the SQLite database and the payload files'),
  run: setting<string | undefined>({
    kind: name('run'),
    fallback: () => undefined,
    describe:
      'the run this server was started for: what is said of the whole server, such as its metrics, is said to tokens of that run too',
  }),
  replicaAddress: setting<string | undefined>({
    kind: text({
      pattern: /^http:\/\/[^/\s@]+:\d{1,5}$/,
      refusal: 'it must be an address with a port, such as http://10.0.0.5:8100',
    }),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_REPLICA_ADDRESS',
    describe:
      'where the other trajectory APIs over the same PostgreSQL reach this one, for several of them side by side: each run has one owner, and the others hand it what they are asked',
  }),
  strictAtropos: setting({
    kind: flag(),
    fallback: () => false,
    describe: 'answer exactly as the original Atropos server does, its defects included',
  }),
  ingestWorkers: setting({
    kind: wholeNumber({ min: 1, max: 64 }),
    fallback: () => 2,
    environmentVariable: 'LACHESIS_INGEST_WORKERS',
    describe: 'threads that inflate, read and pack pushed groups',
  }),
  // A group of 16 x 128k tokens as gzip is about 24 MB; what is larger than this is not a group.
  // Several of the largest bodies at once: one sender that stalls must not hold up everybody.
  ...bodySettings({ largest: 64, together: 256 }),
  maxQueuedGroups: setting({
    kind: wholeNumber({ min: 1, max: 10_000_000 }),
    fallback: () => 20_000,
    environmentVariable: 'LACHESIS_MAX_QUEUED_GROUPS',
    describe: 'groups waiting in a run before senders are slowed down',
  }),
  maxQueuedBytes: setting({
    kind: wholeNumber({ min: MIB, max: 1024 * 1024 * GIB }),
    fallback: () => 32 * GIB,
    environmentVariable: 'LACHESIS_MAX_QUEUED_BYTES',
    describe: 'payload bytes waiting in a run before senders are slowed down',
  }),
  maxStaleness: setting({
    kind: wholeNumber({ min: 1, max: 100_000 }),
    fallback: () => 8,
    environmentVariable: 'LACHESIS_MAX_STALENESS',
    describe: 'batches that may wait ahead of a trainer before native pushes are refused with 429',
  }),
  batchLeaseSeconds: setting({
    ...batchLeaseSetting,
    fallback: () => DEFAULT_BATCH_LEASE_SECONDS,
    describe: 'how long a native trainer holds a batch without renewing it, where it does not say so itself',
  }),
  backPressureSeconds: setting({
    // The clients of the Atropos wire give up after 300 s; their groups are on disk before they wait.
    kind: number({ min: 0, max: 240 }),
    fallback: () => 60,
    environmentVariable: 'LACHESIS_BACK_PRESSURE_SECONDS',
    describe: 'how long the reply to an Atropos push is held back while a bound is exceeded',
  }),
  diskReserve: setting({
    kind: number({ min: 0, max: 0.9 }),
    fallback: () => 0.05,
    environmentVariable: 'LACHESIS_DISK_RESERVE',
    describe: 'part of the disk that stays free: below it pushes are refused with 507',
  }),
  silentSeconds: setting({
    // An environment polls ten times a second, but may be busy evaluating for minutes.
    kind: number({ min: 1, max: 86_400 }),
    fallback: () => 300,
    environmentVariable: 'LACHESIS_SILENT_SECONDS',
    describe: 'after so long without a word an environment counts as disconnected until it speaks again',
  }),
};

export type TrajectoryApiSettings = SettingValues<typeof TRAJECTORY_API_SETTINGS>;

/** Options before variables before defaults; throws a `SettingError` that names what is wrong. */
export function readTrajectoryApiSettings(
  options: Record<string, unknown>,
  env: Record<string, string | undefined>,
): ResolvedSettings<TrajectoryApiSettings> {
  return resolveSettings(TRAJECTORY_API_SETTINGS, options, env);
}
