import type { Sandbox } from '@lachesis/sdk/sandbox';

import { writeProbeProgram } from '../cases/probe.ts';
import type { Probe } from '../cases/probe.ts';

export interface ProbeFindings {
  /** Those that got through although every wall, or this one, refuses them. */
  readonly through: readonly string[];
  /** Got through a wall that has no filter of ours, where they do no harm. */
  readonly unfiltered: readonly string[];
  /** Did not run as written, which shows nothing. */
  readonly broken: readonly string[];
}

export interface RunProbesOptions {
  readonly sandbox: Sandbox;
  readonly probes: readonly Probe[];
  readonly env: Readonly<Record<string, string>>;
  /** The wall has our filter of system calls. */
  readonly isFiltered: boolean;
}

/** Puts all probes to one sandbox with one command. */
export async function runProbes({ sandbox, probes, env, isFiltered }: RunProbesOptions): Promise<ProbeFindings> {
  const result = await sandbox.exec(['python3', '-'], { input: writeProbeProgram(probes), env });
  const answers = new Map<number, { verdict: string; why: string }>();
  for (const line of result.stdout.split('\n').filter((each) => each.startsWith('['))) {
    const [index, verdict, why] = JSON.parse(line) as [number, string, string];
    answers.set(index, { verdict, why });
  }
  const through: string[] = [];
  const unfiltered: string[] = [];
  const broken: string[] = [];
  probes.forEach(({ name, wall }, index) => {
    const answer = answers.get(index);
    if (answer === undefined) broken.push(`${name} (no answer; ${result.end} ${result.stderr.slice(-200)})`);
    else if (answer.verdict === 'broken') broken.push(`${name} (${answer.why})`);
    else if (answer.verdict === 'through' && (isFiltered || wall === 'every')) through.push(name);
    else if (answer.verdict === 'through') unfiltered.push(name);
  });
  return { through, unfiltered, broken };
}
