import { readFile } from 'node:fs/promises';
import type { Scenario } from '../../../scenarios/scenario.ts';

/** Claims, ends and retries of items: what a queue does. */
const QUEUE = ['lease-work', 'write-work', 'change-work', 'create-work-job'].map((file) => `store/src/work/${file}`);
/** What neither queue has: the turns of a conversation, values as blobs, items read by their place, the job as one thing. */
const KEPT = ['list-work-jobs', 'open-work', 'read-work', 'work-job', 'work-payload'].map(
  (file) => `store/src/work/${file}`,
);
/** Who brings a chain on, and that a stage is written once. */
const CHAINS = ['store/src/improvements/hold-improvement', 'store/src/improvements/start-improvement'];
const CHAINS_KEPT = ['store/src/improvements/find-improvements', 'store/src/improvements/improvement'];

/** What would go, if one of them took its place. */
export const linesScenario: Scenario = {
  name: 'lines',
  title: 'lines of ours that another queue would take the place of',
  async run(context) {
    const [queue, kept, chains, chainsKept] = await Promise.all([QUEUE, KEPT, CHAINS, CHAINS_KEPT].map(countLines));
    context.report({
      name: 'lines of store/work',
      figure: `${queue} would go with SQLite, ${kept} would stay; 0 go while both databases are kept`,
      ...{ bar: 'printed', ok: true },
    });
    context.report({
      name: 'lines of store/improvements',
      figure: `${chains} would go with SQLite, ${chainsKept} would stay; 0 go while both databases are kept`,
      ...{ bar: 'printed', ok: true },
    });
  },
};

/** Without comments and empty lines. */
async function countLines(files: readonly string[]): Promise<number> {
  const texts = await Promise.all(files.map((file) => readFile(`packages/${file}.ts`, 'utf8')));
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\/\*|\*)/.test(line)).length;
}
