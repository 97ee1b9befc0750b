import type { IncomingMessage } from 'node:http';
import { portOf, type EgressRule, type EgressTarget } from '../create-egress-rule.ts';
import { EgressError } from '../egress-error.ts';
import { plainHost } from '../read-allow-list.ts';
import type { EgressVerdict } from './egress-log.ts';
import type { Passage } from './open-passage.ts';
import { readHostPatterns } from './read-host-patterns.ts';
import { readRequestHead } from './read-request-head.ts';

export interface RequestRefusal {
  readonly verdict: Exclude<EgressVerdict, 'allowed'>;
  readonly reason: string;
}

export interface RequestJudgeOptions {
  readonly rule: EgressRule;
  readonly allow: readonly string[];
}

/** Looks at a request. The address in the answer is connected to, and nothing is resolved again. */
export type RequestJudge = (incoming: IncomingMessage, passage: Passage) => Promise<EgressTarget | RequestRefusal>;

const MOST_NAMED = 20;

export function createRequestJudge({ rule, allow }: RequestJudgeOptions): RequestJudge {
  const patterns = readHostPatterns(allow);
  const named = allow.length === 0 ? 'none' : allow.slice(0, MOST_NAMED).join(', ');
  return async (incoming, passage) => {
    if (passage.quota !== undefined) return { verdict: 'over-quota', reason: passage.quota };
    const { method = '', url: target = '', httpVersion, rawHeaders } = incoming;
    const read = readRequestHead({ method, target, httpVersion, rawHeaders });
    if ('problem' in read) return { verdict: 'malformed', reason: read.problem };
    if (URL.canParse(read.address)) {
      const url = new URL(read.address);
      passage.setHost(plainHost(url.hostname), portOf(url));
    }
    try {
      const url = rule.read(read.address);
      const [host, port] = [plainHost(url.hostname), portOf(url)];
      if (patterns.has(host, port)) return await rule.resolve(url, passage.signal);
      return { verdict: 'refused', reason: `${host}:${port} is not among the hosts that are allowed (${named})` };
    } catch (error) {
      if (!EgressError.isInstance(error)) throw error;
      return { verdict: 'refused', reason: error.message };
    }
  };
}
