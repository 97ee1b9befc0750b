import type { CallCorpus } from '../render/call-corpus/corpus.ts';
import { type CreateParser, listCalls, readReply } from './read-reply.ts';

/**
 * Ends every good reply after each of its characters. What is called then has to be among the calls of the whole reply, in
 * their order: a call that is not whole is none, whatever could be guessed of it.
 */
export function checkHalves(
  { format, good }: CallCorpus,
  createParser: CreateParser,
): { readonly halves: number; readonly failures: readonly string[] } {
  const failures: string[] = [];
  let halves = 0;
  const name = (text: string): string[] =>
    listCalls(readReply({ createParser, format, pieces: [text] })).map((call) => `${call.name} ${call.argumentsText}`);
  for (const { text } of good) {
    const whole = name(text);
    for (let end = 0; end < text.length; end += 1) {
      halves += 1;
      const half = name(text.slice(0, end));
      if (half.every((call, index) => call === whole[index])) continue;
      failures.push(`${format} ${JSON.stringify(text.slice(0, end))}: called ${half.join(', ')}`);
      break;
    }
  }
  return { halves, failures };
}
