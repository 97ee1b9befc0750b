import {
  findDataset,
  findModel,
  listDatasets,
  LINEAGE_KINDS,
  listModels,
  traceBack,
  traceForward,
  type LineageKind,
  type LineageNode,
  type Trace,
} from '@lachesis/store';
import { defineCommand } from 'citty';
import { fail } from '../fail.ts';
import { findNearest } from '../find-nearest.ts';
import { refuseUnknownFlags } from '../setting-flags.ts';
import { failWithSentence, libraryFlags, withLibrary, type Library } from './data-options.ts';
import { nameOf } from './models-options.ts';
import { readWholeNumber } from './read-whole-number.ts';
import { writeJson } from './trajectories-screen.ts';

const flags = {
  what: {
    type: 'positional',
    required: true,
    description: `${LINEAGE_KINDS.join(', ')} or reply, a colon, and its id or name: model:support@2`,
  },
  limit: { type: 'string', description: 'at most so many records each way (default: 10,000)' },
  ...libraryFlags,
} as const;

export const lineageCommand = defineCommand({
  meta: {
    name: 'lineage',
    description: 'What something was made from, and what was made of it: a rating, a reply, a data set, a model.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const limit = readWholeNumber('limit', args.limit);
    await withLibrary(args, async (library) => {
      const from = await readNode(library, args.what);
      const options = { ...library, from, ...(limit === undefined ? {} : { limit }) };
      const [back, forward] = [await traceBack(options), await traceForward(options)];
      if (args.json === true) {
        writeJson({ from, back, forward });
        return;
      }
      const names = await readNames(library);
      process.stdout.write(
        `${describeNode(from, names)}\n` +
          describeTrace('made from', back, names) +
          describeTrace('made of it', forward, names) +
          (back.nodes.length + forward.nodes.length > 0
            ? ''
            : 'No data set, run or model is tied to it. If you expected one, look at the id: `lachesis feedback list` and `lachesis trajectories list` show them.\n'),
      );
    }).catch(failWithSentence);
  },
});

async function readNode(library: Library, text: string): Promise<LineageNode> {
  const [, word = '', id = ''] = /^([a-z]+):(.+)$/.exec(text) ?? [];
  const kinds: readonly string[] = [...LINEAGE_KINDS, 'reply'];
  if (id === '' || !kinds.includes(word)) {
    const meant = word === '' ? '' : ` Did you mean ${findNearest(word, kinds)}:…?`;
    return fail(
      `${JSON.stringify(text)} names nothing: write model:support@2, feedback:<id> or trajectory:<id>.${meant}`,
    );
  }
  const kind = (word === 'reply' ? 'trajectory' : word) as LineageKind;
  if (kind === 'model') {
    const model = await findModel({ ...library, ref: id });
    if (model === undefined) return fail(`there is no model ${id}. \`lachesis models list\` shows them.`);
    return { kind, id: model.modelVersionId };
  }
  if (kind === 'dataset') {
    const dataset = await findDataset({ ...library, ref: id });
    if (dataset === undefined) return fail(`there is no data set ${id}. \`lachesis data sets list\` shows them.`);
    return { kind, id: dataset.dataset_id };
  }
  if (kind === 'trajectory') return { kind, id: await findTrajectoryId(library, id) };
  return { kind, id };
}

/** A key of the application's own leads to its trajectory too. What was forgotten is still known by its id. */
async function findTrajectoryId({ store, tenantId }: Library, name: string): Promise<string> {
  const row = await store.db
    .selectFrom('trajectories')
    .select('trajectory_id')
    .where('tenant_id', '=', tenantId)
    .where('key', '=', name)
    .executeTakeFirst();
  return row?.trajectory_id ?? name;
}

async function readNames(library: Library): Promise<ReadonlyMap<string, string>> {
  const models = (await listModels(library)).map((model): [string, string] => [model.modelVersionId, nameOf(model)]);
  const sets = (await listDatasets(library)).map((set): [string, string] => [set.dataset_id, nameOf(set)]);
  return new Map([...models, ...sets]);
}

function describeNode({ kind, id }: LineageNode, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  return name === undefined ? `${kind}:${id}` : `${kind}:${name}  (${id})`;
}

/** A person reads some; who wants all of them asks for JSON. */
const SHOWN_OF_A_KIND = 20;

function describeTrace(title: string, { nodes, isCut }: Trace, names: ReadonlyMap<string, string>): string {
  if (nodes.length === 0) return `${title}: nothing\n`;
  const kinds = Map.groupBy(nodes, ({ kind }) => kind);
  const lines = LINEAGE_KINDS.toReversed().flatMap((kind) => {
    const found = kinds.get(kind) ?? [];
    const rest = found.length - SHOWN_OF_A_KIND;
    return [
      ...found.slice(0, SHOWN_OF_A_KIND).map((node) => `  ${describeNode(node, names)}\n`),
      ...(rest > 0 ? [`  … and ${rest} more of kind ${kind}; --json lists them\n`] : []),
    ];
  });
  const cut = isCut ? '  there are more; --limit raises the number\n' : '';
  return `${title}: ${nodes.length}\n${lines.join('')}${cut}`;
}
