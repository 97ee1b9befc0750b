import { LachesisError, LINEAGE_SUBJECTS, type Lineage, type LineageTrace } from '@lachesis/protocol';
import { findDataset, listDatasets, listModels, traceBack, traceForward, type Trace } from '@lachesis/store';
import { findFeedbackId, findTrajectoryId } from '../library/find-by-beginning.ts';
import { nameOf, needModel, type ModelScope } from './find-start.ts';

type LineageNode = Trace['arrows'][number]['from'];

/** What something was made from, and what was made of it. `what` is a kind, a colon, and an id or a name: `model:support@2`. */
export async function readLineage({
  what,
  limit,
  ...scope
}: ModelScope & { what: string; limit?: number | undefined }): Promise<Lineage> {
  const from = await findSubject(scope, what);
  const options = { ...scope, from, ...(limit === undefined ? {} : { limit }) };
  const [back, forward] = [await traceBack(options), await traceForward(options)];
  const shown = new Set([from, ...back.nodes, ...forward.nodes].map(({ id }) => id));
  return { from, back: describeTrace(back), forward: describeTrace(forward), names: await readNames(scope, shown) };
}

async function findSubject(scope: ModelScope, what: string): Promise<LineageNode> {
  const [, word = '', id = ''] = /^([a-z]+):(.+)$/s.exec(what) ?? [];
  // A reply is a trajectory to those who look for what came of it.
  const kind = LINEAGE_SUBJECTS.find((known) => known === (word === 'reply' ? 'trajectory' : word));
  if (kind === undefined) {
    throw new LachesisError({
      code: 'invalid',
      message: `${JSON.stringify(what.slice(0, 200))} names nothing`,
      hint: `Write ${LINEAGE_SUBJECTS.join(', ')} or reply, a colon, and an id or a name: model:support@2.`,
    });
  }
  if (kind === 'model') {
    const model = await needModel({ ...scope, ref: id });
    return { kind, id: model.modelVersionId };
  }
  if (kind === 'dataset') {
    const dataset = await findDataset({ ...scope, ref: id });
    if (dataset !== undefined) return { kind, id: dataset.dataset_id };
    throw new LachesisError({
      code: 'not-found',
      message: `there is no data set ${JSON.stringify(id.slice(0, 200))}`,
      hint: '`lachesis data sets list` shows them.',
    });
  }
  // What was forgotten is still known by its whole id.
  const named = { ...scope, ref: id };
  if (kind === 'trajectory') return { kind, id: (await findTrajectoryId(named)) ?? id };
  return { kind, id: kind === 'feedback' ? ((await findFeedbackId(named)) ?? id) : id };
}

async function readNames(scope: ModelScope, ids: ReadonlySet<string>): Promise<Record<string, string>> {
  const models = (await listModels(scope)).map((model): [string, string] => [model.modelVersionId, nameOf(model)]);
  const sets = (await listDatasets(scope)).map((set): [string, string] => [set.dataset_id, nameOf(set)]);
  return Object.fromEntries([...models, ...sets].filter(([id]) => ids.has(id)));
}

const describeTrace = ({ nodes, arrows, isCut }: Trace): LineageTrace => ({ nodes, arrows, is_cut: isCut });
