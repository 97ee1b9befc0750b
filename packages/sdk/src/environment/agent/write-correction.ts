import type { AgentTool } from '../../agent/agent-tool.ts';

const WORDS: Readonly<Record<string, string>> = {
  'invalid-json': 'it is not valid JSON',
  unclosed: 'it was not closed',
  'not-an-object': 'it is not a JSON object',
  'missing-name': 'it does not name a tool',
  'missing-arguments': 'it has no arguments',
  'arguments-not-an-object': 'its arguments are not an object',
  'trailing-text': 'there is text between the call and its end',
  'bad-marker': 'a marker is missing or at the wrong place',
};

/** What the model reads after a call that could not be read. Its own words are not repeated: they may be long, and are above. */
export function writeCorrection(reasons: readonly string[], tools: readonly AgentTool[]): string {
  const why = [...new Set(reasons)].map((reason) => WORDS[reason] ?? reason).join('; ');
  return (
    `Your tool call could not be read and was not run: ${why}. Write the whole call again in the format you were given, ` +
    `or answer without one. The tools are: ${tools.map(({ name }) => name).join(', ') || 'none'}.`
  );
}
