import type { OfferedTool } from '@lachesis/protocol';
import { formatPythonJson } from '@lachesis/sdk/render';
import type { DropReport } from '../../records/drop-report.ts';
import { entriesOf, isJsonObject, memberOf, parsePythonJson } from '../../records/python/parse-python-json.ts';

export interface PreambleInput {
  /** The system prompt that the model saw; null when there was none. */
  readonly system: string | null;
  /** The tools as a JSON array in one line, as Hermes writes it; `[]` for none. */
  readonly tools: string;
}

/** Writes element 0. Null leaves it out. */
export type Preamble = (input: PreambleInput) => string | null;

const BEFORE = 'The tools below can be used, one JSON object for each.\n<tools>\n';
const AFTER =
  '\n</tools>\nWrite a call as JSON with the name and the arguments, between <tool_call> and </tool_call>. What the tool gives back stands between <tool_response> and </tool_response>.';

/** The system prompt, and below it the tools and how to call them. */
export const defaultPreamble: Preamble = ({ system, tools }) =>
  system === null ? BEFORE + tools + AFTER : `${system}\n\n${BEFORE}${tools}${AFTER}`;

/** What the default preamble was made from; undefined for any other text. */
export function readDefaultPreamble(text: string): PreambleInput | undefined {
  if (!text.endsWith(AFTER)) return undefined;
  const at = text.lastIndexOf(BEFORE);
  if (at < 0) return undefined;
  const before = text.slice(0, at);
  if (before !== '' && !before.endsWith('\n\n')) return undefined;
  return {
    system: before === '' ? null : before.slice(0, -2),
    tools: text.slice(at + BEFORE.length, text.length - AFTER.length),
  };
}

const HAS_TOOLS = /<tools>\n(?<tools>\[.*\])\n<\/tools>/;

/** The tools in anybody's preamble, in the shape of Hermes; undefined where there are none to find. */
export const findToolsText = (text: string): string | undefined => HAS_TOOLS.exec(text)?.groups?.['tools'];

/** Each tool as Hermes lists it; `required` is always null there. */
export function formatTools(tools: readonly OfferedTool[] | null, drops?: DropReport): string {
  if (tools === null) return '[]';
  const listed: unknown[] = [];
  for (const tool of tools) {
    const { function: definition } = tool;
    if (definition === undefined) {
      drops?.add('tools', 'a tool that is not a function has no place in the list');
      continue;
    }
    const { name, description, parameters, ...others } = definition;
    if (Object.keys(others).length > 0 || tool.type !== 'function' || Object.keys(tool).length > 2)
      drops?.add('tools', 'of a tool the name, description and parameters are kept');
    if (description === null || parameters === null) drops?.add('tools', 'null is written as empty');
    listed.push({ name, description: description ?? '', parameters: parameters ?? {}, required: null });
  }
  if (tools.length === 0) drops?.add('tools', 'an empty list is not told from none');
  return formatPythonJson(listed);
}

/** Back from the list of a preamble. Undefined when it is not one. */
export function parseTools(text: string): OfferedTool[] | null | undefined {
  let list;
  try {
    list = parsePythonJson(text);
  } catch {
    // A preamble of another program may hold anything between these tags.
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  const tools: OfferedTool[] = [];
  for (const tool of list) {
    const name = memberOf(tool, 'name');
    if (typeof name !== 'string' || !isJsonObject(tool)) return undefined;
    const definition: Record<string, unknown> = { name };
    for (const [key, value] of entriesOf(tool)) {
      if (key !== 'name' && !(key === 'required' && value === null)) definition[key] = toPlain(value);
    }
    tools.push({ type: 'function', function: definition as NonNullable<OfferedTool['function']> });
  }
  return tools.length === 0 ? null : tools;
}

/** Schemas are kept as plain JSON, in which `1.0` is 1. */
const toPlain = (value: unknown): unknown => JSON.parse(formatPythonJson(value)) as unknown;
