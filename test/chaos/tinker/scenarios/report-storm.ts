import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import type { Execution } from '../judge/execution.ts';
import { judgeCalls } from '../judge/judge-calls.ts';
import type { Call } from '../load/call.ts';
import type { StormProxy } from '../proxy/start-storm-proxy.ts';

/** An operation ends by its deadline; this is for an event loop that shares two cores. */
const GRACE_MS = 1_500;
/** A client that gave up at every fault would report nothing wrong. */
const DONE_SHARE = 0.6;
/** A storm that is none would show nothing. */
const FAULT_SHARE = 0.25;

export function reportStorm(
  context: ScenarioContext,
  storm: {
    name: string;
    proxy: StormProxy;
    calls: readonly Call[];
    executions: readonly Execution[];
    hasNumbers: boolean;
    /** What was found by other means. */
    more?: readonly string[];
    least: number;
    seconds: number;
    seed: number;
  },
): void {
  const { name, proxy, calls, executions, hasNumbers, least, seconds, seed } = storm;
  const verdict = judgeCalls({ calls, executions, graceMs: GRACE_MS, hasNumbers });
  const findings = [...verdict.findings, ...(storm.more ?? [])];
  const faults = [...proxy.fates.values()].reduce((sum, times) => sum + times, 0);
  context.log(`faults: ${describeFates(proxy)}`);
  const kinds = Map.groupBy(calls, ({ outcome, error }) => `${outcome} ${error ?? ''}`.trim());
  context.log(`ends: ${[...kinds].map(([kind, of]) => `${of.length} ${kind}`).join(', ')}`);
  for (const [first] of kinds.values()) if (first?.message !== undefined) context.log(`${first.key}: ${first.message}`);
  for (const finding of findings.slice(0, 20)) context.log(finding);
  const ends = `${verdict.done} done, ${verdict.tookEffect} done without their result, ${verdict.failed} failed with a typed error in time`;
  context.report({
    name: `${name} storm`,
    figure: `${calls.length} operations, ${faults} faults, ${ends}; ${executions.length} carried out; ${describeFindings(findings)} (${seconds.toFixed(1)} s, seed ${seed})`,
    bar: `≥ ${least} operations, ≥ ${least * FAULT_SHARE} faults, ≥ ${DONE_SHARE * 100} % done; nothing twice, none wrongly reported, in order, no number burnt, none late`,
    ok:
      calls.length >= least &&
      faults >= least * FAULT_SHARE &&
      verdict.done + verdict.tookEffect >= calls.length * DONE_SHARE &&
      findings.length === 0,
  });
}

/** `3 × cut after, 2 × 503 before`, the most frequent first. */
function describeFates({ fates }: StormProxy): string {
  const sorted = [...fates].sort(([, a], [, b]) => b - a);
  return sorted.map(([fate, times]) => `${times} × ${fate}`).join(', ');
}

function describeFindings(findings: readonly string[]): string {
  const [first] = findings;
  return first === undefined ? '0 findings' : `${findings.length} findings, the first: ${first}`;
}
