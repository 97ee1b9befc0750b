import type { Script } from '../../kit/start-scripted-model.ts';

/** Where Ollama listens, as the pages say. */
export const OLLAMA_PORT = 11_434;

/** A model that adds: with a tool when it has one, else by itself. */
export const answerAsOllama: Script = (conversation) => {
  const last = conversation.at(-1);
  if (last?.role === 'tool') return { say: `That is ${last.content}.` };
  const asked = conversation.findLast(({ role }) => role === 'user')?.content ?? '';
  const numbers = [...asked.matchAll(/\d+/g)].map(Number);
  if (asked.startsWith('Add ')) return { call: 'add', args: { a: numbers[0], b: numbers[1] } };
  return { say: String(numbers.reduce((sum, number) => sum + number, 0)) };
};
