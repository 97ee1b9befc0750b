import type { ConversationRecord } from '@lachesis/protocol';
import { writePieces, writeParquet } from '@lachesis/data';
import { join } from 'node:path';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { type Export, toReadRow, writeExports } from '../exports.ts';
import { countDifferences, loadExports } from '../load-exports.ts';
import { makeConversations, makePreferences } from '../make-records.ts';

const CONVERSATIONS = 2_000;
const FULL_CONVERSATIONS = 20_000;
const PAIRS = 500;
const MUTANT_ROWS = 200;

/** Decimals that `datasets` 5.2 keeps of a number in a line of JSON once the file has fields of several types. */
const JSON_DECIMALS = 10;

export const loadScenario: Scenario = {
  name: 'load',
  title: 'every export, loaded by Hugging Face datasets, has the rows that were exported',
  async run(context) {
    const folder = await context.scratch();
    const count = context.full ? FULL_CONVERSATIONS : CONVERSATIONS;
    const conversations = makeConversations({ seed: 1, count, hasOddMessages: true, hasTokens: true });
    const pairs = makePreferences({ seed: 2, count: PAIRS });
    const conversationsInLines = conversations.map(roundLogprobs);
    const exports = await writeExports({ folder, conversations, conversationsInLines, pairs });
    const loaded = await loadExports(exports);
    let [rows, different] = [0, 0];
    for (const [index, { name, expected }] of exports.entries()) {
      const found = countDifferences(expected, loaded[index]!, (text) => context.log(`${name}: ${text}`));
      rows += expected.length;
      different += found;
      context.log(`${name}: ${expected.length} rows, ${found} differences`);
    }
    context.report({
      name: 'rows loaded by datasets',
      figure: `${different} differences in ${rows} rows of ${exports.length} exports of ${count + PAIRS} records`,
      bar: '0, ≥ 2,000 records',
      ok: different === 0 && count + PAIRS >= 2_000,
    });

    const few = conversations.slice(0, MUTANT_ROWS);
    const path = join(folder, 'few.parquet');
    await writePieces(path, writeParquet(few));
    const parquet = { ...exports.find(({ kind }) => kind === 'parquet')!, path, expected: few.map(toReadRow) };
    const floats = await writeMutant(folder, few, parquet);
    const mutants = [{ ...parquet, name: 'tool schemas as structs', kind: 'parquet-with-structs' as const }, floats];
    const caught = (await loadExports(mutants)).map((found, index) =>
      countDifferences(mutants[index]!.expected, found, (text) =>
        context.log(`${mutants[index]!.name}: ${text.slice(0, 600)}`),
      ),
    );
    context.report({
      name: 'exports with a fault',
      figure: mutants.map(({ name }, index) => `${name}: ${caught[index]} rows differ`).join(', '),
      bar: 'each caught',
      ok: caught.every((found) => found > 0),
    });
  },
};

/** An exporter that parses arguments and writes them again: `1.0` becomes `1`. */
async function writeMutant(folder: string, records: readonly ConversationRecord[], parquet: Export): Promise<Export> {
  const rewritten = records.map((record) => ({
    ...record,
    messages: record.messages.map((message) => ({
      ...message,
      ...(message.tool_calls === undefined
        ? {}
        : {
            tool_calls: message.tool_calls?.map((call) => ({
              ...call,
              function: { ...call.function, arguments: JSON.stringify(JSON.parse(call.function.arguments)) },
            })),
          }),
    })),
  }));
  const path = join(folder, 'rewritten.parquet');
  await writePieces(path, writeParquet(rewritten));
  return { ...parquet, name: 'arguments parsed and written again', path };
}

/** Parquet keeps every bit of a logprob; lines of JSON do not survive `datasets` so, which is its own doing. */
function roundLogprobs(record: ConversationRecord): ConversationRecord {
  const { tokens } = record;
  if (tokens?.logprobs === undefined || tokens.logprobs === null) return record;
  return {
    ...record,
    tokens: { ...tokens, logprobs: tokens.logprobs.map((value) => Number(value.toFixed(JSON_DECIMALS)) + 0) },
  };
}
