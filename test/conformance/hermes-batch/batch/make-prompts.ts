import { makeConversations } from '../../hermes-format/make-conversations.ts';
import type { ScriptedReply } from '../../hermes-format/start-scripted-model.ts';

export interface ScriptedPrompts {
  readonly prompts: readonly string[];
  readonly script: ReadonlyMap<string, readonly ScriptedReply[]>;
  /** Prompts whose call of the model is refused. */
  readonly failing: ReadonlySet<number>;
  /** Prompts with a reply that Hermes' agent changes before it goes on: it takes white space and lone tags out. */
  readonly changed: ReadonlySet<number>;
  /** Prompts in whose replies is no reasoning. */
  readonly silent: ReadonlySet<number>;
}

const NAMES: Readonly<Record<string, string>> = { say_back: 'process', measure: 'search_files' };
/** Every so many prompts one is that of the beginning again. */
const REPEATS = 12;
const RAW = 5;

/** Prompts with what the model says to each: tools, several at once, thinking or none, odd texts, repeated prompts, a refusal. */
export function makePrompts(count: number, seed: number): ScriptedPrompts {
  const { conversations, replies } = makeConversations(count * 2, seed);
  // The texts of most are clean from the start; those of the others show what Hermes does to them.
  const raw = new Set(conversations.filter((_, at) => at % RAW === 0).flatMap(({ questions }) => questions.map(keyOf)));
  const script = new Map(
    [...replies].map(([key, said]) => [
      key,
      tellApart(said.map(renameTools)).map((reply) => (raw.has(key) ? reply : cleanReply(reply))),
    ]),
  );
  const single = conversations.flatMap(({ questions }) => (questions.length === 1 ? questions : []));
  const prompts = Array.from({ length: count }, (_, at) => single[at % REPEATS === REPEATS - 1 ? 0 : at] ?? '');
  const saidTo = (prompt: string): readonly ScriptedReply[] => script.get(keyOf(prompt)) ?? [];
  const select = (test: (said: readonly ScriptedReply[]) => boolean): ReadonlySet<number> =>
    new Set(prompts.flatMap((prompt, at) => (test(saidTo(prompt)) ? [at] : [])));
  return {
    prompts,
    script,
    changed: select((said) => said.some((reply) => cleanReply(reply) !== reply)),
    failing: select((said) => said.some((reply) => 'status' in reply)),
    silent: select((said) => said.every((reply) => !('status' in reply) && reply.reasoning === undefined)),
  };
}

/** With the names that both sides have. A call that is there twice in a reply is left out: Hermes runs such calls once. */
function renameTools(reply: ScriptedReply): ScriptedReply {
  if ('status' in reply || reply.calls === undefined) return reply;
  const calls = new Map(reply.calls.map((call) => [`${call.name} ${call.arguments}`, call]));
  return { ...reply, calls: [...calls.values()].map((call) => ({ ...call, name: NAMES[call.name] ?? call.name })) };
}

/** A call of an earlier reply gets one argument more: into what fails twice in the same way Hermes writes a warning of its own. */
function tellApart(said: readonly ScriptedReply[]): ScriptedReply[] {
  const seen = new Set<string>();
  return said.map((reply, turn) => {
    if ('status' in reply || reply.calls === undefined) return reply;
    const calls = reply.calls.map((call) => {
      const name = `${call.name} ${call.arguments}`;
      if (!seen.has(name)) return (seen.add(name), call);
      return { ...call, arguments: call.arguments.replace('{', `{"turn": ${turn}, `) };
    });
    return { ...reply, calls };
  });
}

const keyOf = (prompt: string): string => /#q\d+#/.exec(prompt)?.[0] ?? '';

/** As Hermes' agent leaves a text; the same object when there is nothing to take out. */
function cleanReply(reply: ScriptedReply): ScriptedReply {
  if ('status' in reply || reply.content === null) return reply;
  const content = cleanText(reply.content);
  return content === reply.content ? reply : { ...reply, content };
}

export const cleanText = (text: string): string => text.replaceAll(/<\/?think>\s*/g, '').trim();
