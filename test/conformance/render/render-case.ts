import {
  RenderError,
  type TemplateMessage,
  type Tokenizer,
  type Tool,
  parseJson,
  renderMessages,
} from '@lachesis/sdk/render';

/** The moment at which the clock of render_goldens.py stands, in the time zone of whoever asks. */
export const STANDING_CLOCK = (): number => new Date(2026, 2, 5, 14, 7, 9).getTime();

interface Line {
  readonly messages: readonly TemplateMessage[];
  readonly tools: readonly Tool[] | null;
  readonly add_generation_prompt: boolean;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Our ids for a line that Python reads too; undefined when we refuse. */
export async function renderCase(tokenizer: Tokenizer, json: string): Promise<Int32Array | undefined> {
  const line = parseJson(json) as unknown as Line;
  try {
    const { tokens } = await renderMessages({
      tokenizer,
      messages: line.messages,
      tools: line.tools ?? undefined,
      addGenerationPrompt: line.add_generation_prompt,
      options: { variables: line.variables, toolArguments: 'as-given', now: STANDING_CLOCK },
    });
    return tokens;
  } catch (error) {
    if (RenderError.isInstance(error)) return undefined;
    throw error;
  }
}
