import { SUMMARY_PREFIX } from './summary.ts';

/** Changes with the words below, so that summaries made with others are not taken for these. */
export const PROMPT_VERSION = 1;

/** What the model is asked. The turns stand between lines of dashes. */
export function writeSummaryPrompt({ content, targetTokens }: { content: string; targetTokens: number }): string {
  return [
    'Below is a part of what an agent did. Your text will stand in its place, and the agent will go on from it.',
    '',
    'Report, as an outside observer and in the past tense:',
    '- each tool that was used, by its exact name, with the arguments that matter;',
    '- what came back: values, numbers, paths, names and errors, copied exactly;',
    '- what was decided, and why;',
    '- what was tried and did not work.',
    '',
    `Leave out greetings and repetition. Add nothing that is not there. Take about ${targetTokens} tokens.`,
    '',
    '---',
    content,
    '---',
    '',
    `Answer with the report alone. Begin it with ${SUMMARY_PREFIX}`,
  ].join('\n');
}
