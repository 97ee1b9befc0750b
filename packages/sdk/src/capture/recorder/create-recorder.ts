import {
  captureReceiptSchema,
  createIdSource,
  openRedactor,
  readRedactionSettings,
  redactRecord,
  type CaptureRecord,
  type IdSource,
  type Redactor,
} from '@lachesis/protocol';
import { outboxPaths } from '@lachesis/protocol/home';
import { ClientError } from '../../clients/client-error.ts';
import { request } from '../../clients/request.ts';
import { findHome } from '../../home/find-home.ts';
import { findServerToken } from '../../home/find-server-token.ts';
import { drainOutbox } from '../outbox/drain-outbox.ts';
import { openOutbox, type Outbox } from '../outbox/open-outbox.ts';
import { openOutboxFolder } from '../outbox/open-outbox-folder.ts';
import { createMemoryOutbox } from './memory-outbox.ts';
import type { LachesisId } from './lachesis-id.ts';
import { openRecorders } from './open-recorders.ts';
import type { RecordDraft, RecordLabels } from './record-draft.ts';
import { RecorderError } from './recorder-error.ts';
import { createSender } from './sender.ts';
import { currentLabels, joinLabels } from './trajectory-scope.ts';

export interface RecorderOptions extends Omit<RecordLabels, 'trajectory'> {
  /** The folder of Lachesis, in which the outbox is; default `LACHESIS_HOME`, or `.lachesis` in the user's home. */
  home?: string | undefined;
  /** The control server, such as `http://localhost:8080`; default `LACHESIS_URL`. Without one, the server of the same home reads the outbox. */
  url?: string | undefined;
  /** Default `LACHESIS_TOKEN`; for a server of this machine, the one in its home. */
  token?: string | undefined;
  /** False where there is no disk: records wait in memory. */
  outbox?: boolean | undefined;
  /** How this process is called in the records; default a name of its own with each start. */
  name?: string | undefined;
  /** Default: the known forms of secrets, and the values of the environment whose name says that they are one. */
  redactor?: Redactor | undefined;
  /** Told when a record cannot be kept or sent; default a warning of the process. The application is never failed. */
  onProblem?: ((problem: Error) => void) | undefined;
  /** How long records wait for company before they are sent; default 250 ms. */
  sendAfterMs?: number | undefined;
  env?: Readonly<Record<string, string | undefined>> | undefined;
  fetch?: typeof fetch | undefined;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
  ids?: IdSource | undefined;
}

/** Keeps records of one process; `record` never throws, and `flush` sends what waits. */
export interface Recorder {
  readonly name: string;
  /** Returns the id of the record when it is on disk, or undefined when it is left out or cannot be kept. Never throws. */
  record(draft: RecordDraft): string | undefined;
  /** Under what a call with these labels will be found; undefined for one that is left out. */
  newIds?(labels?: RecordLabels): LachesisId | undefined;
  now(): number;
  /** Sends what waits. Throws when it did not arrive; it then still waits. */
  flush(): Promise<void>;
  /** Sends what waits, as far as the server is there, and ends. */
  close(): Promise<void>;
}

const DEFAULT_SEND_AFTER_MS = 250;

/** A record is at fault, and sending it again changes nothing. */
const REFUSALS = new Set<string>(['invalid', 'bad-request', 'too-large']);

