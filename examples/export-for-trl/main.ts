/** From somebody's conversations to rows for a trainer: read, check what cannot be trained on, write. */
import { checkRecords, readShareGpt, writePieces, writeTrl } from '@lachesis/data';
import type { ConversationRecord } from '@lachesis/protocol';

/** Two lines of a ShareGPT file; give `readShareGpt` a stream of your own. */
const file = [
  {
    conversations: [
      { from: 'human', value: 'Add 20 and 22.' },
      { from: 'gpt', value: '42' },
    ],
  },
  {
    conversations: [
      { from: 'human', value: 'Who measures the thread?' },
      { from: 'gpt', value: '' },
    ],
  },
];
const text = file.map((row) => `${JSON.stringify(row)}\n`).join('');

const records: ConversationRecord[] = [];
for await (const result of readShareGpt(text)) {
  if ('problem' in result) console.log(`left out, ${result.problem.at}: ${result.problem.reason}`);
  else records.push(result.record);
}

const report = await checkRecords(records);
console.log(`${report.trainable_count} of ${report.row_count} rows can be trained on`);
for (const { what, fix, rows } of report.findings) {
  console.log(`  row ${rows.map(({ row }) => row).join(', ')}: ${what} ${fix}`);
}

const faulty = new Set(
  report.findings.filter(({ severity }) => severity === 'error').flatMap(({ rows }) => rows.map(({ row }) => row)),
);
const output = process.env['OUTPUT'] ?? 'train.jsonl';
await writePieces(
  output,
  writeTrl(
    records.filter((_, row) => !faulty.has(row)),
    { shape: 'prompt-completion' },
  ),
);
console.log(`wrote ${records.length - faulty.size} rows to ${output}`);
