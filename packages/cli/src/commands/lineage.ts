import { LINEAGE_SUBJECTS, type Lineage, type LineageTrace } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { fail } from '../terminal/fail.ts';
import { findNearest } from '../flags/find-nearest.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { modelsFlags, withModels } from '../flags/library/models.ts';
import { readWholeNumber } from '../flags/read-value.ts';
import { writeJson } from '../terminal/screen.ts';

const flags = {
  what: {
    type: 'positional',
    required: true,
    description: `${LINEAGE_SUBJECTS.join(', ')} or reply, a colon, and its id or name: model:support@2`,
  },
  limit: { type: 'string', description: 'at most so many records each way (default: 10,000)' },
  ...modelsFlags,
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
    checkSubject(args.what);
    await withModels(args, async (library) => {
      const { from, back, forward, names } = await library.readLineage(args.what, limit === undefined ? {} : { limit });
      if (args.json === true) {
        writeJson({ from, back: toTraceJson(back), forward: toTraceJson(forward) });
        return;
      }
      process.stdout.write(
        `${describeNode(from, names)}\n` +
          describeTrace('made from', back, names) +
          describeTrace('made of it', forward, names) +
          (back.nodes.length + forward.nodes.length > 0
            ? ''
            : 'No data set, run or model is tied to it. If you expected one, look at the id: `lachesis feedback list` and `lachesis trajectories list` show them.\n'),
      );
    });
  },
});

/** What cannot be meant is refused here, with what was most likely meant. */
function checkSubject(text: string): void {
  const [, word = '', id = ''] = /^([a-z]+):(.+)$/.exec(text) ?? [];
  const kinds: readonly string[] = [...LINEAGE_SUBJECTS, 'reply'];
  if (id !== '' && kinds.includes(word)) return;
  const meant = word === '' ? '' : ` Did you mean ${findNearest(word, kinds)}:…?`;
  fail(`${JSON.stringify(text)} names nothing: write model:support@2, feedback:<id> or trajectory:<id>.${meant}`);
}

const toTraceJson = ({ nodes, arrows, is_cut: isCut }: LineageTrace): object => ({ nodes, arrows, isCut });

function describeNode({ kind, id }: Lineage['from'], names: Lineage['names']): string {
  const name = names[id];
  return name === undefined ? `${kind}:${id}` : `${kind}:${name}  (${id})`;
}

/** A person reads some; who wants all of them asks for JSON. */
const SHOWN_OF_A_KIND = 20;

function describeTrace(title: string, { nodes, is_cut: isCut }: LineageTrace, names: Lineage['names']): string {
  if (nodes.length === 0) return `${title}: nothing\n`;
  const kinds = Map.groupBy(nodes, ({ kind }) => kind);
  const lines = LINEAGE_SUBJECTS.toReversed().flatMap((kind) => {
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
