import type { ConversationRecord, DataRecord, OfferedTool, ChatMessage } from '@lachesis/protocol';
import { formatPythonJson } from '@lachesis/sdk/render';
import { type Loss, type LossCounter, createLossCounter } from '../../records/loss.ts';
import { isJsonObject, parsePythonJson } from '../../records/python/parse-python-json.ts';
import { countPreferenceLosses } from '../count-preference-losses.ts';
import { countRecordLosses } from '../count-record-losses.ts';

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
  readonly losses?: LossCounter;
}

/** Rows for TRL's trainers. Ends with what was dropped. */
export async function* writeTrl(
  records: AsyncIterable<DataRecord> | Iterable<DataRecord>,
  options: WriteTrlOptions = {},
): AsyncGenerator<string, Loss[]> {
  const { losses = createLossCounter() } = options;
  for await (const record of records) {
    const row = toTrlRow(record, { ...options, losses });
    if (row !== undefined) yield `${formatPythonJson(row)}\n`;
  }
  return losses.list();
}

function toTrlRow(
  record: DataRecord,
  {
    shape = 'conversational',
    arguments: form = 'object',
    tools: toolsForm = 'list',
    goodFrom = 0.5,
    losses,
  }: WriteTrlOptions & { losses: LossCounter },
): Record<string, unknown> | undefined {
  const convert = (messages: readonly ChatMessage[]): unknown[] =>
    messages.map((message) => (form === 'object' ? withObjects(message, losses) : message));
  const tools = formatTools(record.tools, toolsForm, losses);
  if (record.kind === 'preference') {
    countPreferenceLosses(record, losses);
    return {
      prompt: convert(record.prompt),
      chosen: convert(record.chosen),
      rejected: convert(record.rejected),
      ...tools,
    };
  }
  if (shape === 'conversational') {
    countRecordLosses(record, ['messages', 'tools'], losses);
    return { messages: convert(record.messages), ...tools };
  }
  const cut = record.messages.findLastIndex(({ role }) => role === 'assistant');
  if (cut < 1) {
    losses.add('conversation', 'there is no reply to a prompt in it');
    return undefined;
  }
  if (cut < record.messages.length - 1)
    losses.add('messages', 'what follows the last reply is left out', record.messages.length - 1 - cut);
  const row = {
    prompt: convert(record.messages.slice(0, cut)),
    completion: convert(record.messages.slice(cut, cut + 1)),
    ...tools,
  };
  if (shape === 'prompt-completion') {
    countRecordLosses(record, ['messages', 'tools'], losses);
    return row;
  }
  const value = scoreOf(record);
  if (value === null) {
    losses.add('conversation', 'it has neither a rating nor a reward, so nothing says whether it is good');
    return undefined;
  }
  countRecordLosses(record, ['messages', 'tools'], losses);
  return { ...row, label: value >= goodFrom };
}

const scoreOf = ({ rating, reward }: ConversationRecord): number | null => rating ?? reward;

function formatTools(
  tools: readonly OfferedTool[] | null,
  form: 'list' | 'text',
  losses: LossCounter,
): { tools?: unknown } {
  if (tools === null) return {};
  if (tools.length === 0) {
    losses.add('tools', 'an empty list is not told from none');
    return {};
  }
  return { tools: form === 'list' ? tools : JSON.stringify(tools) };
}

/** Chat templates print the arguments; a text would be printed as a text in quotes. */
function withObjects(message: ChatMessage, losses: LossCounter): unknown {
  if (message.tool_calls === undefined || message.tool_calls === null) return message;
  const calls = message.tool_calls.map((call) => ({
    ...call,
    function: { ...call.function, arguments: readArguments(call.function.arguments, losses) },
  }));
  return { ...message, tool_calls: calls };
}

function readArguments(text: string, losses: LossCounter): unknown {
  try {
    const value = parsePythonJson(text);
    if (isJsonObject(value)) {
      if (formatPythonJson(value) !== text)
        losses.add('messages.tool_calls.arguments', 'the JSON is kept and its spacing is not');
      return value;
    }
  } catch {
    // The text stays below.
  }
  // A column of objects cannot hold a text, and the next reader would refuse the whole file.
  losses.add('messages.tool_calls.arguments', 'arguments that are no JSON object become {}');
  return {};
}
