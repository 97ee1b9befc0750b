import type { CaptureReceipt, CaptureRecord, IdSource } from '@lachesis/protocol';
import { TrajectoryOwnedError } from '../../errors/library-errors.ts';
import { addTurn } from './add-turn.ts';
import { advanceStream } from './capture-stream.ts';
import { listContinued, nameForgotten, nameStream, openTrajectory } from './capture-state.ts';
import type { CaptureState, OpenTrajectory, PreparedRecord } from './capture-state.ts';
import { readGaps } from '../summary.ts';

/** A conversation that rested longer is not continued by chance. */
const CONTINUED_WITHIN_MS = 24 * 3_600_000;
/** Strictest last: what one record of a trajectory forbids, the others cannot allow. */
const STRICTNESS = ['train', 'evaluate', 'keep'];

/** Instead of a turn: the name is one of the whole trajectory. */
const WHOLE = -1;

export interface CapturePlan {
  receipts: CaptureReceipt['receipts'];
  /** Records to keep as known, in the order they came. */
  taken: { record: CaptureRecord; trajectoryId: string; turnIndex: number | null }[];
  /** Names that a caller may use besides the ids. */
  names: { name: string; trajectoryId: string; turnIndex: number }[];
}

/** Decides what becomes of each record; changes the state it is given and nothing else. */
export function planCaptures(options: {
  state: CaptureState;
  prepared: readonly PreparedRecord[];
  ids: IdSource;
  owner: string | null;
}): CapturePlan {
  const { state, prepared, ids, owner } = options;
  const plan: CapturePlan = { receipts: [], taken: [], names: [] };
  for (const one of prepared) {
    const { record } = one;
    const known = state.receipts.get(record.record_id) ?? findForgotten(state, record);
    if (known !== undefined) {
      plan.receipts.push(known);
      continue;
    }
    const trajectory = findTrajectory(state, one, owner) ?? createTrajectory(state, record, { ids, owner });
    const turnIndex = record.kind === 'end' ? null : addTurn({ state, trajectory, prepared: { ...one, record } });
    applyRecord(trajectory, record);
    noteSequence(state, record, trajectory);
    const receipt = {
      record_id: record.record_id,
      trajectory_id: trajectory.row.trajectory_id,
      turn_index: turnIndex,
      is_repeat: false,
    };
    plan.receipts.push(receipt);
    plan.taken.push({ record, trajectoryId: receipt.trajectory_id, turnIndex });
    plan.names.push(...listNames(record, receipt.trajectory_id, turnIndex));
    state.receipts.set(record.record_id, { ...receipt, is_repeat: true });
  }
  return plan;
}

function listNames(record: CaptureRecord, trajectoryId: string, turnIndex: number | null): CapturePlan['names'] {
  const { trajectory_id: told } = record;
  const response = record.kind === 'call' ? (record.response_id ?? '') : '';
  return [
    ...(typeof told !== 'string' || told === trajectoryId ? [] : [{ name: told, trajectoryId, turnIndex: WHOLE }]),
    ...(response === '' || turnIndex === null ? [] : [{ name: response, trajectoryId, turnIndex }]),
  ];
}

/** Recorded before somebody asked to forget it, and sent again or late: it does not come back. */
function findForgotten(state: CaptureState, record: CaptureRecord): CaptureReceipt['receipts'][number] | undefined {
  const names = [
    ...(record.trajectory === null ? [] : [nameForgotten('key', record.trajectory)]),
    ...(record.user === null ? [] : [nameForgotten('user', record.user)]),
  ];
  for (const name of names) {
    const forgotten = state.forgotten.get(name);
    if (forgotten !== undefined && record.at <= forgotten.forgottenAt) {
      return { record_id: record.record_id, trajectory_id: forgotten.trajectoryId, turn_index: null, is_repeat: true };
    }
  }
  return undefined;
}

function findTrajectory(
  state: CaptureState,
  prepared: PreparedRecord,
  owner: string | null,
): OpenTrajectory | undefined {
  const { record } = prepared;
  if (record.trajectory !== null) {
    const named = state.byKey.get(record.trajectory);
    if (named !== undefined && !mayAppend(named, owner)) {
      throw new TrajectoryOwnedError({ recordId: record.record_id, key: record.trajectory });
    }
    return named;
  }
  for (const digest of listContinued(prepared)) {
    const withIds = prepared.callPrefixes[prepared.prefixes.lastIndexOf(digest)]!;
    const candidates = (state.replies.get(digest) ?? [])
      .map(({ trajectoryId, turnIndex }) => ({ trajectory: state.trajectories.get(trajectoryId), turnIndex }))
      .filter(({ trajectory }) => trajectory !== undefined && mayContinue(trajectory, record, owner))
      .map(({ trajectory, turnIndex }) => ({
        trajectory: trajectory!,
        hasIds: trajectory!.places.has(withIds),
        isEnd: !trajectory!.continued.has(turnIndex),
      }))
      // Of equal conversations the one whose call ids come back; then one that nobody went on with; of those the youngest.
      .sort(
        (left, right) =>
          Number(right.hasIds) - Number(left.hasIds) ||
          Number(right.isEnd) - Number(left.isEnd) ||
          compareText(right.trajectory.row.trajectory_id, left.trajectory.row.trajectory_id),
      );
    if (candidates[0] !== undefined) return candidates[0].trajectory;
  }
  return undefined;
}

