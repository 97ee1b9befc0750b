import { chown } from 'node:fs/promises';
import { join } from 'node:path';

import { startProcess } from '../../../kit/start-process.ts';
import type { Scenario, ScenarioContext, ScenarioLine } from '../../../scenarios/scenario.ts';
import { delegateGroups } from '../world/delegate-groups.ts';

/** Of nobody on an ordinary system. */
const UID = 54_321;
const PROGRAM = join(import.meta.dirname, '../world/ordinary-process.ts');
/** Joins groups before it becomes the program, and has them left when it ends. */
const JOIN = 'for folder in $GROUPS_TO_JOIN; do echo 0 > "$folder/cgroup.procs" || exit 1; done; exec "$@"';

/** The same for somebody who is not root: without groups of their own they are told so, and with them everything holds. */
export const ordinaryScenario: Scenario = {
  name: 'ordinary-user',
  title: 'an ordinary user’s sandboxes hold as root’s do, or say which limit cannot be held',
  async run(context) {
    if (process.getuid?.() !== 0) {
      context.reportNotRun({ name: 'an ordinary user', why: 'becoming another user needs root', bar: 'as for root' });
      return;
    }
    const alone = await run(context, 'alone', []);
    const refusal = (alone[0] as { refusal?: string } | undefined)?.refusal ?? 'it said nothing';
    context.report({
      name: 'limits that cannot be held',
      figure: refusal.slice(0, 120),
      bar: 'refused, with their names and what to do',
      ok: /memoryBytes and processes.*cannot be held.*namespace:watched/.test(refusal),
    });
    const groups = delegateGroups(`lachesis-ordinary-${process.pid}`, UID);
    if (typeof groups === 'string') {
      context.reportNotRun({ name: 'escapes, an ordinary user', why: groups, bar: '0' });
      return;
    }
    context.defer(() => groups.remove());
    const lines = (await run(context, 'delegated', groups.folders)) as ScenarioLine[];
    for (const line of lines) context.report(line);
    if (lines.length < 5) throw new Error(`the ordinary user’s program reported ${lines.length} lines`);
  },
};

async function run(context: ScenarioContext, mode: string, folders: readonly string[]): Promise<unknown[]> {
  const scratch = await context.scratch();
  await chown(scratch, UID, UID);
  const lines: unknown[] = [];
  const running = await startProcess({
    ...{ command: 'sh', env: { GROUPS_TO_JOIN: folders.join(' ') } },
    args: ['-c', JOIN, 'sh', process.execPath, '--conditions=lachesis-source', PROGRAM, mode, scratch, String(UID)],
    onLine: (line) => {
      if (line.startsWith('{')) lines.push(JSON.parse(line));
    },
  });
  context.defer(async () => running[Symbol.asyncDispose]());
  const { code } = await running.exited;
  if (code !== 0) throw new Error(`the ordinary user’s program ended with ${code}: ${running.logs().slice(-800)}`);
  return lines;
}
