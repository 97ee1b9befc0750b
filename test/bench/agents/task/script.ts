import type { Script } from '../../../kit/start-scripted-model.ts';

/** The command of this turn, counted by the answers of tools so far; then what the last one printed. */
export const createScript =
  (commands: readonly string[]): Script =>
  (conversation) => {
    const results = conversation.filter(({ role }) => role === 'tool');
    const command = commands[results.length];
    if (command !== undefined) return { call: 'terminal', args: { command } };
    // A tool may put its exit code behind what was printed.
    return { say: /\d+/.exec(results.at(-1)?.content ?? '')?.[0] ?? 'nothing' };
  };
