import { type Random, createRandom } from '../render/random.ts';
import type { ScriptedReply } from './start-scripted-model.ts';
import { ARGUMENTS, RESULTS, TEXTS } from './texts.ts';

export interface ScriptedConversation {
  readonly id: string;
  readonly questions: readonly string[];
}

export interface Script {
  readonly conversations: readonly ScriptedConversation[];
  /** What the model says to each question. */
  readonly replies: ReadonlyMap<string, readonly ScriptedReply[]>;
}

/** Of every so many conversations one has a second question, and one ends with an error of the model. */
const SECOND_QUESTION = 8;
const FAILS = 50;

export function makeConversations(count: number, seed: number): Script {
  const random = createRandom(seed);
  const replies = new Map<string, ScriptedReply[]>();
  const conversations: ScriptedConversation[] = [];
  let questions = 0;
  for (let at = 0; at < count; at += 1) {
    const turns = at % SECOND_QUESTION === 0 ? 2 : 1;
    const asked: string[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const key = `#q${questions}#`;
      questions += 1;
      asked.push(`${key} ${random.pick(TEXTS)}`);
      replies.set(key, at % FAILS === FAILS - 1 ? [{ status: 400 }] : makeReplies(random, key));
    }
    conversations.push({ id: `c${at}`, questions: asked });
  }
  return { conversations, replies };
}

function makeReplies(random: Random, key: string): ScriptedReply[] {
  const steps = random.list(random.integer(3), (step): ScriptedReply => ({
    content: random.chance(0.5) ? null : random.pick(TEXTS),
    ...makeReasoning(random),
    calls: random.list(1 + random.integer(3), (place) => ({
      id: `call_${key.slice(2, -1)}_${step}_${place}`,
      name: random.pick(['say_back', 'measure']),
      arguments: `{"result": ${JSON.stringify(random.pick(RESULTS))}, ${random.pick(ARGUMENTS)}}`,
    })),
  }));
  return [...steps, { content: `Answer: ${random.pick(TEXTS)}`, ...makeReasoning(random) }];
}

const makeReasoning = (random: Random): { reasoning?: string } =>
  random.chance(0.5) ? { reasoning: `I think: ${random.pick(TEXTS)}` } : {};
