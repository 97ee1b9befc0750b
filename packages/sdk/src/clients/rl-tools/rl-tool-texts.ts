import type { RlToolName } from '@lachesis/protocol';
import type { RlToolEffects } from './rl-tool.ts';

export interface RlToolTexts {
  readonly title: string;
  readonly description: string;
  readonly effects: RlToolEffects;
}

const READS: RlToolEffects = { isReadOnly: true, isDestructive: false, isIdempotent: true, isCostly: false };
const SETS: RlToolEffects = { isReadOnly: false, isDestructive: false, isIdempotent: true, isCostly: false };
const SPENDS: RlToolEffects = { isReadOnly: false, isDestructive: false, isIdempotent: false, isCostly: true };
const ENDS: RlToolEffects = { isReadOnly: false, isDestructive: true, isIdempotent: true, isCostly: false };

/** What models and people are told about each tool. */
export const RL_TOOL_TEXTS: Readonly<Record<RlToolName, RlToolTexts>> = {
  rl_list_environments: {
    title: 'List environments',
    description:
      'List the environments a model can be trained on: name, class, file and description. Their code is not run.',
    effects: READS,
  },
  rl_select_environment: {
    title: 'Select an environment',
    description:
      'Choose the environment of the next run and load its default configuration. Edits made before are gone.',
    effects: SETS,
  },
  rl_get_current_config: {
    title: 'Read the configuration',
    description:
      'Show the configuration of the next run: fields that rl_edit_config can change, and locked fields that come from the recipe of the server.',
    effects: READS,
  },
  rl_edit_config: {
    title: 'Edit the configuration',
    description:
      'Set one configurable field of the next run. The value must have the type and hold the bounds that rl_get_current_config shows; locked fields cannot be changed.',
    effects: SETS,
  },
  rl_start_training: {
    title: 'Start training',
    description:
      'Start a run with the selected environment and configuration. Answers at once with a run_id and the status "starting"; checks and processes follow in the background. max_steps, budget and max_tokens end it. Training uses compute that may cost money.',
    effects: SPENDS,
  },
  rl_check_status: {
    title: 'Check a run',
    description:
      'Show status, processes, running time, metrics and logs of a run. Long runs change slowly: asked too soon, it answers with rate_limited and when to ask again. A change of state is always told.',
    effects: READS,
  },
  rl_stop_training: {
    title: 'Stop a run',
    description:
      'End a run for good: its environment, then its trainer, then its trajectory API. Saved checkpoints stay.',
    effects: ENDS,
  },
  rl_get_results: {
    title: 'Get results',
    description:
      'Show the final metrics of a run, their history, and where its weights are (a tinker:// path), also while it runs.',
    effects: READS,
  },
  rl_list_runs: {
    title: 'List runs',
    description: 'List all runs, the newest first, active and ended.',
    effects: READS,
  },
  rl_test_inference: {
    title: 'Test inference',
    description:
      'Try prompts, replies and scores before training. With prompts: ask them and score the replies, by the answers in expected where they are given. Without: num_steps steps of group_size rollouts of the selected environment for each model. A long test answers with a test_id; call again with it alone to read on. Asks models that may cost money.',
    effects: SPENDS,
  },
};
