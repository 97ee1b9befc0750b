import { LachesisError, type TrajectoryFilter } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import type { SearchTerm } from './search-words.ts';
import type { SummaryRow } from './summary.ts';

/** In which order trajectories are listed. */
export const TRAJECTORY_ORDERS = Object.freeze(['newest', 'oldest', 'updated'] as const);

/** By arrival, either way round, or by the last thing that happened. */
export type TrajectoryOrder = (typeof TRAJECTORY_ORDERS)[number];

/** The last row of a page. */
export interface PageCursor {
  trajectoryId: string;
  updatedAt: number;
  searchId: number | null;
}

/** One page of rows, as both engines read it. */
export interface PageRequest {
  store: Store;
  tenantId: string;
  filter: TrajectoryFilter;
  terms: readonly SearchTerm[];
  limit: number;
  cursor: PageCursor | undefined;
  order: TrajectoryOrder;
}

export type PageRow = SummaryRow & { search_id: number | null };

export function formatCursor({ trajectoryId, updatedAt, searchId }: PageCursor): string {
  return Buffer.from(JSON.stringify([trajectoryId, updatedAt, searchId])).toString('base64url');
}

export function parseCursor(text: string): PageCursor {
  try {
    const [trajectoryId, updatedAt, searchId] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    if (typeof trajectoryId === 'string' && typeof updatedAt === 'number') {
      return { trajectoryId, updatedAt, searchId: typeof searchId === 'number' ? searchId : null };
    }
  } catch {
    // Not ours: told below.
  }
  throw new LachesisError({
    code: 'invalid',
    message: 'The cursor is not one that a list of trajectories gave.',
    hint: 'Leave it out to begin with the first page.',
  });
}
