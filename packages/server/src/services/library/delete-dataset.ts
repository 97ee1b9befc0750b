import { LachesisError, type DatasetVersion } from '@lachesis/protocol';
import { deleteDataset, findModel, listImprovements, listModels, traceForward } from '@lachesis/store';
import { needDataset, type DatasetScope } from './datasets.ts';

/**
 * Deletes one version, named as `name@version`, with its rows; what it held out is free again. Refused while an improvement
 * uses it and, unless it is forced, when a model learnt from it or was measured with it.
 */
export async function deleteLibraryDataset(
  options: DatasetScope & { ref: string; isForced: boolean },
): Promise<DatasetVersion> {
  const { ref, isForced, ...scope } = options;
  const dataset = await needDataset({ ...scope, ref });
  const name = `${dataset.name}@${dataset.version}`;
  if (ref === dataset.name) refuse(`${ref} has versions, and one of them is deleted at a time`, `Name it: ${name}.`);
  const open = (await listImprovements(scope)).find(
    ({ endedAt, stages }) => endedAt === null && stages.some(({ content }) => isNamed(content, name)),
  );
  if (open !== undefined)
    refuse(`${name} is in use by an improvement of ${open.model}`, `\`lachesis improve stop ${open.model}\` ends it.`);
  const needed = isForced ? [] : await listDependents(scope, dataset);
  if (needed.length > 0)
    refuse(
      `${needed.join(', ')} learnt from ${name} or was measured with it`,
      'Its rows are what shows why that model is as it is. --force deletes them all the same.',
    );
  await deleteDataset({ ...scope, datasetId: dataset.dataset_id });
  return dataset;
}

const isNamed = (content: Readonly<Record<string, unknown>>, name: string): boolean =>
  content['dataset'] === name || content['held_out'] === name;

/** Models that learnt from it, as the lineage has it, and those whose figures were measured on it. */
async function listDependents(
  scope: DatasetScope,
  { dataset_id: id, name, version }: DatasetVersion,
): Promise<string[]> {
  const { nodes } = await traceForward({ ...scope, from: { kind: 'dataset', id } });
  const learnt = nodes.filter(({ kind }) => kind === 'model').map((node) => findModel({ ...scope, ref: node.id }));
  const measured = (await listModels(scope)).filter(({ evaluations }) =>
    evaluations.some(({ content }) => isNamed(content, `${name}@${version}`)),
  );
  const models = [...(await Promise.all(learnt)).filter((model) => model !== undefined), ...measured];
  return [...new Set(models.map((model) => `${model.name}@${model.version}`))];
}

function refuse(message: string, hint: string): never {
  throw new LachesisError({ code: 'conflict', message, hint });
}
