import type { ChatMessage, DataRecord } from '@lachesis/protocol';
import { promptOf, type ReplySource } from './measure.ts';
import type { StageContents } from './stages.ts';

type Example = StageContents['evaluate']['examples'][number];

/** Enough to see what changed; the whole is asked for with `lachesis models compare`. */
const LONGEST_TEXT = 300;

/** Collects what both models reply to a row; a row that only one of them replied to shows nothing. */
export function createExamples(rows: readonly DataRecord[]): {
  add: (reply: ChatMessage, source: ReplySource) => void;
  list: () => Example[];
} {
  const replies = new Map<number, Partial<Record<ReplySource['model'], string>>>();
  return {
    add: (reply, { row, model }) => void replies.set(row, { ...replies.get(row), [model]: textOf(reply) }),
    list: () =>
      [...replies].flatMap(([index, { current, candidate }]) => {
        const row = rows[index];
        if (row === undefined || current === undefined || candidate === undefined) return [];
        const asked = promptOf(row).findLast(({ role }) => role === 'user');
        const prompt = asked === undefined ? '' : textOf(asked);
        return [{ trajectory_id: row.trajectory_id, prompt, before: current, after: candidate }];
      }),
  };
}

function textOf({ content, tool_calls: called }: ChatMessage): string {
  const said = typeof content === 'string' ? content : JSON.stringify(content ?? '');
  const text = [...(said === '""' ? [] : [said]), ...(called ?? []).map((call) => `${call.function.name}(…)`)]
    .join(' ')
    .trim();
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
