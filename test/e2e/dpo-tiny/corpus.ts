import type { ChatMessage } from '@lachesis/protocol';

/** Two ways to ask, and two styles of a reply. Which style is wanted depends on how it was asked. */
export type Kind = 'ask' | 'tell';
/** One token each to the tiny model: a preference then moves what it is about and nothing else. */
export type Style = 'list' | 'text';

export interface Question {
  readonly kind: Kind;
  readonly word: string;
}

const COLOURS = ['red', 'blue', 'green', 'black', 'white', 'gold', 'pink', 'grey'];
/** Two colours, in both orders: a random model knows nothing of a word it has not seen, so what is held out is put together anew. */
const WORDS = COLOURS.flatMap((one) => COLOURS.filter((other) => other !== one).map((other) => `${one} ${other}`));
/** To train on, and as many again to choose what is held out from. */
const PART = 24;

const KINDS: readonly Kind[] = ['ask', 'tell'];

const listQuestions = (words: readonly string[]): Question[] =>
  words.flatMap((word) => KINDS.map((kind) => ({ kind, word })));

const takeEvery = (rest: 0 | 1): Question[] =>
  listQuestions(WORDS.filter((_, index) => index % 2 === rest).slice(0, PART));

/** What the preferences are about. */
export const trained = takeEvery(0);
/** In no pair that is trained on: those it is measured with are chosen from these. */
export const candidates = takeEvery(1);

export const wantedStyle = ({ kind }: Question): Style => (kind === 'ask' ? 'text' : 'list');
export const otherStyle = (style: Style): Style => (style === 'text' ? 'list' : 'text');

export const toPrompt = ({ kind, word }: Question): ChatMessage => ({
  role: 'user',
  content: `${kind === 'ask' ? 'Ask' : 'Tell'} ${word}`,
});

export const toReply = (style: Style): ChatMessage => ({ role: 'assistant', content: style });

/** What a reply is written in; undefined for one in neither. */
export function readStyle(text: string): Style | undefined {
  const [said] = text.trim().split('<|');
  return said === 'list' || said === 'text' ? said : undefined;
}
