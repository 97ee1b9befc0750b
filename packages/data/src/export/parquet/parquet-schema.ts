import type { ConversationRecord } from '@lachesis/protocol';
import type { SchemaElement } from 'hyparquet';
import { countTools } from '../sharegpt/count-tools.ts';
import { toShareGpt } from '../sharegpt/to-sharegpt.ts';

/** What a message may say in its struct, in the order of the columns. `role` and `content` are always there. */
export const MESSAGE_FIELDS = Object.freeze(['reasoning_content', 'tool_calls', 'tool_call_id', 'name'] as const);

export type MessageField = (typeof MESSAGE_FIELDS)[number];

type Repetition = 'REQUIRED' | 'OPTIONAL';

const text = (name: string, repetition: Repetition = 'REQUIRED'): SchemaElement => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: repetition,
});
const number = (name: string, repetition: Repetition): SchemaElement => ({
  name,
  type: 'DOUBLE',
  repetition_type: repetition,
});
const flag = (name: string): SchemaElement => ({ name, type: 'BOOLEAN', repetition_type: 'REQUIRED' });
const integer = (name: string): SchemaElement => ({ name, type: 'INT32', repetition_type: 'REQUIRED' });

/** A list in the three levels that Arrow, DuckDB and Spark write and read. */
function list(name: string, repetition: Repetition, element: readonly SchemaElement[]): SchemaElement[] {
  return [
    { name, repetition_type: repetition, num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...element,
  ];
}

// Arguments stay the text the model wrote: as a struct, every call would get the arguments of every tool, most of them null.
const toolCalls = list('tool_calls', 'OPTIONAL', [
  { name: 'element', repetition_type: 'REQUIRED', num_children: 3 },
  text('id', 'OPTIONAL'),
  text('type', 'OPTIONAL'),
  { name: 'function', repetition_type: 'REQUIRED', num_children: 2 },
  text('name'),
  text('arguments'),
]);

function messages(name: string, fields: readonly MessageField[]): SchemaElement[] {
  return list(name, 'REQUIRED', [
    { name: 'element', repetition_type: 'REQUIRED', num_children: 2 + fields.length },
    text('role'),
    text('content', 'OPTIONAL'),
    ...fields.flatMap((field) => (field === 'tool_calls' ? toolCalls : [text(field, 'OPTIONAL')])),
  ]);
}

const shared = [
  text('tools', 'OPTIONAL'),
  ...list('tags', 'REQUIRED', [text('element')]),
  text('split'),
  number('weight', 'REQUIRED'),
  text('consent'),
  text('trajectory_id', 'OPTIONAL'),
  text('extra'),
  // The messages once more, as JSON, in the rows whose messages the structs cannot say.
  text('exact', 'OPTIONAL'),
];

const SHARED_COLUMNS = ['tools', 'tags', 'split', 'weight', 'consent', 'trajectory_id', 'extra', 'exact'];

/** A column that a writer has besides those of every file. */
export interface FurtherColumn {
  readonly name: string;
  readonly schema: readonly SchemaElement[];
  readonly read: (record: ConversationRecord) => unknown;
}

/** The columns that readers of Hermes' rows look for: the conversation in its form, and how the tools went, as JSON text. */
export const HERMES_COLUMNS: readonly FurtherColumn[] = [
  {
    name: 'conversations',
    schema: list('conversations', 'REQUIRED', [
      { name: 'element', repetition_type: 'REQUIRED', num_children: 2 },
      text('from'),
      text('value'),
    ]),
    read: (record) =>
      toShareGpt(record).map(({ from, value }) => ({
        from,
        value: typeof value === 'string' ? value : JSON.stringify(value),
      })),
  },
  {
    name: 'tool_stats',
    schema: [text('tool_stats')],
    read: (record) => JSON.stringify(Object.fromEntries(countTools(record))),
  },
];

export interface ParquetLayout {
  readonly columns: readonly string[];
  readonly schema: SchemaElement[];
}

/** The columns of a file of conversations. */
export function conversationLayout(
  fields: readonly MessageField[],
  further: readonly FurtherColumn[] = [],
): ParquetLayout {
  const columns = [
    ...['id', 'messages', 'model', 'timestamp', 'completed', 'partial', 'reward', 'rating'],
    ...['token_ids', 'mask', 'logprobs', ...SHARED_COLUMNS, ...further.map(({ name }) => name)],
  ];
  return {
    columns,
    schema: [
      { name: 'root', num_children: columns.length },
      text('id'),
      ...messages('messages', fields),
      text('model', 'OPTIONAL'),
      text('timestamp', 'OPTIONAL'),
      flag('completed'),
      flag('partial'),
      number('reward', 'OPTIONAL'),
      number('rating', 'OPTIONAL'),
      ...list('token_ids', 'OPTIONAL', [integer('element')]),
      ...list('mask', 'OPTIONAL', [integer('element')]),
      ...list('logprobs', 'OPTIONAL', [number('element', 'REQUIRED')]),
      ...shared,
      ...further.flatMap(({ schema }) => schema),
    ],
  };
}

/** The columns of a file of preferences. */
export function preferenceLayout(fields: readonly MessageField[]): ParquetLayout {
  const columns = ['id', 'prompt', 'chosen', 'rejected', 'feedback_ids', ...SHARED_COLUMNS];
  return {
    columns,
    schema: [
      { name: 'root', num_children: columns.length },
      text('id'),
      ...messages('prompt', fields),
      ...messages('chosen', fields),
      ...messages('rejected', fields),
      ...list('feedback_ids', 'REQUIRED', [text('element')]),
      ...shared,
    ],
  };
}
