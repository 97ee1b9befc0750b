import { ClientError, type ControlClient } from '@lachesis/sdk';
import { editDistance, isName } from '@lachesis/protocol/names';
import { findNearest } from '../flags/find-nearest.ts';

const PAGE = 1_000;
/** So many letters may be wrong before another id is as good a guess. */
const MOST_WRONG_LETTERS = 3;
const SHOWN_IDS = 5;

/** The whole id of a run that was named by the beginning of it. Throws a sentence when there is none, or more than one. */
export async function findRunId(
  client: Pick<ControlClient, 'readRun' | 'listRuns'>,
  typed: string | undefined,
): Promise<string> {
  if (typed === undefined) {
    const { runs } = await client.listRuns({ limit: 1 });
    const newest = runs[0];
    if (newest === undefined) throw new Error(NO_RUNS);
    return newest.run_id;
  }
  if (isName('run', typed) && (await isRun(client, typed))) return typed;
  return matchRunId(typed, await listIds(client));
}

/** The one id that begins so. The ids are the newest first. */
export function matchRunId(typed: string, ids: readonly string[]): string {
  const wanted = typed.toLowerCase();
  if (ids.includes(typed)) return typed;
  const matches = wanted === '' ? [] : ids.filter((id) => id.toLowerCase().startsWith(wanted));
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  const shown = JSON.stringify(typed.slice(0, 60));
  if (matches.length > 1) {
    const more = matches.length > SHOWN_IDS ? ` and ${matches.length - SHOWN_IDS} more` : '';
    throw new Error(
      `${matches.length} runs begin with ${shown}: ${matches.slice(0, SHOWN_IDS).join(', ')}${more}. Give more letters.`,
    );
  }
  if (ids.length === 0) throw new Error(`there is no run ${shown}; ${NO_RUNS}`);
  const nearest = findNearest(wanted, ids);
  const isLikely = nearest !== undefined && editDistance(wanted, nearest) <= MOST_WRONG_LETTERS;
  throw new Error(
    `there is no run ${shown}. ${isLikely ? `Did you mean ${nearest}? ` : ''}\`lachesis runs list\` shows them; the newest is ${ids[0]}.`,
  );
}

const NO_RUNS = 'no run was started here yet. `lachesis train`, `lachesis runs start` or POST /runs starts one.';

async function isRun(client: Pick<ControlClient, 'readRun'>, runId: string): Promise<boolean> {
  try {
    await client.readRun(runId);
    return true;
  } catch (error) {
    if (ClientError.isInstance(error) && error.status === 404) return false;
    throw error;
  }
}

async function listIds(client: Pick<ControlClient, 'listRuns'>): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const page = await client.listRuns({ limit: PAGE, before });
    ids.push(...page.runs.map(({ run_id: runId }) => runId));
    before = page.next ?? undefined;
  } while (before !== undefined);
  return ids;
}
