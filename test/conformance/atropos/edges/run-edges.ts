import { call } from '../call.ts';
import type { Reply } from '../call.ts';
import { findDifference, parseExact } from '../exact-json.ts';
import type { SubjectName } from '../subject.ts';
import { BODY_CASES } from './bodies.ts';
import { DEVIATION_CASES } from './deviations.ts';
import { ENVIRONMENT, REGISTRATION, get, post } from './edge-case.ts';
import type { EdgeCase, Stage, Want } from './edge-case.ts';
import { ENDPOINT_CASES } from './endpoints.ts';
import { FIELD_CASES } from './fields.ts';

export const EDGE_CASES: readonly EdgeCase[] = [...ENDPOINT_CASES, ...FIELD_CASES, ...BODY_CASES, ...DEVIATION_CASES];

export interface EdgeFailure {
  readonly name: string;
  readonly reason: string;
}

/** Runs every case on one server, each from a reset; returns the cases that did not go as promised. */
export async function runEdges(options: { url: string; subject: SubjectName }): Promise<EdgeFailure[]> {
  const failures: EdgeFailure[] = [];
  for (const edge of EDGE_CASES) {
    const reason = await runEdge(edge, options).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (reason !== undefined) failures.push({ name: edge.name, reason });
  }
  return failures;
}

async function runEdge(edge: EdgeCase, options: { url: string; subject: SubjectName }): Promise<string | undefined> {
  await reachStage(options.url, edge.from);
  for (const [index, step] of edge.steps.entries()) {
    const want = options.subject === 'original' ? (step.original ?? step.want) : step.want;
    const reply = await call(options.url, step.call);
    const difference = compareReply(want, reply);
    if (difference !== undefined) return `step ${index + 1} ${step.call.method} ${step.call.path}: ${difference}`;
  }
  return undefined;
}

async function reachStage(url: string, stage: Stage): Promise<void> {
  const calls = [get('/reset_data')];
  if (stage !== 'unregistered')
    calls.push(post('/register', stage === 'single' ? { ...REGISTRATION, batch_size: 1 } : REGISTRATION));
  if (stage !== 'unregistered' && stage !== 'registered') calls.push(get('/batch'));
  if (stage === 'environment') calls.push(post('/register-env', ENVIRONMENT));
  for (const each of calls) {
    const reply = await call(url, each);
    if (reply.status !== 200)
      throw new Error(`cannot reach ${stage}: ${each.path} answered ${reply.status} ${reply.text.slice(0, 200)}`);
  }
}

function compareReply(want: Want, reply: Reply): string | undefined {
  const shown = `${reply.status} ${reply.text.slice(0, 300)}`;
  if (reply.status !== want.status) return `want ${want.status}, got ${shown}`;
  if (want.text !== undefined && reply.text !== want.text) return `want the text ${want.text}, got ${shown}`;
  if (want.matches !== undefined && !want.matches.test(reply.text)) return `want ${want.matches}, got ${shown}`;
  if (want.loc !== undefined) {
    const difference = compareLocation(want.loc, reply.text);
    if (difference !== undefined) return `${difference}, got ${shown}`;
  }
  if (want.header !== undefined) {
    const { name, matches } = want.header;
    const value = reply.headers[name];
    const fits = matches === undefined ? value === undefined : matches.test(String(value));
    if (!fits) return `want the header ${name} ${matches ?? 'absent'}, got ${String(value)}`;
  }
  return want.json === undefined
    ? undefined
    : findDifference(parseExact(JSON.stringify(want.json)), parseExact(reply.text));
}

function compareLocation(loc: readonly (string | number)[], text: string): string | undefined {
  const { detail } = JSON.parse(text) as { detail?: readonly { type?: unknown; loc?: unknown; msg?: unknown }[] };
  const first = Array.isArray(detail) ? detail[0] : undefined;
  if (typeof first?.type !== 'string' || typeof first.msg !== 'string') return 'want detail[0] with type and msg';
  return JSON.stringify(first.loc) === JSON.stringify(loc) ? undefined : `want loc ${JSON.stringify(loc)}`;
}
