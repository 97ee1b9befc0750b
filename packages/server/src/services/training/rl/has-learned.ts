import { findRun, listSavedStates } from '@lachesis/store';
import type { ModelScope } from '../../models/find-start.ts';

/** Whether a run has weights of its own. */
export async function hasLearned({ store, tenantId, run }: ModelScope & { run: string }): Promise<boolean> {
  const found = await findRun({ store, tenantId, name: run });
  return found !== undefined && (await listSavedStates({ store, tenantId, runId: found.runId })).length > 0;
}
