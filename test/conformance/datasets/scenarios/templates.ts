import { writeHandoff, writeJsonl, writePieces } from '@lachesis/data';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDatasetsPython } from '../../../peers/datasets/find-datasets-python.ts';
import { runRenderer } from '../../../peers/transformers/run-renderer.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { families } from '../../render/families.ts';
import { makeConversations } from '../make-records.ts';

const script = join(dirname(dirname(fileURLToPath(import.meta.url))), 'render_rows.py');
const TIMEOUT_MS = 240_000;
const ROWS = 2_000;
const MUTANT_ROWS = 100;

/** Templates that ask for fields in different ways: what is there, what is true, what is a string. */
const FAMILIES = ['qwen3', 'qwen2_5', 'llama3_1', 'mistral_nemo', 'deepseek_v3'];

interface Rendered {
  readonly family: string;
  readonly rows: number;
  readonly rendered: number;
  readonly different: number;
  readonly first: string | null;
}

export const templatesScenario: Scenario = {
  name: 'templates',
  title: 'chat templates of transformers print the rows of our Parquet as they print the records',
  async run(context) {
    const folder = await context.scratch();
    const tokenizers = Object.fromEntries(
      families.flatMap(({ name, directory }) =>
        FAMILIES.includes(name) && directory !== undefined ? [[name, directory]] : [],
      ),
    );
    const rendered = await renderRows({ folder: join(folder, 'rows'), count: ROWS, tokenizers, mutant: false });
    for (const { family, rows, rendered: count, different, first } of rendered) {
      context.log(
        `${family}: ${rows} rows, ${count} rendered, ${different} differences${first === null ? '' : `\n  ${first}`}`,
      );
    }
    const different = rendered.reduce((sum, family) => sum + family.different, 0);
    const least = Math.min(...rendered.map((family) => family.rendered));
    context.report({
      name: 'rows through chat templates',
      figure: `${different} differences, ${ROWS} rows, ${rendered.length} families, ${least} or more rendered by each`,
      bar: `0, ≥ 2,000 rows, ${FAMILIES.length} families`,
      ok: different === 0 && rendered.length === FAMILIES.length && least > ROWS / 2,
    });
    const blind = await renderRows({ folder: join(folder, 'mutant'), count: MUTANT_ROWS, tokenizers, mutant: true });
    const caught = blind.filter((family) => family.different > 0).map(({ family }) => family);
    context.report({
      name: 'a reader that leaves the nulls of Arrow in',
      figure: `differs in ${caught.length} families: ${caught.join(', ')}`,
      bar: 'at least one',
      ok: caught.length > 0,
    });
  },
};

async function renderRows(options: {
  folder: string;
  count: number;
  tokenizers: Record<string, string>;
  mutant: boolean;
}): Promise<Rendered[]> {
  const { folder, count, tokenizers, mutant } = options;
  const records = makeConversations({ seed: 31, count }).map((record) => ({ ...record, split: 'train' }));
  await mkdir(folder);
  await writeHandoff({ trainer: 'trl', directory: folder, records });
  await writePieces(join(folder, 'records.jsonl'), writeJsonl(records));
  const task = {
    parquet: join(folder, 'data/train.parquet'),
    records: join(folder, 'records.jsonl'),
    handoff: folder,
    tokenizers,
    mutant,
  };
  const lines = await runRenderer({
    python: findDatasetsPython(),
    script,
    input: JSON.stringify(task),
    timeoutMs: TIMEOUT_MS,
  });
  return lines.map((line) => JSON.parse(line) as Rendered);
}
