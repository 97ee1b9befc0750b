import type { Script } from '../../kit/start-scripted-model.ts';
import { answerAsOllama } from '../first-run/answer-as-ollama.ts';

/** The model of the pages: adds, judges in the form it is asked for, and thinks aloud where a batch wants reasoning. */
export const answerPages: Script = (conversation) => {
  const text = conversation.map(({ content }) => content ?? '').join('\n');
  if (text.includes('"abstain"')) return { say: '{"reason":"as asked","abstain":false,"score":1}' };
  return answerAsOllama(conversation);
};
