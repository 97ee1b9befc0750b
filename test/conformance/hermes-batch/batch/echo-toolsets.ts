import type { AgentTool } from '@lachesis/sdk/agent';

const echo = (name: string): AgentTool => ({
  name,
  description: 'Gives back the text it is given.',
  parameters: { type: 'object', properties: { result: { type: 'string' } }, required: ['result'] },
  execute: async ({ result }) => result,
});

/** Two tools as the Hermes peer registers them: their answers are what the scripted model asks for. */
export const toolsets = { terminal: [echo('process')], file: [echo('search_files')] };
