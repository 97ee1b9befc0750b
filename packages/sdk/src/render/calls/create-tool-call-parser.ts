import { createDeepseekV3Parser } from './deepseek-v3.ts';
import { createHermesParser } from './hermes.ts';
import { createLlama3JsonParser } from './llama3-json.ts';
import { createMistralParser } from './mistral.ts';
import { createQwenParser } from './qwen.ts';
import type { ToolCallEvent, ToolCallFormat, ToolCallParser } from './tool-call-event.ts';

const PARSERS: Readonly<Record<ToolCallFormat, () => ToolCallParser>> = {
  hermes: createHermesParser,
  qwen: createQwenParser,
  llama3_json: createLlama3JsonParser,
  mistral: createMistralParser,
  deepseek_v3: createDeepseekV3Parser,
};

/** A parser for one reply; make a new one for the next. */
export function createToolCallParser(options: { format: ToolCallFormat }): ToolCallParser {
  return PARSERS[options.format]();
}

/** Reads a whole reply at once; neighbouring texts come as one. */
export function parseToolCalls(options: { format: ToolCallFormat; text: string }): ToolCallEvent[] {
  const parser = createToolCallParser(options);
  return joinTexts([...parser.push(options.text), ...parser.end()]);
}

/** The same events whatever the pieces were. */
export function joinTexts(events: readonly ToolCallEvent[]): ToolCallEvent[] {
  const joined: ToolCallEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === 'text-delta' && last?.type === 'text-delta') {
      joined[joined.length - 1] = { type: 'text-delta', text: last.text + event.text };
    } else {
      joined.push(event);
    }
  }
  return joined;
}
