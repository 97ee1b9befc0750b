import { createIdSource } from '@lachesis/protocol';
import { openOutbox, type Outbox } from '@lachesis/sdk/capture';
import { expireTrajectories, openFileBlobs, type Store } from '@lachesis/store';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { CallRecorder } from '../loop/inference/recording/call-recorder.ts';
import { createCallRecorder } from '../loop/inference/recording/create-call-recorder.ts';
import { RecordDrain } from '../loop/inference/recording/record-drain.ts';
import { RecordingMetrics } from '../loop/inference/recording/recording-metrics.ts';
import { TrajectoryIds } from '../loop/inference/recording/trajectory-ids.ts';
import type { InferenceSettings } from '../platform/settings/inference-settings.ts';
import { DrainThread } from './inference-drain-thread.ts';
import { listOutboxTenants, outboxOf } from './inference-outboxes.ts';
import { readPriceTable } from './inference-prices.ts';
import { openRedactor } from './inference-redactor.ts';

export interface OpenRecordingOptions {
  settings: InferenceSettings;
  store: Store;
  registry: Registry;
  log: Logger;
  environment?: Readonly<Record<string, string | undefined>>;
}

export interface Recording {
  recorder: CallRecorder;
  /** Brings in what waits, and stops. */
  close(): Promise<void>;
}

const EXPIRE_EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** Records calls in an outbox beside the database, which a thread drains; what others left behind goes first. */
export async function openRecording(options: OpenRecordingOptions): Promise<Recording> {
  const { settings, store, registry, log, environment = process.env } = options;
  const { home } = settings;
  const ids = createIdSource();
  const recorder = `gateway-${ids.next()}`;
  const metrics = new RecordingMetrics(registry);
  const trajectories = new TrajectoryIds();
  const outboxes = new Map<string, Outbox>();
  const prices = await readPriceTable(join(home, 'prices.yaml'));
  const redactor = openRedactor(settings, environment);
  const thread = new DrainThread(settings);
  let leftovers = listOutboxTenants(home);
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
  if (leftovers.length > 0) drain.wake();

  const expiry = keepRetention({ settings, store, log });
  return {
    recorder: createCallRecorder({
      recorder,
      append(tenantId, record) {
        let outbox = outboxes.get(tenantId);
        if (outbox === undefined) {
          outbox = openOutbox({ directory: outboxOf(home, tenantId), recorder });
          outboxes.set(tenantId, outbox);
        }
        outbox.append(record);
        metrics.recorded.inc();
        drain.wake();
      },
      redactor,
      findTrajectory: (tenantId, key) => trajectories.find(tenantId, key),
      prices,
      consent: settings.captureConsent,
      capturesRollouts: settings.captureRollouts,
      ids,
      now: Date.now,
      onLost: (error) => {
        metrics.lost.inc();
        log.error({ err: error }, 'a call was answered and could not be recorded');
      },
    }),
    async close() {
      expiry.stop();
      await drain.close();
      await thread.close();
      await Promise.all([...outboxes.values()].map((outbox) => outbox.close()));
    },
  };
}

function keepRetention(options: { settings: InferenceSettings; store: Store; log: Logger }): { stop(): void } {
  const { settings, store, log } = options;
  const { captureRetentionDays: days, home } = settings;
  if (days === undefined) return { stop: () => undefined };
  const blobs = openFileBlobs({ directory: join(home, 'blobs') });
  const expire = (): void => {
    void expireTrajectories({ store, blobs, olderThan: Date.now() - days * DAY_MS }).catch((error: unknown) =>
      log.warn({ err: error }, 'old trajectories were not removed; tried again in an hour'),
    );
  };
  expire();
  const timer = setInterval(expire, EXPIRE_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
