import { type BlockCall, createBlockCallParser } from './block-calls.ts';
import { skipSpace } from './create-stream-parser.ts';
import type { MalformedReason, ToolCallParser } from './tool-call-event.ts';
import { type NamedValue, createTextQuestion, readNamedValues } from './value-reader.ts';

const FUNCTION = '<function=';
const FUNCTION_END = '</function>';
const PARAMETER = '<parameter=';
const PARAMETER_END = '</parameter>';
const TAG = /<(?:function=|\/function>|parameter=|\/parameter>)/g;

/**
 * `<tool_call>`, `<function=name>`, each argument in `<parameter=name>`, and all of it closed. The models forget the opening
 * `<tool_call>` now and then, so a function that is whole is a call without it too.
 */
export function createQwen3CoderParser(options: {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
}): ToolCallParser {
  const askIsText = createTextQuestion(options.tools);

  const readBody = (body: string): readonly BlockCall[] | MalformedReason => {
    const calls: BlockCall[] = [];
    let at = skipSpace(body, 0);
    do {
      if (!body.startsWith(FUNCTION, at)) return classifyRest(body, at);
      const name = readHead(body, at + FUNCTION.length);
      if (name === undefined) return 'bad-marker';
      if (name.text === '') return 'missing-name';
      const values = readValues(body, name.end);
      if (typeof values === 'string') return values;
      calls.push({
        name: name.text,
        ...readNamedValues(values.list, askIsText(name.text)),
        id: undefined,
        end: values.end,
      });
      at = skipSpace(body, values.end);
    } while (at < body.length);
    return calls;
  };
  return createBlockCallParser({
    open: '<tool_call>',
    close: '</tool_call>',
    bare: { open: FUNCTION, close: FUNCTION_END },
    readBody,
  });
}

/** The name in the tag, up to its `>`. */
function readHead(body: string, from: number): { text: string; end: number } | undefined {
  const end = body.indexOf('>', from);
  const text = body.slice(from, end).trim();
  return end < 0 || /[<\n]/.test(text) ? undefined : { text, end: end + 1 };
}

/** Inside a value no other tag may stand: then it would not be known which of them the model forgot. */
function readValues(
  body: string,
  from: number,
): { readonly list: readonly NamedValue[]; readonly end: number } | MalformedReason {
  const list: NamedValue[] = [];
  let at = skipSpace(body, from);
  while (body.startsWith(PARAMETER, at)) {
    const key = readHead(body, at + PARAMETER.length);
    if (key === undefined || key.text === '') return 'bad-marker';
    const end = findTag(body, key.end);
    if (end === null || !body.startsWith(PARAMETER_END, end.index)) return 'bad-marker';
    list.push({ key: key.text, text: unwrapLines(body.slice(key.end, end.index)) });
    at = skipSpace(body, end.index + PARAMETER_END.length);
  }
  return body.startsWith(FUNCTION_END, at) ? { list, end: at + FUNCTION_END.length } : classifyRest(body, at);
}

/** The template puts a value on lines of its own, so one line end at either side is the format's. */
function unwrapLines(text: string): string {
  const from = text.startsWith('\n') ? 1 : 0;
  return text.slice(from, text.length > from && text.endsWith('\n') ? -1 : undefined);
}

function findTag(body: string, from: number): RegExpExecArray | null {
  TAG.lastIndex = from;
  return TAG.exec(body);
}

function classifyRest(body: string, at: number): MalformedReason {
  return at >= body.length || findTag(body, at) !== null ? 'bad-marker' : 'trailing-text';
}
