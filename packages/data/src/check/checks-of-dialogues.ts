import { type ChatMessage, isRecord } from '@lachesis/protocol';
import type { Check, CheckedRow } from './check.ts';
import { isEmpty, readDialogues, readText } from './read-dialogue.ts';

/** A check that needs nothing but one dialogue. The same words about both sides of a preference are said once. */
function lookAtDialogues(look: (messages: readonly ChatMessage[], row: CheckedRow) => string[]): Check['start'] {
  return () => ({ see: (row) => [...new Set(readDialogues(row.record).flatMap((messages) => look(messages, row)))] });
}

/** Marks with which the model families open a call in their text. In a reply they mean that a parser did not see it. */
const CALL_MARKS = [
  '<tool_call>',
  '<|tool_call',
  '[TOOL_CALLS]',
  '<|python_tag|>',
  '<function=',
  '<｜tool▁calls▁begin｜>',
];

export const unparsedCallCheck: Check = {
  name: 'unparsed-call',
  severity: 'error',
  what: 'A tool call is text that does not parse: the model would learn to write calls nobody can run.',
  fix: 'Leave the rows out, or repair the arguments; calls that stand in the text come from a gateway without the parser of this model (set its tool call parser and record again).',
  start: lookAtDialogues((messages) => {
    const found: string[] = [];
    for (const [index, message] of messages.entries()) {
      if (message.role !== 'assistant') continue;
      const text = readText(message);
      const mark = CALL_MARKS.find((candidate) => text.includes(candidate));
      if (mark !== undefined) found.push(`message ${index} has ${mark} in its text`);
      for (const call of message.tool_calls ?? []) {
        if (!isJsonObject(call.function.arguments)) {
          found.push(`message ${index} calls ${call.function.name} with arguments that are not a JSON object`);
        }
      }
    }
    return found;
  }),
};

export const emptyReplyCheck: Check = {
  name: 'empty-reply',
  severity: 'error',
  what: 'A reply has neither text nor a tool call: the model would learn to say nothing.',
  fix: 'Leave the rows out; when there are many, look for a stop sequence or a token limit that cuts replies to nothing.',
  start: lookAtDialogues((messages) => {
    const replies = messages.filter(({ role }) => role === 'assistant');
    if (replies.length === 0) return ['there is no reply'];
    return messages.flatMap((message, index) =>
      message.role === 'assistant' && isEmpty(message) ? [`message ${index} is empty`] : [],
    );
  }),
};

export const unpairedCallCheck: Check = {
  name: 'unpaired-call',
  severity: 'error',
  what: 'A tool call has no answer, or an answer no call: chat templates refuse such rows or render them wrongly.',
  fix: 'Leave the rows out, or cut them after the last answered call.',
  start: lookAtDialogues(findUnpaired),
};

function findUnpaired(messages: readonly ChatMessage[]): string[] {
  const found: string[] = [];
  // Calls without ids are answered in their order, as Ollama and older exports have it.
  let open: { id: string | undefined; index: number }[] = [];
  const close = (): void => {
    for (const call of open) found.push(`a call of message ${call.index} has no answer`);
    open = [];
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = message.tool_call_id ?? undefined;
      const at = open.findIndex((call) => id === undefined || call.id === undefined || call.id === id);
      if (at === -1) found.push(`message ${index} answers a call that was not made`);
      else open.splice(at, 1);
      continue;
    }
    close();
    if (message.role === 'assistant') {
      open = (message.tool_calls ?? []).map((call) => ({ id: call.id ?? undefined, index }));
    }
  }
  close();
  return found;
}

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

export const roleOrderCheck: Check = {
  name: 'role-order',
  severity: 'error',
  what: 'The roles come in an order that chat templates refuse or silently change.',
  fix: 'Put the system message first, join messages of one role that follow each other, and let a user speak before the first reply.',
  start: lookAtDialogues((messages) => {
    const found: string[] = [];
    let before: string | undefined;
    for (const [index, { role }] of messages.entries()) {
      if (!ROLES.has(role)) found.push(`message ${index} has the role ${JSON.stringify(role)}`);
      else if (role === 'system' || role === 'developer') {
        if (index > 0) found.push(`message ${index} is a ${role} message in the middle`);
        // It stands between nobody: what came before it still speaks to what follows.
        continue;
      } else if (before === undefined && role !== 'user') found.push(`the first to speak is ${role}`);
      else if (before === role && role !== 'tool') found.push(`messages ${index - 1} and ${index} are both ${role}`);
      else if (before === 'tool' && role === 'user')
        found.push(`message ${index} is a user's, where a reply to the tool belongs`);
      before = role;
    }
    return found;
  }),
};

export const interruptedCheck: Check = {
  name: 'interrupted',
  severity: 'error',
  what: 'The row was cut off: its last reply is not the whole reply.',
  fix: 'Leave the rows out (`lachesis data sets make … --complete`), or end them after the last whole reply.',
  start: lookAtDialogues((messages, { record }) => {
    if (record.kind === 'conversation' && record.partial) return ['it is marked as partial'];
    const last = messages.at(-1);
    return last === undefined || last.role === 'assistant' ? [] : [`it ends with a message of the role ${last.role}`];
  }),
};

function isJsonObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    // Not JSON is the answer that was asked for.
    return false;
  }
}
