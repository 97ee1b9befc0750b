import { ClientError } from '../client-error.ts';
import type { RlToolFailure } from './rl-tool.ts';

/** Turns what a call threw into what a tool gives. */
export function describeFailure(error: unknown, { url }: { url: string }): RlToolFailure {
  if (!ClientError.isInstance(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    return { error: `The call was not finished: ${reason}` };
  }
  const { code, reason, hint, status, issues } = error;
  if (code === 'connection') {
    return {
      error: `The control server at ${url} cannot be reached: ${trim(firstSentence(reason))}. Start it with \`lachesis up\`, or set RL_API_URL to where it runs.`,
      code,
      url,
    };
  }
  if (code === 'timeout') {
    return {
      error: `The control server at ${url} did not answer in time: ${trim(reason)}. Ask again; \`lachesis doctor\` finds out what it waits for.`,
      code,
      url,
    };
  }
  if (code === 'unauthorized' || code === 'forbidden') {
    return {
      error: `The control server at ${url} refused the call: ${trim(reason)}. Give a token with LACHESIS_TOKEN; \`lachesis token\` makes one.`,
      code,
    };
  }
  return {
    error: `${trim(reason)}.${hint === undefined ? '' : ` ${hint}`}`,
    code,
    ...(status === undefined ? {} : { http_status: status }),
    ...(issues === undefined || issues.length === 0
      ? {}
      : { issues: issues.map(({ field, message }) => ({ field, message })) }),
  };
}

/** What follows is advice for people who write clients; the tools have their own. */
const firstSentence = (text: string): string => text.split('. ', 1)[0] ?? text;

const trim = (sentence: string): string => sentence.replace(/[.\s]+$/, '');
