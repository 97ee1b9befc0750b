import type { RlToolName } from '@lachesis/protocol';
import { callTool, send, type Attack } from './attack.ts';

/** Ids that lead elsewhere. None of them is one that a tool can have been given. */
const IDS = ['..', '.', '../config', '../../config', '%2e%2e', 'x/../../config', '..%2fconfig', '?a=b', '#', 'a\0b'];

const TOOLS: readonly (readonly [RlToolName, string])[] = [
  ['rl_check_status', 'run_id'],
  ['rl_get_results', 'run_id'],
  ['rl_stop_training', 'run_id'],
  ['rl_test_inference', 'test_id'],
];

const ids: Attack[] = TOOLS.map(([tool, name]) => ({
  rule: 'ids',
  name: `${IDS.length} ids that climb: ${tool}`,
  async run(world) {
    for (const id of IDS) {
      const answer = await callTool(world, tool, { [name]: id });
      if (!answer.isFailure) return `${tool} took ${JSON.stringify(id)}`;
      if (Number(answer.value['http_status'] ?? 0) >= 500) return `${JSON.stringify(id)} broke the server`;
    }
    return undefined;
  },
}));

const names: Attack[] = ['..', '../../outside/evil.mjs', '/etc/passwd', 'data/link.mjs', 'PROBE\0', '__proto__'].map(
  (name) => ({
    rule: 'ids',
    name: `an environment that is none: ${JSON.stringify(name)}`,
    run: async (world) =>
      (await callTool(world, 'rl_select_environment', { name })).isFailure ? undefined : 'it was selected',
  }),
);

const models: Attack[] = [
  {
    ...{ rule: 'ids', name: 'a model that is an address' },
    async run(world) {
      const before = world.asked.length;
      await callTool(world, 'rl_test_inference', {
        ...{ num_steps: 1, group_size: 1, models: [`http://127.0.0.1:${world.canaryPort}/v1/../../x`] },
      });
      return world.asked.length > before ? world.asked.at(-1) : undefined;
    },
  },
  {
    ...{ rule: 'ids', name: 'arguments the tools do not have' },
    async run(world) {
      const calls: [RlToolName, object][] = [
        ['rl_start_training', { config: { reward: 'data/link.mjs' } }],
        ['rl_test_inference', { base_url: `http://127.0.0.1:${world.canaryPort}`, prompts: ['x'] }],
        ['rl_edit_config', { field: 'style', value: 'x', force: true }],
        ['rl_get_current_config', { tenant: 'local' }],
      ];
      for (const [tool, input] of calls) {
        if (!(await callTool(world, tool, input)).isFailure) return `${tool} took ${JSON.stringify(input)}`;
      }
      return undefined;
    },
  },
  {
    ...{ rule: 'ids', name: 'what a token of an agent does not open' },
    async run(world) {
      for (const [method, path] of [
        ['DELETE', '/v1/trajectories/x'],
        ['POST', '/v1/forget'],
        ['POST', '/v1/feedback'],
        ['POST', '/v1/records'],
      ] as const) {
        const { status } = await send(world, method, path, {});
        if (status !== 403) return `${method} ${path} answered ${status}`;
      }
      return undefined;
    },
  },
];

export const ID_ATTACKS: readonly Attack[] = [...ids, ...names, ...models];
