import { callTool, send, type Attack } from './attack.ts';
import type { World } from '../subject/open-world.ts';

/** Which secret of the server a process that loaded the environment holds, except where it may. */
function findGiven({ loads, findSecret }: World, mayHold = /^$/): string | undefined {
  const found = loads
    .flatMap(({ variables, command }) => Object.entries(variables).map((entry) => ({ entry, command })))
    .find(({ entry: [name, value] }) => findSecret(value) !== undefined && !mayHold.test(name));
  return found && `${found.command.join(' ')} holds ${found.entry[0]}`;
}

/** What an environment's file can do when it is only looked at. */
const reading: Attack = {
  ...{ rule: 'variables', name: 'reading the configuration, for variables, files and processes of the server' },
  async run(world) {
    await callTool(world, 'rl_get_current_config', {});
    const reads = world.loads.filter(({ command }) => command.join(' ') === 'env describe');
    if (reads.length === 0) return 'the environment was not looked at';
    const did = reads.flatMap((each) => each.did);
    return did.length > 0 ? `the file of an environment that was only read ${did.join(' and ')}` : findGiven(world);
  },
};

/** An environment that is tried is given its provider's key, and nothing else of the server's. */
const testing: Attack = {
  ...{ rule: 'variables', name: 'a test of inference, for the variables of the server' },
  async run(world) {
    const answer = await callTool(world, 'rl_test_inference', { num_steps: 1, group_size: 1 });
    if (answer.isFailure) return `the test was not made: ${answer.text}`;
    return findGiven(world, /^LACHESIS_(?:OPENAI_(?:\d+_)?API_KEY|REWARD_KEY)$/);
  },
};

/** Prompts go to the provider with its own key, and with no token of ours. */
const prompting: Attack = {
  ...{ rule: 'variables', name: 'prompts to the provider, for the token of the server' },
  async run(world) {
    const answer = await callTool(world, 'rl_test_inference', { prompts: ['Say hello.'] });
    if (answer.isFailure) return `the test was not made: ${answer.text}`;
    return world.leaked.at(0);
  },
};

/** The engine of a run that is started, and the logs of that run. */
const starting: Attack = {
  ...{ rule: 'variables', name: 'a run, for the token at the engine and keys in its logs' },
  async run(world) {
    const started = await callTool(world, 'rl_start_training', {});
    if (started.isFailure) return undefined;
    const { run_id: runId } = started.value as { run_id: string };
    await callTool(world, 'rl_check_status', { run_id: runId });
    await send(world, 'GET', `/runs/${runId}/why`);
    await callTool(world, 'rl_stop_training', { run_id: runId });
    const said = (await callTool(world, 'rl_check_status', { run_id: runId })).text;
    return world.findSecret(said) === undefined ? world.leaked.at(0) : 'the status of the run holds a key';
  },
};

export const PROCESS_ATTACKS: readonly Attack[] = [reading, prompting, testing, starting];
