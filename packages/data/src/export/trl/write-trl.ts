import type { ConversationRecord, DataRecord, OfferedTool, ChatMessage } from '@lachesis/protocol';
import { formatPythonJson } from '@lachesis/sdk/render';
import { type DroppedField, type DropReport, createDropReport } from '../../records/drop-report.ts';
import { isJsonObject, parsePythonJson } from '../../records/python/parse-python-json.ts';
import { countPreferenceDrops } from '../count-preference-drops.ts';
import { countRecordDrops } from '../count-record-drops.ts';

export interface WriteTrlOptions {
  /**
   * `conversational`: `messages`. `prompt-completion`: the last reply apart from what came before it. `unpaired`: the same with a
   * `label`, from the rating or the reward. Pairs are always `prompt`, `chosen`, `rejected`.
   */
  readonly shape?: 'conversational' | 'prompt-completion' | 'unpaired';
  /** `object`, as chat templates want them (the default), or the `text` that the model wrote. */
  readonly arguments?: 'object' | 'text';
  /** `list` (the default), or the JSON `text` of it, in which Arrow cannot invent nulls. */
  readonly tools?: 'list' | 'text';
  /** A rating or reward from which on a reply is good, in the `unpaired` shape. */
  readonly goodFrom?: number;
  readonly drops?: DropReport;
}

/** Writes rows as the trainers of TRL read them. Ends with what was dropped. */
export async function* writeTrl(
  records: AsyncIterable<DataRecord> | Iterable<DataRecord>,
  options: WriteTrlOptions = {},
): AsyncGenerator<string, DroppedField[]> {
  const { drops = createDropReport() } = options;
  for await (const record of records) {
    const row = toTrlRow(record, { ...options, drops });
    if (row !== undefined) yield `${formatPythonJson(row)}\n`;
  }
  return drops.list();
}

function toTrlRow(
  record: DataRecord,
  {
    shape = 'conversational',
    arguments: form = 'object',
    tools: toolsForm = 'list',
    goodFrom = 0.5,
    drops,
  }: WriteTrlOptions & { drops: DropReport },
): Record<string, unknown> | undefined {
  const convert = (messages: readonly ChatMessage[]): unknown[] =>
    messages.map((message) => (form === 'object' ? withObjects(message, drops) : message));
  const tools = formatTools(record.tools, toolsForm, drops);
  if (record.kind === 'preference') {
    countPreferenceDrops(record, drops);
    return {
      prompt: convert(record.prompt),
      chosen: convert(record.chosen),
      rejected: convert(record.rejected),
      ...tools,
    };
  }
  if (shape === 'conversational') {
    countRecordDrops(record, ['messages', 'tools'], drops);
    return { messages: convert(record.messages), ...tools };
  }
  const cut = record.messages.findLastIndex(({ role }) => role === 'assistant');
  if (cut < 1) {
    drops.add('conversation', 'there is no reply to a prompt in it');
    return undefined;
  }
  if (cut < record.messages.length - 1)
    drops.add('messages', 'what follows the last reply is left out', record.messages.length - 1 - cut);
  const row = {
    prompt: convert(record.messages.slice(0, cut)),
    completion: convert(record.messages.slice(cut, cut + 1)),
    ...tools,
  };
  if (shape === 'prompt-completion') {
    countRecordDrops(record, ['messages', 'tools'], drops);
    return row;
  }
  const value = scoreOf(record);
  if (value === null) {
    drops.add('conversation', 'it has neither a rating nor a reward, so nothing says whether it is good');
    return undefined;
  }
  countRecordDrops(record, ['messages', 'tools'], drops);
  return { ...row, label: value >= goodFrom };
}

const scoreOf = ({ rating, reward }: ConversationRecord): number | null => rating ?? reward;

function formatTools(
  tools: readonly OfferedTool[] | null,
  form: 'list' | 'text',
  drops: DropReport,
): { tools?: unknown } {
  if (tools === null) return {};
  if (tools.length === 0) {
    drops.add('tools', 'an empty list is not told from none');
    return {};
  }
  return { tools: form === 'list' ? tools : JSON.stringify(tools) };
}

/** Chat templates print the arguments; a text would be printed as a text in quotes. */
function withObjects(message: ChatMessage, drops: DropReport): unknown {
  if (message.tool_calls === undefined || message.tool_calls === null) return message;
  const calls = message.tool_calls.map((call) => ({
    ...call,
    function: { ...call.function, arguments: readArguments(call.function.arguments, drops) },
  }));
  return { ...message, tool_calls: calls };
}

function readArguments(text: string, drops: DropReport): unknown {
  try {
    const value = parsePythonJson(text);
    if (isJsonObject(value)) {
      if (formatPythonJson(value) !== text)
        drops.add('messages.tool_calls.arguments', 'the JSON is kept and its spacing is not');
      return value;
    }
  } catch {
    // The text stays below.
  }
  // A column of objects cannot hold a text, and the next reader would refuse the whole file.
  drops.add('messages.tool_calls.arguments', 'arguments that are no JSON object become {}');
  return {};
}
