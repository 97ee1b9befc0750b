import { z } from 'zod';
import type { AgentTool } from '../agent-tool.ts';
import { defineTool } from '../define-tool.ts';
import { ToolError } from '../tool-error.ts';
import { keepByRun } from '../tool-run.ts';

/** What a model is told before it may add more: notes are for what matters, and are read whole. */
const MOST_CHARACTERS = 4_000;

const notesOf = keepByRun(() => ({ memory: [] as string[], user: [] as string[] }));

/** Notes of one agent, in the form Hermes gives its tool. They end with the agent: no rollout knows what another one wrote. */
export const memoryTool: AgentTool = defineTool({
  name: 'memory',
  description:
    'Keeps short notes for later turns: add one, replace or remove the one that contains old_text. Two lists: memory (what was found out) and user (about the person). Every call gives the notes of the list.',
  input: z.object({
    action: z.enum(['add', 'replace', 'remove', 'list']),
    target: z.enum(['memory', 'user']).default('memory'),
    content: z.string().optional().describe('for add and replace'),
    old_text: z.string().optional().describe('for replace and remove: a part of the note, which is in no other'),
  }),
  execute: async ({ action, target, content, old_text: part }, { run }) => {
    const notes = notesOf(run)[target];
    const refuse = (reason: string, hint: string): ToolError =>
      new ToolError({ what: 'The notes are as they were', reason, hint });
    if (action === 'add' || action === 'replace') {
      if (content === undefined || content.trim() === '') throw refuse(`${action} needs content`, 'Give content');
      const size = notes.reduce((sum, note) => sum + note.length, content.length);
      if (size > MOST_CHARACTERS) {
        throw refuse(`all notes together have at most ${MOST_CHARACTERS} characters`, 'Shorten or remove some');
      }
    }
    if (action === 'add') notes.push(content ?? '');
    if (action === 'replace' || action === 'remove') {
      const places = notes.flatMap((note, at) => (part !== undefined && note.includes(part) ? [at] : []));
      const [place] = places;
      if (place === undefined || places.length > 1) {
        throw refuse(`old_text is in ${places.length} notes`, 'Give a part of the one that is meant');
      }
      notes.splice(place, 1, ...(action === 'replace' ? [content ?? ''] : []));
    }
    return { success: true, target, entries: [...notes] };
  },
});
