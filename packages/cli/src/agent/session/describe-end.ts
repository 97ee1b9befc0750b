import type { AgentResult } from '@lachesis/sdk/agent';

/** Why it ended, for the person; undefined when it simply answered. */
export function describeEnd({ reason, turns, usage, error }: AgentResult): string | undefined {
  switch (reason) {
    case 'answered':
      return undefined;
    case 'cut-off':
      return 'the last reply was cut off at the limit of tokens of its server. Say "go on", or raise that limit.';
    case 'empty-reply':
      return 'the model answered with nothing. Ask again, or take another model with --model.';
    case 'max-turns':
      return `it ended after ${turns} turns. Raise --max-turns, or ask for less at once.`;
    case 'max-tokens':
      return `it ended after ${usage.total_tokens} tokens. Raise --max-tokens, or ask for less at once.`;
    case 'deadline':
      return 'its time was over. Raise --minutes. A run that it started goes on; `lachesis runs list` shows it.';
    case 'aborted':
      return 'it was ended. A run that it started goes on; `lachesis runs list` shows it.';
    case 'model-failed':
      return `the model gave no reply: ${error?.message ?? 'no reason was given'}`;
  }
}
