import {
  redactRecord,
  type CallRecord,
  type CallState,
  type Consent,
  type IdSource,
  type Redactor,
} from '@lachesis/protocol';
import { createHash } from 'node:crypto';
import type { BegunCall, CallError, CallRecorder, HeardReply, OpenCall } from './call-recorder.ts';
import { NOTHING_HEARD } from './hear-whole.ts';
import { findCost } from './find-cost.ts';
import type { PriceTable } from './price-table.ts';
import { readCallRequest, type AskedConversation, type CallRequest } from './read-call-request.ts';
import { SequenceCounter } from './sequence-counter.ts';
import { toRecordedTokens } from './to-recorded-tokens.ts';

export interface CallRecorderOptions {
  /** The name of this process among those that record. */
  recorder: string;
  /** Takes a record of a tenant. When it returns, the record survives the end of this process. */
  append: (tenantId: string, record: CallRecord) => void;
  /** Takes secrets out, before anything is written anywhere. */
  redactor: Redactor;
  /** The trajectory a key was given before. */
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
}

interface Ending {
  state: CallState;
  heard: HeardReply;
  error: CallError | null;
  firstTokenAt: number | null;
}

/** Records calls through an outbox. */
export function createCallRecorder(options: CallRecorderOptions): CallRecorder {
  const { now, onLost, findTrajectory, capturesRollouts } = options;
  const counter = new SequenceCounter(options.recorder);
  return {
    begin(call): OpenCall | undefined {
      const { labels, tenantId } = call;
      if (labels.consent === 'none' || (labels.isRollout && !capturesRollouts)) return undefined;
      const startedAt = now();
      let firstTokenAt: number | null = null;
      let hasEnded = false;
      const end = (state: CallState, heard: HeardReply, error: CallError | null): void => {
        if (hasEnded) return;
        hasEnded = true;
        try {
          const records = toRecords({
            options,
            counter,
            call,
            startedAt,
            ending: { state, heard, error, firstTokenAt },
          });
          for (const record of records) options.append(tenantId, redactRecord(record, options.redactor).value);
        } catch (thrown) {
          onLost(thrown);
        }
      };
      return {
        trajectoryId: labels.trajectory === null ? undefined : findTrajectory(tenantId, labels.trajectory),
        begun: () => void (firstTokenAt ??= now()),
        complete: (heard) => end('complete', heard, null),
        interrupted: (heard, error) => end('interrupted', heard ?? NOTHING_HEARD, error ?? null),
        failed: (error) => end('failed', NOTHING_HEARD, error),
      };
    },
  };
}

interface RecordParts {
  options: CallRecorderOptions;
  counter: SequenceCounter;
  call: BegunCall;
  startedAt: number;
  ending: Ending;
}

/** One record for each conversation that was asked for. */
function* toRecords(parts: RecordParts): Generator<CallRecord> {
  const request = readCallRequest(parts.call.door, parts.call.body);
  for (const [place, conversation] of request.conversations.entries()) {
    yield toRecord(parts, request, conversation, place);
  }
}

function toRecord(
  { options, counter, call, startedAt, ending }: RecordParts,
  request: CallRequest,
  { messages, promptTokenIds: askedIds }: AskedConversation,
  place: number,
): CallRecord {
  const { ids, now, redactor } = options;
  const { door, labels, tenantId, upstream } = call;
  const { state, heard, error, firstTokenAt } = ending;
  const trajectory = hideSecret(redactor, labels.trajectory);
  // Before anything that can fail: a record that is lost from here on is missed.
  const numbered = counter.take(`${tenantId}\0${trajectory ?? ''}`);
  const { samples, conversations } = request;
  const own =
    conversations.length === 1
      ? heard.choices
      : heard.choices.filter(({ index }) => Math.floor(index / samples) === place);
  // Counted for the whole request, and kept once.
  const isFirst = place === 0;
  const model = heard.model ?? request.model;
  return {
    record_id: ids.next(),
    ...numbered,
    trajectory,
    at: now(),
    user: hideSecret(redactor, labels.user ?? request.user),
    tags: [...labels.tags],
    consent: labels.consent === undefined || labels.consent === 'none' ? options.consent : labels.consent,
    metadata: toMetadata(door, request, { model, modelVersionId: heard.modelVersionId }),
    kind: 'call',
    state,
    source: 'gateway',
    model,
    messages,
    tools: request.tools,
    sampling: request.sampling,
    is_stream: request.isStream,
    replies: own.map((choice) => ({
      message: choice.message,
      finish_reason: choice.finishReason,
      ...toRecordedTokens(choice, { state, askedIds }),
    })),
    usage: isFirst ? (heard.usage ?? null) : null,
    cost: isFirst ? findCost(heard, [model, request.model], options.prices) : null,
    upstream,
    started_at: startedAt,
    first_token_at: firstTokenAt,
    ended_at: now(),
    error,
  };
}

function toMetadata(
  door: BegunCall['door'],
  request: CallRequest,
  { model, modelVersionId }: { model: string; modelVersionId: string | undefined },
): Record<string, unknown> | null {
  // Who answered is ours to say, and not the caller's: lineage is made of it.
  const { model_version_id: _said, ...said } = request.metadata ?? {};
  const metadata = {
    ...said,
    ...(door === 'chat' ? {} : { endpoint: door }),
    ...(request.model === '' || request.model === model ? {} : { asked_model: request.model }),
    ...(modelVersionId === undefined ? {} : { model_version_id: modelVersionId }),
  };
  return Object.keys(metadata).length === 0 ? null : metadata;
}

/** A key or a name with a secret in it becomes another one, the same each time: it still joins what belongs together. */
function hideSecret(redactor: Redactor, text: string | null): string | null {
  if (text === null || redactor.redactId(text).found === 0) return text;
  return `redacted-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
