import { z } from 'zod';
import type { AgentTool } from '../agent-tool.ts';
import { defineTool } from '../define-tool.ts';
import { keepByRun } from '../tool-run.ts';

const STATES = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
const MOST_ITEMS = 100;

interface Item {
  id: string;
  content: string;
  status: (typeof STATES)[number];
}

const listOf = keepByRun(() => ({ items: [] as Item[] }));

/** A plan of one agent, in the form Hermes gives its tool. It ends with the agent. */
export const todoTool: AgentTool = defineTool({
  name: 'todo',
  description:
    'The list of what is to be done. Without todos it is read; with todos it is replaced, or with merge changed by the ids.',
  input: z.object({
    todos: z
      .array(z.object({ id: z.string().min(1), content: z.string().min(1), status: z.enum(STATES) }))
      .max(MOST_ITEMS)
      .optional(),
    merge: z.boolean().default(false).describe('change the items with these ids, add the others, keep the rest'),
  }),
  execute: async ({ todos, merge }, { run }) => {
    const list = listOf(run);
    if (todos !== undefined) {
      const items = new Map((merge ? list.items : []).map((item) => [item.id, item]));
      for (const item of todos) items.set(item.id, item);
      list.items = [...items.values()].slice(0, MOST_ITEMS);
    }
    const summary = Object.fromEntries(
      STATES.map((state) => [state, list.items.filter(({ status }) => status === state).length]),
    );
    return { todos: list.items, summary: { total: list.items.length, ...summary } };
  },
});
