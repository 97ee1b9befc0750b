const COLOURS = ['red', 'blue', 'green', 'black', 'white', 'gold', 'pink', 'grey'];
const WAYS = ['after', 'before', 'near', 'under', 'over'];
/** The way of asking that no row of the training has. */
const HELD_OUT_WAY = 'over';

export interface Question {
  readonly text: string;
  readonly use: 'measure' | 'train';
}

/** Thirty-two to learn, eight to measure with; none is longer than the engine's shortest padding. */
export const questions: readonly Question[] = WAYS.flatMap((way) =>
  COLOURS.map((colour) => ({ text: `What is ${way} ${colour}?`, use: way === HELD_OUT_WAY ? 'measure' : 'train' })),
);

/** What the model behind the gateway answers. It cannot be guessed, and follows a rule. */
export function answer(question: string): string {
  const [, way, colour] = /^What is (\w+) (\w+)\?$/.exec(question) ?? [];
  const place = COLOURS.indexOf(colour ?? '');
  if (place < 0) throw new Error(`nobody asks ${JSON.stringify(question)}`);
  return `${way} it is ${COLOURS[(place + 3) % COLOURS.length]}`;
}
