import { readFile } from 'node:fs/promises';

export interface Reply {
  readonly prompt: string;
  readonly text: string;
  readonly reward: number;
}

interface SavedGroup {
  readonly messages: readonly (readonly { readonly role: string; readonly content: unknown }[])[];
  readonly scores: readonly number[];
}

const SHOWN = 3;

/** Three replies from the first groups of a file of rollouts, and three from the last, each of another group where there are so many. */
export async function readReplies(path: string): Promise<{ before: Reply[]; after: Reply[] }> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const pick = (chosen: readonly string[]): Reply[] => {
    const groups = chosen.map((line) => JSON.parse(line) as SavedGroup);
    return Array.from({ length: SHOWN }, (_unused, index) => {
      const group = groups[index % Math.max(1, groups.length)];
      return group === undefined ? [] : readReply(group, index);
    }).flat();
  };
  return { before: pick(lines.slice(0, SHOWN)), after: pick(lines.slice(-SHOWN)) };
}

function readReply({ messages, scores }: SavedGroup, index: number): Reply[] {
  const conversation = messages[index] ?? [];
  const textOf = (role: string): string => {
    const content = conversation.findLast((message) => message.role === role)?.content;
    return typeof content === 'string' ? content : JSON.stringify(content ?? '');
  };
  const reward = scores[index];
  return reward === undefined ? [] : [{ prompt: textOf('user'), text: textOf('assistant'), reward }];
}
