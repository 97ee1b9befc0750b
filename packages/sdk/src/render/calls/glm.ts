import { type BlockCall, createBlockCallParser } from './block-calls.ts';
import { skipSpace } from './create-stream-parser.ts';
import type { MalformedReason, ToolCallParser } from './tool-call-event.ts';
import { type NamedValue, createTextQuestion, readNamedValues } from './value-reader.ts';

const KEY = '<arg_key>';
const KEY_END = '</arg_key>';
const VALUE = '<arg_value>';
const VALUE_END = '</arg_value>';
const TAG = /<\/?arg_(?:key|value)>/g;
const NAME = /^[^\s<>{}"]+$/;

export interface GlmOptions {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  /** Whether the line ends behind the name, as the template of 4.5 and 4.6 has it and that of 4.7 has not. */
  readonly hasNameLine: boolean;
}

/** `<tool_call>name`, then pairs of `<arg_key>` and `<arg_value>`, then `</tool_call>`. Values are text or JSON, by their type. */
export function createGlmParser({ tools, hasNameLine }: GlmOptions): ToolCallParser {
  const askIsText = createTextQuestion(tools);

  const readBody = (body: string): readonly BlockCall[] | MalformedReason => {
    const nameEnd = hasNameLine ? body.indexOf('\n') : (findTag(body, 0)?.index ?? body.length);
    if (body.trim() === '') return 'missing-name';
    if (nameEnd < 0) return 'bad-marker';
    const name = body.slice(0, nameEnd).trim();
    if (name === '') return 'missing-name';
    if (!NAME.test(name)) return 'bad-marker';
    const values = readPairs(body, nameEnd);
    if (typeof values === 'string') return values;
    return [{ name, ...readNamedValues(values, askIsText(name)), id: undefined, end: body.length }];
  };
  return createBlockCallParser({ open: '<tool_call>', close: '</tool_call>', readBody });
}

function findTag(body: string, from: number): RegExpExecArray | null {
  TAG.lastIndex = from;
  return TAG.exec(body);
}

/** Between a tag and its end no other tag may stand: then it would not be known which of them the model forgot. */
function readPairs(body: string, from: number): readonly NamedValue[] | MalformedReason {
  const values: NamedValue[] = [];
  for (let at = skipSpace(body, from); at < body.length; at = skipSpace(body, at)) {
    if (!body.startsWith(KEY, at)) return findTag(body, at) === null ? 'trailing-text' : 'bad-marker';
    const keyEnd = findTag(body, at + KEY.length);
    if (keyEnd?.[0] !== KEY_END) return 'bad-marker';
    const key = body.slice(at + KEY.length, keyEnd.index).trim();
    const valueAt = skipSpace(body, keyEnd.index + KEY_END.length);
    if (key === '' || !body.startsWith(VALUE, valueAt)) return 'bad-marker';
    const valueEnd = findTag(body, valueAt + VALUE.length);
    if (valueEnd?.[0] !== VALUE_END) return 'bad-marker';
    values.push({ key, text: body.slice(valueAt + VALUE.length, valueEnd.index) });
    at = valueEnd.index + VALUE_END.length;
  }
  return values;
}
