import type { ScriptedReply } from '@lachesis/sdk/environment';

/** A reply that calls one tool, for examples. */
export const callTool = (name: string, args: Readonly<Record<string, unknown>>): ScriptedReply => ({
  text: '',
  toolCalls: [{ id: 'call', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
