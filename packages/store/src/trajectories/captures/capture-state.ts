import { hash } from 'node:crypto';
import type { CaptureReceipt, CaptureRecord } from '@lachesis/protocol';
import type { TrajectoriesTable, TurnsTable } from '../../schema/library.ts';
import type { StreamState } from './capture-stream.ts';
import { digestCallIds, digestConversation, PREFIX_LENGTH } from './conversation-digest.ts';
import type { EncodedTurn } from './turn-payload.ts';

/** A record and the digests of the conversation up to each of its messages. */
export interface PreparedRecord {
  record: CaptureRecord;
  prefixes: string[];
  /** The same with the ids of calls. */
  callPrefixes: string[];
}

export interface PlannedTurn {
  row: Omit<TurnsTable, 'content_digests' | 'payload' | 'payload_bytes' | 'payload_digest' | 'tenant_id'>;
  encoded: EncodedTurn;
  words: string;
  /** The conversation up to the end of each reply. */
  replyDigests: string[];
}

/** A trajectory while records are added to it. */
export interface OpenTrajectory {
  row: Omit<TrajectoriesTable, 'tenant_id' | 'search_id'>;
  /** Null for one that is not stored yet. */
  storedVersion: number | null;
  /** Which turn brought a message, by the digest of the conversation up to it, with and without the ids of calls. */
  places: Map<string, { turnIndex: number; length: number }>;
  /** Turns that another one continues. */
  continued: Set<number>;
  tags: Set<string>;
  newTurns: PlannedTurn[];
  newTags: Set<string>;
  newToolCalls: Map<string, number>;
  isChanged: boolean;
}

export interface Place {
  trajectoryId: string;
  turnIndex: number;
}

/** What is stored and touches a list of records. The plan adds to it as it goes along. */
export interface CaptureState {
  receipts: Map<string, CaptureReceipt['receipts'][number]>;
  trajectories: Map<string, OpenTrajectory>;
  byKey: Map<string, OpenTrajectory>;
  /** Of the ids that the records suggest, those that a trajectory has, or had before it was forgotten. */
  takenIds: Set<string>;
  /** Where a conversation that ends in a reply stands. */
  replies: Map<string, Place[]>;
  streams: Map<string, StreamState>;
  /** By `nameForgotten`. */
  forgotten: Map<string, { trajectoryId: string; forgottenAt: number }>;
}

export function prepareRecord(record: CaptureRecord): PreparedRecord {
  if (record.kind === 'end') return { record, prefixes: [], callPrefixes: [] };
  const prefixes = digestConversation(record.messages);
  return { record, prefixes, callPrefixes: digestCallIds(record.messages, prefixes) };
}

export function nameStream({ recorder, trajectory }: Pick<CaptureRecord, 'recorder' | 'trajectory'>): string {
  return JSON.stringify([recorder, trajectory ?? '']);
}

/** The name something forgotten is kept under: never the key or the user itself. */
export function nameForgotten(kind: 'key' | 'trajectory' | 'user', name: string): string {
  return kind === 'trajectory' ? name : hash('sha256', `${kind}\n${name}`, 'hex');
}

/** How many of the last replies of a conversation are looked up: a client that goes back further starts anew. */
const MAX_REPLIES_LOOKED_UP = 8;

/** The conversations that a call without a key may continue, the longest first. */
export function listContinued({ record, prefixes }: PreparedRecord): string[] {
  if (record.kind === 'end' || record.trajectory !== null) return [];
  return record.messages
    .flatMap(({ role }, index) => (role === 'assistant' ? [prefixes[index]!] : []))
    .toReversed()
    .slice(0, MAX_REPLIES_LOOKED_UP);
}

export function openTrajectory(row: OpenTrajectory['row'], storedVersion: number | null): OpenTrajectory {
  return {
    row,
    storedVersion,
    places: new Map(),
    continued: new Set(),
    tags: new Set(JSON.parse(row.tags) as string[]),
    newTurns: [],
    newTags: new Set(),
    newToolCalls: new Map(),
    isChanged: false,
  };
}

/** Makes the messages of a turn findable. */
export function addPlaces(
  trajectory: OpenTrajectory,
  turn: Pick<TurnsTable, 'call_prefixes' | 'kept_messages' | 'parent_index' | 'prefixes' | 'turn_index'>,
): void {
  const { turn_index: turnIndex, kept_messages: kept, parent_index: parent, prefixes, call_prefixes: withIds } = turn;
  for (const digests of withIds === null ? [prefixes] : [prefixes, withIds]) {
    for (let start = 0; start < digests.length; start += PREFIX_LENGTH) {
      const length = kept + start / PREFIX_LENGTH + 1;
      trajectory.places.set(digests.slice(start, start + PREFIX_LENGTH), { turnIndex, length });
    }
  }
  if (parent !== null) trajectory.continued.add(parent);
}
