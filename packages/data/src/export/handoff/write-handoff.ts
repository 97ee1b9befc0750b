import type { DataRecord, ChatMessage } from '@lachesis/protocol';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDropReport, type DroppedField, type DropReport } from '../../records/drop-report.ts';
import { writePieces } from '../write-pieces.ts';
import { findMessageFields, isSaidByStruct } from '../parquet/message-struct.ts';
import { readMessages, writeParquet } from '../parquet/write-parquet.ts';
import { planAxolotl } from './plan-axolotl.ts';
import { planTrl } from './plan-trl.ts';
import { planUnsloth } from './plan-unsloth.ts';
import { HANDOFF_DEFAULTS, type HandoffInput, type HandoffPlan, type HandoffRecipe } from './recipe.ts';

/** The trainers for which a data set can be written with a ready configuration. */
export const HANDOFF_TRAINERS = Object.freeze(['axolotl', 'trl', 'unsloth'] as const);

export type HandoffTrainer = (typeof HANDOFF_TRAINERS)[number];

const PLANS: Readonly<Record<HandoffTrainer, (input: HandoffInput) => HandoffPlan>> = {
  axolotl: planAxolotl,
  trl: planTrl,
  unsloth: planUnsloth,
};

export interface WriteHandoffOptions {
  trainer: HandoffTrainer;
  directory: string;
  records: Iterable<DataRecord> | AsyncIterable<DataRecord>;
  recipe?: Partial<HandoffRecipe>;
  drops?: DropReport;
}

export interface Handoff {
  files: string[];
  commands: string[];
  splits: Record<string, number>;
  dropped: DroppedField[];
}

/** A folder with the rows, the config or script of a trainer, and the words to type. Rows are held in memory. */
export async function writeHandoff(options: WriteHandoffOptions): Promise<Handoff> {
  const { trainer, directory, drops = createDropReport() } = options;
  const bySplit = new Map<string, DataRecord[]>();
  for await (const record of options.records) {
    if (!isTakenBy(trainer, record, drops)) continue;
    // A trainer knows two splits; what is for choosing or measuring is not trained on.
    const split = record.split === 'train' ? 'train' : 'test';
    const row = trainer === 'axolotl' ? withTexts(record) : record;
    const rows = bySplit.get(split);
    if (rows === undefined) bySplit.set(split, [row]);
    else rows.push(row);
  }
  const train = bySplit.get('train');
  if (train === undefined) {
    throw new Error(
      'no row is in the split "train", so there is nothing to train on; look at what the export left out.',
    );
  }
  const messageFields = findMessageFields(readMessages([...bySplit.values()].flat()));
  await mkdir(join(directory, 'data'), { recursive: true });
  const files: string[] = [];
  for (const [split, rows] of bySplit) {
    const file = `data/${split}.parquet`;
    await writePieces(join(directory, file), writeParquet(rows, { messageFields }));
    files.push(file);
  }
  const splits = Object.fromEntries([...bySplit].map(([split, rows]) => [split, rows.length]));
  const recipe = { ...HANDOFF_DEFAULTS, ...options.recipe };
  const plan = PLANS[trainer]({ recipe, kind: train[0]?.kind ?? 'conversation', splits });
  for (const { path, text } of plan.files) {
    await writeFile(join(directory, path), text);
    files.push(path);
  }
  await writeFile(join(directory, 'README.md'), describe(trainer, plan, splits));
  return { files: [...files, 'README.md'], commands: plan.commands, splits, dropped: drops.list() };
}

/** Axolotl leaves a content of null out, and templates fall over a message without one. An empty text says the same. */
function withTexts(record: DataRecord): DataRecord {
  const write = (messages: readonly ChatMessage[]): ChatMessage[] =>
    messages.map((message) => ({ ...message, content: message.content ?? '' }));
  if (record.kind === 'conversation') return { ...record, messages: write(record.messages) };
  return { ...record, prompt: write(record.prompt), chosen: write(record.chosen), rejected: write(record.rejected) };
}

/** Counts what the trainer's own reader does not look at, and leaves out rows it falls over. */
function isTakenBy(trainer: HandoffTrainer, record: DataRecord, drops: DropReport): boolean {
  if (record.weight !== 1) drops.add('weight', 'the trainer weighs every row the same');
  if (record.kind === 'conversation' && record.tokens !== null)
    drops.add('tokens', 'the trainer writes its own tokens from the messages');
  if (trainer !== 'axolotl') return true;
  const messages = [...readMessages([record])];
  if (!messages.every(isSaidByStruct))
    drops.add(
      'messages',
      'Axolotl reads text and calls; parts such as images, and fields of a provider, are passed over',
    );
  if (record.kind === 'conversation') return true;
  if (record.tools !== null) drops.add('tools', 'Axolotl’s DPO shows the model no tools');
  const replies = [...record.chosen.slice(-1), ...record.rejected.slice(-1)];
  if (
    replies.every(({ content }) => typeof content === 'string') &&
    record.prompt.every(({ content }) => typeof content === 'string')
  )
    return true;
  drops.add('row', 'Axolotl’s DPO wants text in every message, and this pair has calls alone');
  return false;
}

function describe(
  trainer: HandoffTrainer,
  { commands }: HandoffPlan,
  splits: Readonly<Record<string, number>>,
): string {
  const rows = Object.entries(splits).map(([split, count]) => `${count} rows in data/${split}.parquet`);
  return `# Hand-off to ${trainer}\n\n${rows.join(', ')}. In this folder, on a machine with a GPU:\n\n\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`;
}
