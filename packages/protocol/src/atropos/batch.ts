import type { ScoredData } from './scored-data.ts';

/** Reply of GET /batch: null while there is no full batch; an error, with status 200, before any registration. */
export type BatchReply = { batch: ScoredData[] | null } | { status: 'error'; message: string; batch: [] };
