import { dropStaleFeedback, expireTrajectories, retain } from '@lachesis/store';
import type { Logger } from 'pino';
import type { LibraryDeps } from './routes/library-deps.ts';
import type { ControlSettings } from '../http/settings/control-settings.ts';
import type { AuditLog } from '../http/audit/open-audit-log.ts';
import type { createDrain } from '../services/library/create-drain.ts';
import { runLeasedChore } from '../services/library/run-leased-chore.ts';
import { retainAuditLog } from '../http/audit/audit-retention.ts';

const DAY_MS = 86_400_000;
const RETENTION_EVERY_MS = 60 * 60_000;

export interface LibraryMaintenanceOptions {
  parts: LibraryDeps;
  /** Reads the outboxes of the home. */
  drain: ReturnType<typeof createDrain>;
  audit: Pick<AuditLog, 'key' | 'record'>;
  settings: Pick<
    ControlSettings,
    'home' | 'drainSeconds' | 'captureRetentionDays' | 'auditRetentionDays' | 'auditArchive'
  >;
  log: Logger;
}

/** What the control process does without being asked: reads outboxes, and lets go of what is too old. */
export function startLibraryMaintenance({ parts, drain, audit, settings, log }: LibraryMaintenanceOptions): {
  stop(): Promise<void>;
} {
  const { store, blobs } = parts;
  const chores = [
    repeat(settings.drainSeconds * 1000, async () => {
      const report = await drain();
      const { delivered, refused, unreadable, torn } = report;
      if (refused + unreadable + torn > 0) log.warn(report, 'an outbox has lines that are no record to keep');
      else if (delivered > 0) log.info(report, 'outboxes read');
    }),
  ];
  chores.push(
    repeat(RETENTION_EVERY_MS, async () => {
      const dropped = await dropStaleFeedback({ store });
      if (dropped > 0) log.warn({ dropped }, 'feedback waited a week for replies that were never recorded');
    }),
  );
  chores.push(
    repeat(RETENTION_EVERY_MS, async () => {
      const chore = { store, chore: 'what is past its retention', everyMs: RETENTION_EVERY_MS / 2 };
      const report = await runLeasedChore({ ...chore, run: () => retain({ store, blobs }) });
      if (report !== undefined && report.runs + report.records > 0)
        log.info(report, 'what runs no longer keep is gone');
    }),
  );
  const { captureRetentionDays: days } = settings;
  if (days !== undefined) {
    chores.push(
      repeat(RETENTION_EVERY_MS, async () => {
        const olderThan = (await store.now()) - days * DAY_MS;
        const { trajectories } = await expireTrajectories({ store, blobs, olderThan });
        if (trajectories > 0) log.info({ trajectories }, 'trajectories past their retention are forgotten');
      }),
    );
  }

  const { auditRetentionDays, auditArchive: archive } = settings;
  if (auditRetentionDays !== undefined) {
    chores.push(
      repeat(RETENTION_EVERY_MS, async () => {
        const { lines } = await retainAuditLog({ store, audit, days: auditRetentionDays, archive });
        if (lines > 0) log.info({ lines }, 'lines of the audit log past their retention are let go of');
      }),
    );
  }

  /** At once, and then again after each end: two rounds never overlap. */
  function repeat(pauseMs: number, work: () => Promise<void>): { stop(): Promise<void> } {
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    let running = Promise.resolve();
    const round = (): void => {
      running = work()
        .catch((error: unknown) => log.warn({ err: error }, 'a chore of the library failed; it is tried again'))
        .then(() => {
          if (isStopped) return;
          timer = setTimeout(round, pauseMs);
          timer.unref();
        });
    };
    round();
    return {
      async stop() {
        isStopped = true;
        clearTimeout(timer);
        await running;
      },
    };
  }

  return {
    async stop() {
      await Promise.all(chores.map((chore) => chore.stop()));
    },
  };
}
