/** Two ways to ask, and two ways to answer. Which answer people like depends on how they asked. */
export interface Question {
  readonly kind: 'Ask' | 'Tell';
  readonly word: string;
}

const WORDS = [
  ...['red', 'blue', 'green', 'black', 'white', 'gold', 'one', 'two', 'four', 'five', 'six', 'nine'],
  ...['day', 'hand', 'life', 'man', 'home', 'name', 'side', 'head', 'house', 'line', 'end', 'game'],
];

export const questions: readonly Question[] = WORDS.flatMap((word) =>
  (['Ask', 'Tell'] as const).map((kind) => ({ kind, word })),
);

/** One token each to the tiny model: a preference then moves what it is about and nothing else. */
export const REPLIES = ['text', 'list'] as const;

export const toPrompt = ({ kind, word }: Question): string => `${kind} ${word}`;

/** What the scripted user thinks: who asks wants a text, who tells wants a list. */
export const isLiked = (prompt: string, reply: string): boolean =>
  reply.trim() === (prompt.startsWith('Ask') ? REPLIES[0] : REPLIES[1]);
