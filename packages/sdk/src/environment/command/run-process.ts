import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeConfigYaml } from '../../config/print-config.ts';
import { openGroupFile } from '../output/open-group-file.ts';
import { checkServers } from '../policy/check-servers.ts';
import { createProgress } from '../runner/create-progress.ts';
import { processEnvironment } from '../runner/process-environment.ts';
import type { CommandRun } from './command-run.ts';

/** With no number of groups of its own, a file of this many is made: the default of 2,500 steps is meant for training. */
const DEFAULT_GROUPS = 10;

export async function runProcess(run: CommandRun): Promise<void> {
  const { definition, resolved, clock, signal } = run;
  const { env: config } = resolved.values;
  const isCounted = resolved.origins['env.total_steps'] !== 'default' || definition.defaults.total_steps !== undefined;
  const groups = isCounted && config.total_steps > 0 ? config.total_steps : DEFAULT_GROUPS;
  await checkServers({ ...run, servers: run.servers });
  const environment = await definition.open({ config, signal, log: (text) => run.err(`${text}\n`) });
  const file = await openGroupFile({
    file: config.data_path_to_save_groups ?? path.join('data', `${definition.name}.jsonl`),
    definition,
    environment,
  });
  const progress = createProgress({
    mode: run.progressMode,
    name: definition.name,
    write: run.json ? run.out : run.err,
    now: clock.now,
    goal: { count: groups, unit: 'groups' },
  });
  const model = run.servers[0]?.model_name ?? 'default';
  let textOnly = 0;
  try {
    await writeFile(`${file.path}.config.yaml`, writeConfigYaml(resolved));
    const summary = await processEnvironment({
      definition,
      environment,
      policy: run.policyFor({ needsTokens: false }),
      groups,
      nextId: run.nextId,
      now: clock.now,
      signal,
      onEvent: progress.onEvent,
      writeGroup: async (group) => {
        if (group.rollouts.some(({ sequences }) => sequences.length === 0)) textOnly += 1;
        await file.write(group);
        for (const { result, outcome } of group.rollouts) {
          const messages = result?.messages ?? [];
          if (messages.length > 0) run.onConversation({ task: group.drawn.key, model, messages, outcome });
        }
      },
    });
    progress.end();
    if (textOnly > 0) {
      run.err(`${textOnly} groups are text only: the server gives no token ids, so they cannot be trained on.\n`);
    }
    run.out(
      run.json
        ? `${JSON.stringify({ file: file.path, page: file.pagePath, ...summary, text_only: textOnly })}\n`
        : `${summary.groups} groups in ${file.path}\n  to look at: ${file.pagePath}\n`,
    );
  } finally {
    await file.close();
    await environment.close();
  }
}
