import {
  realClock,
  rlToolInputSchemas,
  rlToolOutputSchemas,
  type Clock,
  type RlToolInputs,
  type RlToolName,
  type RlToolOutputs,
} from '@lachesis/protocol';
import { ClientError } from '../client-error.ts';
import type { ControlClient } from '../control.ts';
import { checkStatus } from './check-status.ts';
import { describeFailure } from './describe-failure.ts';
import { createStatusLimit } from './limit-status.ts';
import { RL_TOOL_TEXTS } from './rl-tool-texts.ts';
import type { RlTool, RlToolAnswer, RlToolCallOptions, RlToolFailure, RlTools } from './rl-tool.ts';
import { testInference } from './test-inference.ts';

/** Which control server the tools drive, and how long a call waits for an inference test. */
export interface RlToolsOptions {
  client: ControlClient;
  clock?: Clock | undefined;
  /** How long rl_test_inference waits for a test to end before it gives what there is; default 45 seconds. */
  testWaitMs?: number | undefined;
}

/** Clients of models and of MCP wait a minute for a tool. */
const TEST_WAIT_MS = 45_000;

/**
 * A model reads the history in one answer, and agents cut answers of more than some 20,000 characters: these series and
 * rows are about 15,000. The last value of every series is told all the same, and the metrics themselves have no limit.
 */
const HISTORY_ROWS = 25;
const HISTORY_SERIES = [
  ...['train/loss', 'reward/mean', 'logprobs/diff', 'advantages/std'],
  ...['train/percent_correct', 'train/mean_reward', 'eval/percent_correct', 'eval/mean_reward'],
];

const LIST_TIPS = [
  'Select one with rl_select_environment, then read its fields with rl_get_current_config.',
  'The file at file_path shows how tasks are made and how replies are scored.',
  'Try it with rl_test_inference before rl_start_training: a test is cheap, a run is not.',
];

/** A failure that a tool words itself. */
class ToolRefusal extends Error {
  readonly failure: RlToolFailure;
  constructor(failure: RlToolFailure) {
    super(failure.error);
    this.failure = failure;
  }
}

/** The ten tools over a control server. The limit on status checks is theirs: make them once for each agent. */
export function createRlTools({ client, clock = realClock, testWaitMs = TEST_WAIT_MS }: RlToolsOptions): RlTools {
  const limit = createStatusLimit({ now: () => clock.now() });

  type Work<Name extends RlToolName> = (
    input: RlToolInputs[Name],
    options: RlToolCallOptions,
  ) => Promise<RlToolOutputs[Name]>;

  const make = <Name extends RlToolName>(name: Name, work: Work<Name>): RlTool<Name> => ({
    name,
    ...RL_TOOL_TEXTS[name],
    inputSchema: rlToolInputSchemas[name],
    outputSchema: rlToolOutputSchemas[name],
    run: async (input, options = {}): Promise<RlToolAnswer<Name>> => {
      const checked = rlToolInputSchemas[name].safeParse(input ?? {});
      if (!checked.success) {
        return fail({ error: describeIssues(name, checked.error.issues), code: 'invalid' });
      }
      try {
        options.signal?.throwIfAborted();
        // The schema of the name has just read it.
        const value = await work(checked.data as RlToolInputs[Name], options);
        return { isFailure: false, value, text: JSON.stringify(value, null, 2) };
      } catch (error) {
        return fail(error instanceof ToolRefusal ? error.failure : describeFailure(error, { url: client.url }));
      }
    },
  });

  return {
    rl_list_environments: make('rl_list_environments', async (_input, { signal }) => {
      const environments = await client.listEnvironments({ signal });
      return { environments, count: environments.length, tips: LIST_TIPS };
    }),
    rl_select_environment: make('rl_select_environment', async ({ name }, { signal }) => {
      try {
        return await client.selectEnvironment(name, { signal });
      } catch (error) {
        if (!ClientError.isInstance(error) || error.status !== 404) throw error;
        const available = (await client.listEnvironments({ signal })).map((each) => each.name);
        throw new ToolRefusal({
          error: `There is no environment ${name}. ${available.length === 0 ? 'None was found; `lachesis env new <name>` makes one.' : `Available: ${available.join(', ')}.`}`,
          code: 'not-found',
          available,
        });
      }
    }),
    rl_get_current_config: make('rl_get_current_config', (_input, { signal }) => client.readConfig({ signal })),
    rl_edit_config: make('rl_edit_config', (edit, { signal }) => client.editConfig(edit, { signal })),
    rl_start_training: make('rl_start_training', (limits, { signal }) => client.startRun(limits, { signal })),
    rl_check_status: make('rl_check_status', ({ run_id: runId }, { signal }) =>
      checkStatus({ client, limit, runId, signal }),
    ),
    rl_stop_training: make('rl_stop_training', ({ run_id: runId }, { signal }) => client.stopRun(runId, { signal })),
    rl_get_results: make('rl_get_results', ({ run_id: runId }, { signal }) =>
      client.readMetrics(runId, { series: HISTORY_SERIES.join(), limit: HISTORY_ROWS }, { signal }),
    ),
    rl_list_runs: make('rl_list_runs', (_input, { signal }) => client.listRuns({}, { signal })),
    rl_test_inference: make('rl_test_inference', async (input, options) => {
      const clash = findClash(input);
      if (clash !== undefined) throw new ToolRefusal({ error: clash, code: 'invalid' });
      return testInference({ client, clock, input, waitMs: testWaitMs, ...options });
    }),
  };
}

const fail = (value: RlToolFailure): { isFailure: true; value: RlToolFailure; text: string } => ({
  isFailure: true,
  value,
  text: JSON.stringify(value, null, 2),
});

interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function describeIssues(name: RlToolName, issues: readonly SchemaIssue[]): string {
  const places = issues.slice(0, 3).map(({ path, message }) => {
    const place = path.map(String).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  const known = Object.keys(rlToolInputSchemas[name].shape);
  const takes = known.length === 0 ? 'It takes no arguments.' : `It takes ${known.join(', ')}.`;
  return `${name} was called with arguments it cannot use (${places.join('; ')}). ${takes}`;
}

/** The two forms of the test, and reading on, do not mix. */
function findClash(input: RlToolInputs['rl_test_inference']): string | undefined {
  const given = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (input.test_id !== undefined && given.length > 1) {
    return 'test_id reads on in a test that has begun. Call rl_test_inference with test_id alone.';
  }
  const ofSteps = ['num_steps', 'group_size', 'models'].filter((name) => given.includes(name));
  if (input.prompts !== undefined && ofSteps.length > 0) {
    return `prompts and ${ofSteps.join(', ')} belong to two kinds of test. Give prompts (with expected, max_tokens, temperature), or num_steps, group_size and models.`;
  }
  const ofPrompts = ['expected', 'max_tokens', 'temperature'].filter((name) => given.includes(name));
  if (input.expected !== undefined && input.prompts !== undefined && input.expected.length !== input.prompts.length) {
    return `expected has ${input.expected.length} answers for ${input.prompts.length} prompts. Give one for each, null where there is none.`;
  }
  if (input.prompts === undefined && ofPrompts.length > 0) {
    return `${ofPrompts.join(', ')} need prompts. Give prompts, or leave them out to test with the environment's own tasks.`;
  }
  return undefined;
}
