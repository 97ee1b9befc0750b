import { createIdSource } from '@lachesis/protocol';
import { outboxPaths } from '@lachesis/protocol/home';
import { openOutbox } from '@lachesis/sdk/capture';
import { expireTrajectories, type BlobStore, type Home, type Store } from '@lachesis/store';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { CallRecorder } from './call-recorder.ts';
import { createCallRecorder } from './create-call-recorder.ts';
import { RecordDrain } from './drain.ts';
import { RecordingMetrics } from './metrics.ts';
import { createCallTeller } from './tell-calls.ts';
import { TrajectoryIds } from './trajectory-ids.ts';
import { LOCAL_TENANT } from '../../http/access/principal.ts';
import type { InferenceSettings } from '../../http/settings/inference-settings.ts';
import { DrainThread } from './drain-thread.ts';
import { readPriceTable } from '../../services/models/read-prices.ts';
import { openCallRedactor } from './redactor.ts';

type Outbox = ReturnType<typeof openOutbox>;

export interface OpenRecordingOptions {
  settings: InferenceSettings;
  home: Home;
  registry: Registry;
  log: Logger;
  env?: Readonly<Record<string, string | undefined>>;
  /** Where a person is told of each call; nothing is told where nobody looks. */
  terminal?: { isTTY?: boolean; write(text: string): unknown };
}

export interface Recording {
  recorder: CallRecorder;
  /** Why calls cannot be recorded; undefined when they can. */
  problem(): string | undefined;
  /** Brings in what waits, and stops. */
  close(): Promise<void>;
}

/** A server that lost a record says so for this long at least: probes ask every few seconds. */
const UNREADY_MS = 10_000;
const EXPIRE_EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** Records calls in an outbox beside the database, which a thread drains; what others left behind goes first. */
export async function openRecording(options: OpenRecordingOptions): Promise<Recording> {
  const { settings, home, registry, log, env = process.env } = options;
  const { store, paths } = home;
  // Before the first call: a home whose payloads are another database's is refused, not found out while calls are answered.
  const { blobs } = await home.serveBlobs();
  const ids = createIdSource();
  const recorder = `gateway-${ids.next()}`;
  const metrics = new RecordingMetrics(registry);
  const trajectories = new TrajectoryIds();
  const outboxes = new Map<string, Outbox>();
  const prices = await readPriceTable(paths.prices);
  const redactor = openCallRedactor(settings, env);
  const thread = new DrainThread(settings);
  let leftovers = (await home.listOutboxes()).map(({ tenantId }) => tenantId);
  const drain = new RecordDrain({
    async drain() {
      const folders = [
        ...leftovers.map((tenantId) => ({ tenantId, recorder: undefined })),
        ...[...outboxes.keys()].map((tenantId) => ({ tenantId, recorder })),
      ];
      if (folders.length === 0) return;
      const { kept, refused, unreadable, torn, error, trajectories: named } = await thread.drain(folders);
      metrics.drained.inc(kept);
      for (const [tenantId, key, id] of named) trajectories.note(tenantId, key, id);
      if (refused + unreadable + torn > 0)
        log.warn({ refused, unreadable, torn }, 'records in the outbox were not kept');
      if (error !== null) throw new Error(error);
      leftovers = [];
    },
    onTrouble: (error) => log.warn({ err: error }, 'records wait in the outbox: the store does not take them'),
    onRecovery: () => log.info('records are in the store again'),
  });
  const openOutboxOf = (tenantId: string): Outbox => {
    const known = outboxes.get(tenantId);
    if (known !== undefined) return known;
    const outbox = openOutbox({ directory: outboxPaths(paths.home, tenantId).directory, recorder });
    outbox.open();
    outboxes.set(tenantId, outbox);
    return outbox;
  };
  // Before the first call: what is out of descriptors or out of room then says so at the start.
  openOutboxOf(LOCAL_TENANT);
  // Before an agent of somebody's the thread is loaded when the first record comes: who looks at once finds it.
  if (leftovers.length > 0 || settings.upstreamUrl !== undefined) drain.wake();
  let lost: { at: number; reason: string } | undefined;

  const expiry = scheduleRetention({ settings, store, blobs, log });
  return {
    recorder: createCallRecorder({
      recorder,
      append(tenantId, record) {
        openOutboxOf(tenantId).append(record);
        lost = undefined;
        metrics.recorded.inc();
        drain.wake();
      },
      redactor,
      findTrajectory: (tenantId, key) => trajectories.take(tenantId, key, () => ids.next()),
      onRecorded: createCallTeller(options.terminal),
      prices,
      consent: settings.captureConsent,
      capturesRollouts: settings.captureRollouts,
      ids,
      now: Date.now,
      onLost: (error) => {
        metrics.lost.inc();
        lost = { at: performance.now(), reason: error instanceof Error ? error.message : String(error) };
        log.error({ err: error }, 'a call was answered and could not be recorded');
      },
    }),
    problem() {
      if (lost === undefined) return undefined;
      const { at, reason } = lost;
      // With nobody calling no record can show that it works again: after a while the outbox is tried.
      if (performance.now() - at > UNREADY_MS && canOpen(openOutboxOf)) lost = undefined;
      return lost === undefined ? undefined : `calls are answered and cannot be recorded: ${reason}`;
    },
    async close() {
      expiry.stop();
      await drain.close();
      await thread.close();
      await Promise.all([...outboxes.values()].map((outbox) => outbox.close()));
    },
  };
}

function canOpen(openOutboxOf: (tenantId: string) => Outbox): boolean {
  try {
    openOutboxOf(LOCAL_TENANT).open();
    return true;
  } catch {
    // The reason is the one that is told already.
    return false;
  }
}

function scheduleRetention(options: {
  settings: InferenceSettings;
  store: Store;
  blobs: BlobStore;
  log: Logger;
  now?: () => number;
}): { stop(): void } {
  const { settings, store, blobs, log, now = Date.now } = options;
  const { captureRetentionDays: days } = settings;
  if (days === undefined) return { stop: () => undefined };
  const expire = (): void => {
    void expireTrajectories({ store, blobs, olderThan: now() - days * DAY_MS }).catch((error: unknown) =>
      log.warn({ err: error }, 'old trajectories were not removed; tried again in an hour'),
    );
  };
  expire();
  const timer = setInterval(expire, EXPIRE_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
