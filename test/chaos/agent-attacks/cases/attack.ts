import type { RlToolInputs, RlToolName } from '@lachesis/protocol';
import type { RlTool } from '@lachesis/sdk';
import type { RlToolAnswer } from '../../../../packages/sdk/src/clients/rl-tools/rl-tool.ts';
import type { World } from '../subject/open-world.ts';

/** Which rule an attack is held by. */
export type Rule =
  | 'code'
  | 'ids'
  | 'injection'
  | 'kinds'
  | 'lock'
  | 'path'
  | 'project files'
  | 'resources'
  | 'url'
  | 'variables';

/** Something an agent tries. */
export interface Attack {
  readonly name: string;
  readonly rule: Rule;
  /** What it got; undefined when it got nothing. */
  run(world: World): Promise<string | undefined>;
}

/** Calls a tool with whatever was made up; its schema is part of what is attacked. */
export const callTool = (world: World, name: RlToolName, input: unknown): Promise<RlToolAnswer> =>
  (world.tools[name] as RlTool).run(input as RlToolInputs[RlToolName]);

/** Sets a field through the tool, and through the configuration of a run that is started. A function is told the world. */
export function edit(rule: Rule, name: string, field: string, value: unknown): Attack {
  const read = (world: World): unknown =>
    typeof value === 'function' ? (value as (world: World) => unknown)(world) : value;
  return {
    rule,
    name: `${name}: ${field}`,
    async run(world) {
      const given = read(world);
      const edited = await whenAnswered(
        () => callTool(world, 'rl_edit_config', { field, value: given }),
        (answer) => answer.isFailure && answer.value['http_status'] === UNAVAILABLE,
      );
      if (!edited.isFailure) return `${field} was set`;
      // 5xx is a way in too: whoever can break a server can break it for others.
      if (Number(edited.value['http_status'] ?? 0) >= 500) return `the server broke: ${edited.text}`;
      const started = await whenAnswered(
        () => send(world, 'POST', '/runs', { config: { [field]: given } }),
        ({ status }) => status === UNAVAILABLE,
      );
      if (started.status < 400) return `a run was started with ${field}`;
      return started.status >= 500 ? `the server broke: ${started.text}` : undefined;
    },
  };
}

const UNAVAILABLE = 503;
const TRIES = 5;

/** Says "come again" while a machine that others use is too slow to look at an environment; that is no answer yet. */
async function whenAnswered<T>(call: () => Promise<T>, isUnavailable: (answer: T) => boolean): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    const answer = await call();
    if (!isUnavailable(answer) || left === 0) return answer;
  }
}

/** A call without the client, which checks things itself. */
export async function send(
  world: World,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${world.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
}
