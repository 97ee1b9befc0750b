import type { ScriptedReply } from '@lachesis/sdk/environment';
import { callTool } from './call-tool.ts';

/** What a model says that wants the reward and not the work. It knows what an agent can know: the task, and its sandbox. */
export interface Cheat<Task> {
  readonly name: string;
  /** Undefined where it makes no sense. */
  readonly replies: (task: Task) => readonly (string | ScriptedReply)[] | undefined;
}

export const shell = (command: string): ScriptedReply => callTool('terminal', { command });

export const DONE = 'Done, and all tests pass.';
