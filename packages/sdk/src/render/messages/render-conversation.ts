import { RenderError } from '../errors/render-error.ts';
import { type RenderedTemplate, type TextSpan, renderTemplate } from '../template/render-template.ts';
import { NO_MARK, type TextMark } from '../template/text-mark.ts';
import { toTemplateValue } from '../template/to-template-value.ts';
import type { Dict, Value } from '../template/values.ts';
import type { EncodedText, Tokenizer } from '../tokenizer/tokenizer.ts';
import {
  type ControlTokens,
  type TextPiece,
  cutAtMarks,
  findControlTokens,
  markText,
  pickMark,
} from './control-tokens.ts';
import { encodePieces } from './encode-pieces.ts';
import type { TemplateMessage, RenderOptions, Tool } from './message.ts';
import { prepareMessage } from './prepare-messages.ts';

export interface ConversationOptions {
  readonly tokenizer: Tokenizer;
  readonly messages: readonly TemplateMessage[];
  readonly tools?: readonly Tool[] | undefined;
  readonly addGenerationPrompt?: boolean | undefined;
  readonly options?: RenderOptions | undefined;
}

export interface RenderedConversation extends EncodedText {
  readonly text: string;
  /** What the template wrote while it went over each message; undefined for one it did not go over. In UTF-16 units. */
  readonly messageSpans: readonly (TextSpan | undefined)[];
  /** Undefined when the template does not mark what the model writes. */
  readonly generationSpans: readonly TextSpan[] | undefined;
}

/** Names that the template gets from the options of their own. */
const OWN_VARIABLES = new Set(['messages', 'tools', 'documents', 'add_generation_prompt']);

/** A conversation as text, cut where text of messages must not become a control token; not encoded yet. */
export interface ConversationLayout extends Pick<RenderedConversation, 'text' | 'messageSpans' | 'generationSpans'> {
  readonly pieces: readonly TextPiece[];
}

export async function renderConversation(conversation: ConversationOptions): Promise<RenderedConversation> {
  const { pieces, ...layout } = layOutConversation(conversation);
  return { ...layout, ...(await encodePieces(conversation.tokenizer, pieces)) };
}

export function layOutConversation(conversation: ConversationOptions): ConversationLayout {
  const { tokenizer, options = {} } = conversation;
  if (conversation.messages.length === 0) {
    throw new RenderError({ kind: 'bad-input', reason: 'messages is empty; a conversation has at least one.' });
  }
  const template = tokenizer.readTemplate({ name: options.template, hasTools: conversation.tools !== undefined });
  const control = findControlTokens(tokenizer, template);
  const { variables, messages, mark } = readVariables(conversation, control);
  const rendered = renderTemplate({ template, variables, mark, now: options.now ?? Date.now });
  const pieces = cutAtMarks(rendered.text, mark, control.texts);
  const move = createMover(rendered, mark);
  return {
    text: pieces.map(({ text }) => text).join(''),
    pieces,
    messageSpans: messages.map((message) => move(rendered.items.get(message))),
    generationSpans: template.hasGenerationMarks
      ? rendered.generations.map(move).filter((span) => span !== undefined)
      : undefined,
  };
}

interface Variables {
  readonly variables: ReadonlyMap<string, Value>;
  readonly messages: readonly Dict[];
  readonly mark: TextMark;
}

/** Converts once, and a second time with a mark when some text holds a control token: most conversations hold none. */
function readVariables(conversation: ConversationOptions, control: ControlTokens): Variables {
  const privateCharacters = new Set<string>();
  let needsMark = false;
  const look = (pattern: RegExp) => (text: string) => {
    for (const [character] of text.matchAll(/[\ue000-\uf8ff]/g)) privateCharacters.add(character);
    needsMark ||= text.search(pattern) >= 0;
    return text;
  };
  const plain = convert(conversation, look(control.everywhere), look(control.inReplies));
  if (!needsMark || conversation.options?.allowControlTokens === true) return { ...plain, mark: NO_MARK };
  const template = conversation.tokenizer.readTemplate({
    name: conversation.options?.template,
    hasTools: conversation.tools !== undefined,
  });
  for (const literal of template.literals) for (const character of literal) privateCharacters.add(character);
  const character = pickMark(privateCharacters);
  const put = (pattern: RegExp) => (text: string) => markText(text, pattern, character);
  return { ...convert(conversation, put(control.everywhere), put(control.inReplies)), mark: { character } };
}

type ChangeText = (text: string) => string;

function convert(
  conversation: ConversationOptions,
  changeText: ChangeText,
  changeReply: ChangeText,
): { variables: Map<string, Value>; messages: Dict[] } {
  const { tokenizer, tools, options = {} } = conversation;
  const variables = new Map<string, Value>(tokenizer.specialTokens);
  for (const [name, value] of Object.entries(options.variables ?? {})) {
    if (OWN_VARIABLES.has(name)) {
      throw new RenderError({ kind: 'bad-input', reason: `options.variables.${name} has an option of its own.` });
    }
    if (value !== undefined) variables.set(name, toTemplateValue(value, changeText, `options.variables.${name}`));
  }
  if (options.thinking !== undefined) {
    const name = tokenizer.family.thinkingVariable;
    if (name === undefined) {
      throw new RenderError({
        kind: 'bad-input',
        reason: `options.thinking is set, and the template of ${tokenizer.place} has no switch for it.`,
        hint: 'Leave it out, or name the variable of the template in options.variables.',
      });
    }
    variables.set(name, options.thinking);
  }
  const messages = conversation.messages.map((message, index) => {
    const place = `messages[${index}]`;
    const prepared = prepareMessage(message, place, tokenizer.family, options);
    return toTemplateValue(prepared, message.role === 'assistant' ? changeReply : changeText, place) as Dict;
  });
  variables.set('messages', messages);
  variables.set('tools', tools === undefined ? null : toTemplateValue(tools, changeText, 'tools'));
  variables.set('documents', toTemplateValue(options.documents ?? null, changeText, 'options.documents'));
  variables.set('add_generation_prompt', conversation.addGenerationPrompt === true);
  return { variables, messages };
}

/** Moves a span of the rendered text to where it is when the marks are gone. */
function createMover(
  rendered: RenderedTemplate,
  { character }: TextMark,
): (span: TextSpan | undefined) => TextSpan | undefined {
  if (character === undefined) return (span) => span;
  const count = (end: number): number => end - (rendered.text.slice(0, end).split(character).length - 1);
  return (span) => (span === undefined ? undefined : { start: count(span.start), end: count(span.end) });
}
