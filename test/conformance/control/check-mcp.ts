import { RL_TOOL_NAMES } from '@lachesis/protocol';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';

import type { ControlPlan } from '../../peers/aiohttp/run-control-client.ts';
import type { Check } from './check-facts.ts';

const FURTHER = ['improve_start', 'improve_stop', 'env_source', 'env_check', 'rl_health_check'];

const STEP_PAUSE_MS = 500;
const FINAL = new Set(['stopped', 'completed', 'failed']);

interface ToolReply {
  isError: boolean;
  value: Record<string, unknown>;
}

/** Drives a whole run through the official client. What it refuses by itself, such as output that breaks its schema, is a check that fails. */
export async function checkMcp(client: Client, plan: ControlPlan, log: (text: string) => void): Promise<Check[]> {
  const checks: Check[] = [];
  const progress = { told: 0, rises: true };
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolReply> => {
    let last = 0;
    const reply = await client.callTool({ name, arguments: args }, undefined, {
      onprogress: (told) => {
        progress.told += 1;
        progress.rises &&= told.progress > last;
        last = told.progress;
      },
    });
    const [content] = reply.content as { type: string; text: string }[];
    const value = JSON.parse(content?.text ?? 'null') as Record<string, unknown>;
    const isError = reply.isError === true;
    if (!isError && JSON.stringify(value) !== JSON.stringify(reply.structuredContent)) {
      throw new Error(`${name}: text and structure differ`);
    }
    return { isError, value };
  };
  const check = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    try {
      checks.push([what, await holds()]);
    } catch (error) {
      log(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      checks.push([what, false]);
    }
  };
  const succeeds = (name: string, args: Record<string, unknown>, holds: (value: ToolReply['value']) => boolean) =>
    check(name, async () => {
      const { isError, value } = await call(name, args);
      if (isError) log(`${name}: ${JSON.stringify(value)}`);
      return !isError && holds(value);
    });
  const fails = (what: string, name: string, args: Record<string, unknown>, words: string) =>
    check(what, async () => {
      const { isError, value } = await call(name, args);
      return isError && String(value['error']).includes(words);
    });

  await check(
    'ten tools, two of improvements and three that look around, each with input, output and hints',
    async () => {
      const { tools } = await client.listTools();
      return (
        tools.map(({ name }) => name).join() === [...RL_TOOL_NAMES, ...FURTHER].join() &&
        tools.every(({ outputSchema, annotations }) => outputSchema !== undefined && annotations !== undefined) &&
        tools
          .filter(({ annotations }) => annotations?.destructiveHint === true)
          .map(({ name }) => name)
          .join() === 'rl_stop_training,improve_stop'
      );
    },
  );
  const [field, value] = plan.edit;
  await succeeds('rl_list_environments', {}, ({ count, tips }) => Number(count) > 0 && Array.isArray(tips));
  await fails('an unknown environment', 'rl_select_environment', { name: 'no_such_one' }, plan.environment);
  await succeeds('rl_select_environment', { name: plan.environment }, (got) => got['environment'] === plan.environment);
  await succeeds('rl_get_current_config', {}, (got) => Array.isArray(got['locked_fields']));
  await succeeds('rl_edit_config', { field, value }, (got) => got['field'] === field);
  for (const [name, wrong] of plan.bad_edits) {
    await fails(`a wrong edit of ${name}`, 'rl_edit_config', { field: name, value: wrong }, name);
  }
  let runId = '';
  await succeeds('rl_start_training', {}, (got) => {
    runId = String(got['run_id']);
    return got['status'] === 'starting';
  });
  await fails('an unknown run', 'rl_check_status', { run_id: 'nosuchid' }, 'nosuchid');
  await check('rl_check_status', async () => {
    const end = performance.now() + plan.wait_seconds * 1000;
    while (performance.now() < end) {
      const { value: status, isError } = await call('rl_check_status', { run_id: runId });
      if (isError || FINAL.has(String(status['status']))) {
        log(JSON.stringify(status));
        return false;
      }
      // Its state is told at once when it changes, so that nobody waits half an hour for it.
      if (status['status'] === 'running') return true;
      await new Promise((resolve) => setTimeout(resolve, STEP_PAUSE_MS));
    }
    return false;
  });
  await check('a check that comes too soon says when to ask again', async () => {
    const { value: limited } = await call('rl_check_status', { run_id: runId });
    return limited['rate_limited'] === true && Number(limited['next_check_in_seconds']) > 0;
  });
  await succeeds('rl_list_runs', {}, ({ runs }) => JSON.stringify(runs).includes(runId));
  if (plan.prompts.length > 0) {
    await succeeds('rl_test_inference', { prompts: plan.prompts }, (got) => got['status'] === 'completed');
  }
  const read = async (uri: string): Promise<string> =>
    ((await client.readResource({ uri })).contents[0] as { text: string }).text;
  await check('resources: runs, logs, metrics', async () => {
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    const lines = await read(`lachesis://runs/${runId}/logs/trainer`);
    const metrics = await read(`lachesis://runs/${runId}/metrics`);
    return (
      uris.includes('lachesis://runs') &&
      uris.includes(`lachesis://runs/${runId}/logs/api`) &&
      lines !== '' &&
      metrics.includes(runId)
    );
  });
  await check('resources: jobs', async () =>
    Array.isArray((JSON.parse(await read('lachesis://jobs')) as { jobs?: unknown }).jobs),
  );
  await check('resources: skills', async () => {
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    const skills = uris.filter((uri) => uri.startsWith('lachesis://skills/'));
    const texts = await Promise.all(skills.map(read));
    return skills.length >= 2 && texts.every((text) => text.startsWith('# '));
  });
  await check('resource templates', async () => (await client.listResourceTemplates()).resourceTemplates.length >= 3);
  await succeeds('rl_stop_training', { run_id: runId }, (got) => got['run_id'] === runId);
  await succeeds('rl_get_results', { run_id: runId }, (got) => 'weights_path' in got && 'history' in got);
  checks.push(['progress was told, and rose', progress.told > 0 && progress.rises]);
  return checks;
}
