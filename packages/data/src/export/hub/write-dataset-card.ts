import type { DataRecord } from '@lachesis/protocol';

/** Bounds of the hub's filter for sizes, by their names there. */
const SIZES: readonly [number, string][] = [
  [1_000, 'n<1K'],
  [10_000, '1K<n<10K'],
  [100_000, '10K<n<100K'],
  [1_000_000, '100K<n<1M'],
  [10_000_000, '1M<n<10M'],
];

export interface DatasetCardOptions {
  name: string;
  kind: DataRecord['kind'];
  /** Rows by split. */
  splits: Readonly<Record<string, number>>;
  /** The digest of the version it was made from, where there is one. */
  contentDigest?: string;
  /** What the set was made by, as the store keeps it. */
  recipe?: unknown;
  /** An identifier of the hub's list, such as `apache-2.0`. Absent: the card names none, and nobody is allowed anything. */
  license?: string;
}

/** README.md of a data set on the hub: the header that tells `load_dataset` the files, and what a reader has to know. */
export function writeDatasetCard(options: DatasetCardOptions): string {
  const { name, kind, splits, contentDigest, recipe, license } = options;
  const rows = Object.values(splits).reduce((sum, count) => sum + count, 0);
  const size = SIZES.find(([bound]) => rows < bound)?.[1] ?? 'n>10M';
  const header = [
    '---',
    ...(license === undefined ? [] : [`license: ${license}`]),
    `pretty_name: ${JSON.stringify(name)}`,
    'tags:',
    '- lachesis',
    `- ${kind === 'conversation' ? 'conversational' : 'preference'}`,
    'size_categories:',
    `- ${size}`,
    'configs:',
    '- config_name: default',
    '  data_files:',
    ...Object.keys(splits).flatMap((split) => [`  - split: ${split}`, `    path: data/${split}-*.parquet`]),
    '---',
  ];
  const columns = kind === 'conversation' ? '`messages`' : '`prompt`, `chosen`, `rejected`';
  const table = Object.entries(splits).map(([split, count]) => `| ${split} | ${count} |`);
  const body = [
    `# ${name}`,
    '',
    `${rows} rows of the kind ${kind}, recorded and exported by Lachesis.`,
    '',
    '| split | rows |',
    '|---|---|',
    ...table,
    '',
    '```python',
    'import json',
    'from datasets import load_dataset',
    '',
    'def read(row):',
    '    """The row as it was recorded: a field that is None was never there."""',
    '    exact = json.loads(row["exact"]) if row["exact"] else {}',
    '    def plain(message):',
    '        return {k: v for k, v in message.items() if v is not None or k == "content"}',
    '    for column in ("messages", "prompt", "chosen", "rejected"):',
    '        if column in row:',
    '            row[column] = exact.get(column) or [plain(m) for m in row[column]]',
    '    row["tools"] = json.loads(row["tools"]) if row["tools"] else None',
    '    return row',
    '',
    `rows = [read(row) for row in load_dataset("path/to/this", split="${Object.keys(splits)[0] ?? 'train'}")]`,
    '```',
    '',
    `- ${columns}: lists of messages (\`role\`, \`content\` and, where a row of the set has them, \`reasoning_content\`, \`tool_calls\`, \`tool_call_id\`, \`name\`).`,
    '- `tool_calls[].function.arguments`, `tools` and `extra` are JSON text.',
    '- `exact` holds the messages as JSON in rows whose messages have more than these fields; elsewhere it is null.',
    ...(contentDigest === undefined ? [] : ['', `Content digest: \`${contentDigest}\`.`]),
    ...(recipe === undefined ? [] : ['', 'Made by:', '', '```json', JSON.stringify(recipe, null, 2), '```']),
    '',
  ];
  return [...header, '', ...body].join('\n');
}
