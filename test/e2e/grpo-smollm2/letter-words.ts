import { defineEnvironment } from '@lachesis/sdk/environment';

/** Prompts of one length in tokens: the engine compiles once. */
const TRAIN = ['Write', 'Give', 'List', 'Name'].map((verb) => `${verb} words that start with s.`);
const EVALUATION = ['Send', 'Tell'].map((verb) => `${verb} words that start with s.`);

const LETTER = 's';
const REPLY_TOKENS = 12;
/** A reply of one right word is no way to the full reward. */
const WANTED_WORDS = 4;

/** The share of the words that begin with a letter, of at least so many words. */
function scoreWords(reply: string, letter: string): number {
  const words = reply.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.filter((word) => word.startsWith(letter)).length / Math.max(WANTED_WORDS, words.length);
}

/** A small task for a real model: it knows such words, and at first every fourth is one. */
export default defineEnvironment({
  name: 'letter-words',
  description: 'Words that begin with one letter; the reward is their share.',
  defaults: { group_size: 8, batch_size: 32, max_token_length: 128, max_completion_tokens: REPLY_TOKENS },
  items: { train: TRAIN, evaluation: EVALUATION },
  formatPrompt: (prompt) => prompt,
  computeReward: (_prompt, { finalResponse }) => scoreWords(finalResponse, LETTER),
});
