import type { ChatMessage } from '@lachesis/protocol';
import type { FormatShareGptOptions } from '../../../packages/data/src/export/sharegpt/write-sharegpt.ts';
import { countTools } from '../../../packages/data/src/export/sharegpt/count-tools.ts';
import { cutFirstQuestion, cutLine } from './compare-lines.ts';
import type { HermesAnswer, SavedConversation } from './hermes-answers.ts';
import type { MessageList } from './make-lists.ts';
import { ourLine } from './our-line.ts';

export interface Difference {
  readonly id: string;
  readonly theirs: string | undefined;
  readonly ours: string | undefined;
}

/** What Hermes saved at the end of each turn beside what we write of the same messages. */
export function compareSaved(saved: readonly SavedConversation[], options: FormatShareGptOptions = {}) {
  const different: Difference[] = [];
  const ids = new Set<string>();
  const sum = { lines: 0, overwritten: 0, toolCalls: 0, unsaved: 0, statsDiffer: 0 };
  for (const { id, messages, tools, completed, saved: lines, stats } of saved) {
    // A call that fails ends the turn before Hermes saves anything.
    if (!completed && lines.length === 0) {
      sum.unsaved += 1;
      continue;
    }
    sum.lines += 1;
    ids.add(id);
    sum.toolCalls += messages.reduce((count, { tool_calls }) => count + (tool_calls?.length ?? 0), 0);
    let theirs = lines.length === 1 ? cutLine(lines[0] ?? '') : undefined;
    let ours = cutLine(ourLine({ messages, tools, completed }, options));
    const questions = messages.filter(({ role }) => role === 'user');
    if (questions.length > 1) {
      sum.overwritten += 1;
      theirs = cutFirstQuestion(theirs);
      ours = cutFirstQuestion(ours);
    }
    if (theirs === undefined || theirs !== ours) different.push({ id, theirs, ours });
    if (JSON.stringify(Object.fromEntries(countTools({ messages, tools: null }))) !== JSON.stringify(stats))
      sum.statsDiffer += 1;
  }
  return { ...sum, conversations: ids.size, different };
}

/** The same for lists of messages. */
export function compareLists(
  lists: readonly MessageList[],
  answers: readonly Extract<HermesAnswer, { kind: 'list' }>[],
  options: FormatShareGptOptions = {},
  change: (messages: readonly ChatMessage[]) => readonly ChatMessage[] = (messages) => messages,
): Difference[] {
  const byId = new Map(answers.map((answer) => [answer.id, answer.saved]));
  return lists.flatMap(({ id, messages, completed }) => {
    const [line = '', ...more] = byId.get(id) ?? [];
    const theirs = more.length === 0 ? cutLine(line) : undefined;
    const ours = cutLine(ourLine({ messages: change(messages), completed }, options));
    return theirs !== undefined && theirs === ours ? [] : [{ id, theirs, ours }];
  });
}
