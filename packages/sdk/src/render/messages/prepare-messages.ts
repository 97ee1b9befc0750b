import { isRecord } from '@lachesis/protocol';
import { RenderError } from '../errors/render-error.ts';
import type { Family } from '../families/detect-family.ts';
import { parseJson } from '../python/parse-json.ts';
import { formatTemplateJson } from '../python/python-text.ts';
import { toTemplateValue } from '../template/to-template-value.ts';
import { NO_MARK } from '../template/text-mark.ts';
import type { TemplateMessage, RenderOptions } from './message.ts';

/** The names under which reasoning is passed around; templates read the first, those of gpt-oss the second. */
const REASONING_FIELDS = ['reasoning_content', 'thinking', 'reasoning'] as const;

/** What transformers does to a message before the template sees it, and what the family's template needs besides. */
export function prepareMessage(
  message: TemplateMessage,
  place: string,
  family: Family,
  options: RenderOptions,
): unknown {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw new RenderError({ kind: 'bad-input', reason: `${place} is not an object.` });
  }
  const reasoning = REASONING_FIELDS.map((field) => message[field]).find(
    (value) => value !== undefined && value !== null,
  );
  const aliased = reasoning === undefined ? message : { thinking: reasoning, ...message, reasoning_content: reasoning };
  const { tool_calls: calls } = aliased;
  if (!Array.isArray(calls) || options.toolArguments === 'as-given') return aliased;
  const content = calls.length === 0 ? {} : contentBesideCalls(aliased, family);
  if (family.toolArguments === 'either') return { ...aliased, ...content };
  return {
    ...aliased,
    ...content,
    tool_calls: calls.map((call: unknown, index) => prepareCall(call, `${place}.tool_calls[${index}]`, family)),
  };
}

/**
 * The chat APIs have null beside calls, and clients send an empty text as well. A template that looks for thinking in the content
 * fails on null; that of DeepSeek prints a call only where the content is null.
 */
function contentBesideCalls({ content }: TemplateMessage, family: Family): { content?: string | null } {
  if (content !== undefined && content !== null && content !== '') return {};
  return { content: family.name === 'deepseek' ? null : '' };
}

function prepareCall(call: unknown, place: string, family: Family): unknown {
  if (!isRecord(call)) return call;
  if (isRecord(call['function'])) {
    return { ...call, function: prepareArguments(call['function'], `${place}.function`, family) };
  }
  return prepareArguments(call, place, family);
}

function prepareArguments(call: Readonly<Record<string, unknown>>, place: string, family: Family): unknown {
  const { arguments: args } = call;
  if (typeof args === 'string' && family.toolArguments === 'object') {
    return { ...call, arguments: readArguments(args, `${place}.arguments`) };
  }
  if (family.toolArguments === 'text' && typeof args === 'object' && args !== null) {
    const value = toTemplateValue(args, (text) => text, `${place}.arguments`);
    return { ...call, arguments: formatTemplateJson(value, {}, NO_MARK) };
  }
  return call;
}

function readArguments(text: string, place: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new RenderError({
      kind: 'bad-input',
      reason: `${place} is text that is not JSON, and the template of this family prints an object.`,
      hint: 'Hand in the object, leave the call in the content, or ask for toolArguments: "as-given".',
      cause,
    });
  }
}
