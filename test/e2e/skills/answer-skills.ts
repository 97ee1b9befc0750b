import type { Script } from '../../kit/start-scripted-model.ts';

let asked = 0;

/** The model of the guides: every second reply is right, so that rewards differ where the grader can tell. */
export const answerSkills: Script = (conversation) => {
  asked += 1;
  const isRight = asked % 2 === 0;
  const text = conversation.findLast(({ role }) => role === 'user')?.content ?? '';
  if (text.startsWith('Put in alphabetical order')) {
    const words = text.split(': ').at(-1)?.trim().split(' ') ?? [];
    return { say: (isRight ? words.toSorted() : words.toSorted().toReversed()).join(' ') };
  }
  const sum = [...text.matchAll(/\d+/g)].reduce((all, [number]) => all + Number(number), 0);
  return { say: `That makes ${isRight || !text.startsWith('Sum') ? sum : sum + 1}.` };
};
