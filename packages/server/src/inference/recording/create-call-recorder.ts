import { redactRecord, type CallRecord, type Consent, type IdSource, type Redactor } from '@lachesis/protocol';
import { EMPTY_REPLY, readCallRequest, toCallFacts, type CallOutcome } from '@lachesis/sdk/capture';
import { createHash } from 'node:crypto';
import type { BegunCall, CallRecorder, OpenCall } from './call-recorder.ts';
import { findCost } from '../../services/models/find-cost.ts';
import type { PriceTable } from '../../services/models/price-table.ts';
import { SequenceCounter } from './sequence-counter.ts';

type CallRequest = ReturnType<typeof readCallRequest>;

export interface CallRecorderOptions {
  /** The name of this process among those that record. */
  recorder: string;
  /** Takes a record of a tenant. When it returns, the record survives the end of this process. */
  append: (tenantId: string, record: CallRecord) => void;
  /** Takes secrets out, before anything is written anywhere. */
  redactor: Redactor;
  /** The trajectory that a key stands for, where something is known of it. */
  findTrajectory: (tenantId: string, key: string) => string | undefined;
  prices: PriceTable;
  /** What is noted for a call that says nothing itself. */
  consent: Consent;
  /** Whether rollouts of environments are recorded too, besides their groups. */
  capturesRollouts: boolean;
  ids: IdSource;
  /** Milliseconds since 1970. */
  now: () => number;
  /** A record could not be made or written. Its sequence number is spent, so that it is missed. */
  onLost: (error: unknown) => void;
  /** Told of each record that is kept. */
  onRecorded?: ((record: CallRecord) => void) | undefined;
}

/** Records calls through an outbox. */
export function createCallRecorder(options: CallRecorderOptions): CallRecorder {
  const { now, ids, onLost, findTrajectory, capturesRollouts } = options;
  const counter = new SequenceCounter(options.recorder);
  return {
    begin(call): OpenCall | undefined {
      const { labels, tenantId } = call;
      if (labels.consent === 'none' || (labels.isRollout && !capturesRollouts)) return undefined;
      const known = labels.trajectory === null ? undefined : findTrajectory(tenantId, labels.trajectory);
      const told = { turnId: ids.next(), trajectoryId: known ?? ids.next() };
      const startedAt = now();
      let firstTokenAt: number | null = null;
      let hasEnded = false;
      const end = (outcome: CallOutcome): void => {
        if (hasEnded) return;
        hasEnded = true;
        try {
          for (const record of toRecords({ options, counter, call, told, startedAt, firstTokenAt, outcome })) {
            const { value } = redactRecord(record, options.redactor);
            options.append(tenantId, value);
            options.onRecorded?.(value);
          }
        } catch (thrown) {
          onLost(thrown);
        }
      };
      return {
        ...told,
        begun: () => void (firstTokenAt ??= now()),
        end,
        complete: (reply) => end({ state: 'complete', reply, error: null }),
        interrupted: (reply = EMPTY_REPLY, error?) => end({ state: 'interrupted', reply, error: error ?? null }),
        failed: (error) => end({ state: 'failed', reply: EMPTY_REPLY, error }),
      };
    },
  };
}

interface RecordDeps {
  options: CallRecorderOptions;
  counter: SequenceCounter;
  call: BegunCall;
  /** What the caller was told of the first of the records. */
  told: { turnId: string; trajectoryId: string };
  startedAt: number;
  firstTokenAt: number | null;
  outcome: CallOutcome;
}

/** One record for each conversation that was asked for. */
function* toRecords(deps: RecordDeps): Generator<CallRecord> {
  const request = readCallRequest(deps.call.endpoint, deps.call.body);
  for (const place of request.conversations.keys()) yield toRecord(deps, request, place);
}

function toRecord(
  { options, counter, call, told, startedAt, firstTokenAt, outcome }: RecordDeps,
  request: CallRequest,
  place: number,
): CallRecord {
  const { ids, now, redactor } = options;
  const { labels, tenantId, upstream } = call;
  const trajectory = hideSecret(redactor, labels.trajectory);
  // Before anything that can fail: a record that is lost from here on is missed.
  const numbered = counter.take(`${tenantId}\0${trajectory ?? ''}`);
  const facts = toCallFacts(request, outcome, place);
  return {
    record_id: place === 0 ? told.turnId : ids.next(),
    ...numbered,
    trajectory,
    // Further prompts of one request are trajectories of their own, unless a key joins them.
    ...(place === 0 || trajectory !== null ? { trajectory_id: told.trajectoryId } : {}),
    at: now(),
    user: hideSecret(redactor, labels.user ?? request.user),
    tags: [...labels.tags],
    consent: labels.consent === undefined || labels.consent === 'none' ? options.consent : labels.consent,
    kind: 'call',
    source: 'gateway',
    ...facts,
    metadata: joinMetadata(facts.metadata, labels.metadata ?? null),
    // Counted for the whole request, and kept once.
    cost: place === 0 ? findCost(outcome.reply, [facts.model, request.model], options.prices) : null,
    upstream,
    started_at: startedAt,
    first_token_at: firstTokenAt,
    ended_at: now(),
  };
}

/** What the server says of the call stands before what the caller says of it. */
function joinMetadata(known: CallRecord['metadata'], said: CallRecord['metadata']): CallRecord['metadata'] {
  return said === null ? known : { ...said, ...known };
}

/** A key or a name with a secret in it becomes another one, the same each time: it still joins what belongs together. */
function hideSecret(redactor: Redactor, text: string | null): string | null {
  if (text === null || redactor.redactId(text).found === 0) return text;
  return `redacted-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
