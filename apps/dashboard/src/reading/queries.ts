import type {
  Feedback,
  RolloutGroup,
  RolloutOutline,
  RolloutStep,
  TrajectoryDetail,
  TrajectoryFilter,
  TrajectoryPage,
  TrajectoryTurn,
} from '@lachesis/protocol';
import { decodeTurnTokens, TURN_TOKENS_CONTENT_TYPE } from '@lachesis/protocol/codec';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { requestJson, requestResponse, writeQuery } from '../api/request.ts';

export interface StepGroups {
  run_id: string;
  step: RolloutStep;
  groups: RolloutOutline[];
  next: number | null;
}

const name = encodeURIComponent;

/** The groups of a step, page by page in the order of its batch. */
export const stepQuery = (run: string, step: string) =>
  infiniteQueryOptions({
    queryKey: ['run', run, 'step', step],
    queryFn: ({ pageParam, signal }) =>
      requestJson<StepGroups>(`/runs/${name(run)}/steps/${name(step)}${writeQuery({ start: pageParam })}`, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });

/** A group; its tokens only when they are looked at, because they are most of it. */
export const groupQuery = (run: string, group: string, hasTokens: boolean) =>
  queryOptions({
    queryKey: ['run', run, 'group', group, hasTokens],
    queryFn: ({ signal }) =>
      requestJson<RolloutGroup>(`/runs/${name(run)}/groups/${name(group)}${writeQuery({ tokens: hasTokens })}`, {
        signal,
      }),
    // What was trained on does not change any more.
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });

/** The first turns are there at once; the others come in large pages while somebody reads. */
const FIRST_TURNS = 200;
const MORE_TURNS = 10_000;

/** A trajectory without its tokens, page by page. */
export const turnsQuery = (trajectory: string) =>
  infiniteQueryOptions({
    queryKey: ['trajectory', trajectory, 'turns'],
    queryFn: ({ pageParam: from, signal }) => {
      const page = { tokens: 'none', from, limit: from === 0 ? FIRST_TURNS : MORE_TURNS };
      return requestJson<TrajectoryDetail>(`/v1/trajectories/${name(trajectory)}${writeQuery(page)}`, { signal });
    },
    initialPageParam: 0,
    getNextPageParam: ({ next_turn: next }) => next ?? null,
    // A hundred thousand turns are not compared one by one.
    structuralSharing: false,
  });

/** A trajectory without its tokens, whole: for who compares. */
export const trajectoryQuery = (trajectory: string) =>
  queryOptions({
    queryKey: ['trajectory', trajectory],
    queryFn: ({ signal }) =>
      requestJson<TrajectoryDetail>(`/v1/trajectories/${name(trajectory)}?tokens=none`, { signal }),
    structuralSharing: false,
  });

/** One turn without its tokens; undefined where there is none to ask for. */
export const turnQuery = (reply: { trajectory: string; turn: number } | undefined) =>
  queryOptions({
    queryKey: ['trajectory', reply?.trajectory, 'turn', reply?.turn],
    enabled: reply !== undefined,
    queryFn: async ({ signal }) => {
      const path = `/v1/trajectories/${name(reply?.trajectory ?? '')}/turns/${reply?.turn}`;
      return (await requestJson<{ turn: TrajectoryTurn }>(path, { signal })).turn;
    },
  });

/** The tokens of a reply, as the server packs them. */
export const turnTokensQuery = (trajectory: string, turn: number) =>
  queryOptions({
    queryKey: ['trajectory', trajectory, 'tokens', turn],
    enabled: turn >= 0,
    queryFn: async ({ signal }) => {
      const path = `/v1/trajectories/${name(trajectory)}/turns/${turn}/tokens${writeQuery({ prompt: true })}`;
      const response = await requestResponse(path, { signal, accept: TURN_TOKENS_CONTENT_TYPE });
      return decodeTurnTokens(new Uint8Array(await response.arrayBuffer()));
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });

export const feedbackQuery = (trajectory: string) =>
  queryOptions({
    queryKey: ['trajectory', trajectory, 'feedback'],
    queryFn: async ({ signal }) => {
      const path = `/v1/feedback${writeQuery({ trajectory_id: trajectory })}`;
      return (await requestJson<{ feedback: Feedback[] }>(path, { signal })).feedback;
    },
  });

export type TrajectoryOrder = 'newest' | 'oldest' | 'updated';

/** One page of a list of trajectories. */
export const loadTrajectories = (
  filter: TrajectoryFilter,
  page: { limit: number; cursor: string | undefined; order: TrajectoryOrder; pages?: number },
  signal: AbortSignal,
): Promise<TrajectoryPage> =>
  requestJson<TrajectoryPage>(`/v1/trajectories${writeQuery({ ...filter, ...page })}`, { signal });
