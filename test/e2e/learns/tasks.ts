import { createRandom } from '@lachesis/sdk/environment';

export interface TaskItem {
  readonly prompt: string;
  /** The only reply that earns something. */
  readonly answer: string;
  /** What the tool says to whoever calls it first; without it there is no tool. */
  readonly tool?: string;
}

export interface Task {
  readonly name: TaskName;
  /** What is asked, for a person. */
  readonly what: string;
  readonly train: readonly TaskItem[];
  /** Combinations that neither the warm-up nor the training has. */
  readonly heldOut: readonly TaskItem[];
  /** What the warm-up draws its replies from. */
  readonly answers: readonly string[];
  /** The reply that calls the tool, where there is one. */
  readonly call: string | undefined;
  /** What the best answer that looks at no prompt earns on the held-out combinations. */
  readonly constant: number;
}

export const TASK_NAMES = ['copy', 'lookup', 'majority', 'larger', 'tool'] as const;
export type TaskName = (typeof TASK_NAMES)[number];

/** Letters that say nothing about the answer. Each is one token of the small vocabulary. */
const FILLERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'] as const;
/** For digits that are combinations enough by themselves. */
const FEW_FILLERS = FILLERS.slice(0, 6);
const DIGITS = ['1', '2', '3'] as const;
/** Which digit belongs to which letter is nowhere said; the reward knows. */
const CUES: Readonly<Record<string, string>> = { K: '3', N: '1', T: '7' };
/** The reply that calls the tool. */
export const CALL = 'T';
/** How often a digit or a letter that matters stands in a prompt. */
const TIMES = 4;
/** One combination of so many is held out. */
const ONE_OF = 5;

export function makeTask(name: TaskName, seed: number): Task {
  const items = ITEMS[name]();
  const answers = [...new Set(items.map(({ answer }) => answer))].toSorted();
  const random = createRandom('learns', name, seed);
  // The same share of each answer is held out, so that one that looks at no prompt earns no more there than in training.
  const isHeldOut = new Set(
    answers.flatMap((answer) => {
      const same = random.shuffle(items.filter((item) => item.answer === answer));
      return same.slice(0, Math.round(same.length / ONE_OF));
    }),
  );
  const heldOut = items.filter((item) => isHeldOut.has(item));
  const countOf = (answer: string): number => heldOut.filter((item) => item.answer === answer).length;
  return {
    ...{ name, what: WHAT[name], heldOut, answers },
    call: items.some(({ tool }) => tool !== undefined) ? CALL : undefined,
    train: items.filter((item) => !isHeldOut.has(item)),
    constant: Math.max(...answers.map(countOf)) / heldOut.length,
  };
}

const WHAT: Readonly<Record<TaskName, string>> = {
  copy: 'the digit behind a letter is the answer',
  majority: 'the digit that stands three times of four is the answer',
  larger: 'the larger of two digits is the answer',
  lookup: 'each of three letters has its digit, which only the reward knows',
  tool: 'the digit is what a tool says, which has to be called first',
};

/** What matters stands more than once: attention of random weights is even, and so it is half of what is read. */
const ITEMS: Readonly<Record<TaskName, () => TaskItem[]>> = {
  copy: () =>
    FILLERS.flatMap((filler) => DIGITS.map((digit) => ({ prompt: filler + digit.repeat(TIMES), answer: digit }))),
  majority: () =>
    DIGITS.flatMap((digit) =>
      DIGITS.filter((other) => other !== digit).flatMap((other) =>
        [0, 1, 2, 3].flatMap((place) =>
          FEW_FILLERS.filter((_, index) => index % 2 === place % 2).map((filler) => ({
            prompt: filler + [0, 1, 2, 3].map((at) => (at === place ? other : digit)).join(''),
            answer: digit,
          })),
        ),
      ),
    ),
  // The larger a digit, the more pairs it is the larger of: with fewer letters before each of them, every answer is as
  // frequent as any other, and a letter says nothing about which.
  larger: () =>
    DIGITS.flatMap((digit) => {
      const pairs = ['0', ...DIGITS]
        .filter((other) => other < digit)
        .flatMap((other) => [digit + other, other + digit]);
      const fillers = (FEW_FILLERS.length * 2) / pairs.length;
      return pairs.flatMap((pair, index) =>
        Array.from({ length: fillers }, (_, at) => ({
          prompt: `${FEW_FILLERS[(index * fillers + at) % FEW_FILLERS.length] ?? ''}${pair}${pair}`,
          answer: digit,
        })),
      );
    }),
  lookup: () =>
    FILLERS.flatMap((filler) =>
      Object.entries(CUES).map(([cue, digit]) => ({ prompt: filler + cue.repeat(TIMES), answer: digit })),
    ),
  tool: () =>
    FILLERS.flatMap((filler) =>
      DIGITS.map((digit) => ({ prompt: filler, answer: digit, tool: filler + digit.repeat(TIMES) })),
    ),
};