/** What one token began, another does not go on with; what has no owner anybody of the tenant may. */
function mayAppend({ row }: OpenTrajectory, owner: string | null): boolean {
  return owner === null || row.owner === null || row.owner === owner;
}

function mayContinue({ row }: OpenTrajectory, record: CaptureRecord, owner: string | null): boolean {
  return (
    row.key === null &&
    row.owner === owner &&
    row.recorder === record.recorder &&
    row.user_name === record.user &&
    Math.abs(record.at - row.updated_at) <= CONTINUED_WITHIN_MS
  );
}

function createTrajectory(
  state: CaptureState,
  record: CaptureRecord,
  { ids, owner }: { ids: IdSource; owner: string | null },
): OpenTrajectory {
  const trajectory = openTrajectory(
    {
      trajectory_id: chooseId(state, record, ids),
      run_id: readText(record.metadata, 'run_id'),
      rollout_id: null,
      environment_id: null,
      outcome: null,
      reason: null,
      split: readText(record.metadata, 'split') ?? 'train',
      consent: record.consent,
      turn_count: 0,
      started_at: record.kind === 'call' ? record.started_at : record.at,
      ended_at: null,
      key: record.trajectory,
      recorder: record.recorder,
      owner,
      source: record.kind === 'end' ? '' : record.source,
      model: null,
      user_name: record.user,
      title: '',
      reward: null,
      rating: null,
      feedback_count: 0,
      tags: '[]',
      tool_call_count: 0,
      error_count: 0,
      reply_count: 0,
      token_count: null,
      completion_tokens: 0,
      cost: null,
      has_tokens: 0,
      missing_records: 0,
      gaps: null,
      updated_at: record.at,
      version: 1,
      cold_version: null,
    },
    null,
  );
  state.trajectories.set(trajectory.row.trajectory_id, trajectory);
  if (record.trajectory !== null) state.byKey.set(record.trajectory, trajectory);
  return trajectory;
}

/** The id its caller was told, unless something has it: nobody takes another's place by saying its id. */
function chooseId(state: CaptureState, { trajectory_id: told }: CaptureRecord, ids: IdSource): string {
  if (typeof told !== 'string' || state.takenIds.has(told) || state.trajectories.has(told)) return ids.next();
  return told;
}

/** What every kind of record says about its trajectory. */
function applyRecord(trajectory: OpenTrajectory, record: CaptureRecord): void {
  const { row } = trajectory;
  trajectory.isChanged = true;
  row.updated_at = Math.max(row.updated_at, record.kind === 'call' ? record.ended_at : record.at);
  row.user_name ??= record.user;
  if (STRICTNESS.indexOf(record.consent) > STRICTNESS.indexOf(row.consent)) row.consent = record.consent;
  for (const tag of record.tags) {
    if (trajectory.tags.has(tag)) continue;
    trajectory.tags.add(tag);
    trajectory.newTags.add(tag);
    row.tags = JSON.stringify([...trajectory.tags]);
  }
  if (record.kind !== 'end') return;
  row.outcome = record.outcome;
  row.reason = record.reason;
  // An outcome that is not a score has none, whatever was sent.
  row.reward = record.outcome === 'scored' ? record.reward : null;
  row.ended_at = record.at;
}

function noteSequence(state: CaptureState, record: CaptureRecord, trajectory: OpenTrajectory): void {
  const name = nameStream(record);
  let stream = state.streams.get(name);
  if (stream === undefined) {
    const key = record.trajectory ?? '';
    // What came before was forgotten, and is not missing.
    const nextSequence = key !== '' && state.forgotten.has(nameForgotten('key', key)) ? record.sequence : 0;
    stream = { recorder: record.recorder, stream: key, nextSequence, gaps: [], version: 0, isChanged: true };
    state.streams.set(name, stream);
  }
  const { recorder } = stream;
  for (const owner of advanceStream(stream, record.sequence, trajectory.row.trajectory_id)) {
    const concerned = state.trajectories.get(owner);
    if (concerned === undefined) continue;
    const others = readGaps(concerned.row.gaps).filter((gap) => gap.recorder !== recorder);
    const own = stream.gaps.flatMap(([from, to, of]) => (of === owner ? [{ recorder, from, to }] : []));
    const gaps = [...others, ...own];
    concerned.row.gaps = gaps.length === 0 ? null : JSON.stringify(gaps);
    concerned.row.missing_records = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    concerned.isChanged = true;
  }
}

function readText(metadata: CaptureRecord['metadata'], name: string): string | null {
  const value = metadata?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