/** Opens a recorder of this process: records are redacted, then wait on disk or are sent to a server. */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  const { env = process.env, now = Date.now, ids = createIdSource({ now }), onProblem = warn } = options;
  const { url = env['LACHESIS_URL'] } = options;
  const home = findHome(options.home, env);
  const redactor = options.redactor ?? openRedactor(readRedactionSettings(env), env);
  const name = options.name ?? `app-${ids.next()}`;
  if (options.outbox === false && url === undefined) {
    throw new RecorderError({
      what: 'A recorder was made that can keep nothing',
      reason: 'it has neither a disk nor a server',
      hint: 'Give it `url`, or leave `outbox` on',
    });
  }
  const { directory, refused: refusedFile } = outboxPaths(home);
  const disk: Outbox | undefined = options.outbox === false ? undefined : openOutbox({ directory, recorder: name });
  const memory = createMemoryOutbox();
  /** The next number of each stream; a trajectory that ended is not continued. */
  const sequences = new Map<string | null, number>();
  const trajectoryIds = createTrajectoryIds(() => ids.next());
  let isFirstSend = true;

  const deliver = async (records: readonly CaptureRecord[]): Promise<void> => {
    if (url === undefined) return;
    // Looked up each time: the server may have made it after us.
    const token = findServerToken({ url, token: options.token, home, env });
    await request({
      ...{ url, token, fetch: options.fetch, method: 'POST', path: '/v1/records', body: { records } },
      parse: captureReceiptSchema.parse,
    });
  };

  async function send(): Promise<void> {
    if (url === undefined) return;
    await memory.drain(deliver);
    if (disk === undefined) return;
    disk.rotate();
    // Records of an earlier process of this home, which could not send them, go along with our first.
    const folder = openOutboxFolder({ directory, recorder: isFirstSend ? undefined : name });
    const report = await drainOutbox({ folder, deliver, isRefusal, refusedFile });
    isFirstSend = false;
    if (report.refused > 0) {
      onProblem(
        new RecorderError({
          what: `${report.refused} records were refused by ${new URL(url).host}`,
          reason: 'they do not have the form it wants',
          hint: `They are kept in ${refusedFile}; is the server older than this package?`,
        }),
      );
    }
  }

  const sender = createSender({ send, afterMs: options.sendAfterMs ?? DEFAULT_SEND_AFTER_MS, onProblem });

  function record(draft: RecordDraft): string | undefined {
    const labels = joinLabels(options, currentLabels(), draft);
    if (labels.consent === 'none') return undefined;
    const { trajectory = null } = labels;
    const sequence = sequences.get(trajectory) ?? 0;
    const record: CaptureRecord = {
      ...draft,
      record_id: draft.record_id ?? ids.next(),
      recorder: name,
      sequence,
      trajectory,
      at: Math.floor(now()),
      user: labels.user ?? null,
      tags: [...(labels.tags ?? [])],
      consent: labels.consent ?? 'train',
      metadata: labels.metadata ?? null,
    };
    const { value } = redactRecord(record, redactor);
    append(value);
    // Counted only after it is kept: a record that never was is no gap, and one that was lost on the way is.
    if (record.kind === 'end' && trajectory !== null) sequences.delete(trajectory);
    else sequences.set(trajectory, sequence + 1);
    if (url !== undefined) sender.wake();
    return record.record_id;
  }

  function append(record: CaptureRecord): void {
    if (disk === undefined) {
      memory.append(record);
      return;
    }
    try {
      disk.append(record);
    } catch (error) {
      if (url === undefined) throw error;
      // A disk that cannot be written is no reason to lose it while the server is there.
      memory.append(record);
    }
  }

  const recorder: Recorder = {
    name,
    now,
    record(draft) {
      try {
        return record(draft);
      } catch (cause) {
        onProblem(cause instanceof Error ? cause : new Error(String(cause)));
        return undefined;
      }
    },
    newIds(labels = {}) {
      const { consent, trajectory = null } = joinLabels(options, currentLabels(), labels);
      return consent === 'none' ? undefined : { trajectoryId: trajectoryIds.of(trajectory), turnId: ids.next() };
    },
    flush: () => sender.flush(),
    async close() {
      openRecorders.delete(recorder);
      await sender.close();
      await disk?.close();
    },
  };
  openRecorders.add(recorder);
  return recorder;
}

/** As many conversations as one application has under way. */
const MOST_KEYS = 10_000;

/** One id for each key, as long as it is remembered; the store finds a trajectory by each that was told. */
function createTrajectoryIds(next: () => string): { of(key: string | null): string } {
  const known = new Map<string, string>();
  return {
    of(key) {
      if (key === null) return next();
      const id = known.get(key) ?? next();
      known.set(key, id);
      const [oldest] = known.keys();
      if (known.size > MOST_KEYS && oldest !== undefined) known.delete(oldest);
      return id;
    },
  };
}

const isRefusal = (error: unknown): boolean => ClientError.isInstance(error) && REFUSALS.has(error.code);

const warn = (problem: Error): void => process.emitWarning(problem.message, { type: 'LachesisRecorder' });
