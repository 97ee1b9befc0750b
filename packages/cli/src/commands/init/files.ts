/** A file of a new project: where it goes, and what is in it. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

// Named here, because what is text in this file is not imported by it.
const DOOR = '@lachesis/sdk/environment';
const SCHEMAS = 'zod';

const ENVIRONMENT = 'many-vowels';
const RECIPE = 'first-run';

/** What `lachesis init` writes. The environment rewards what even a model of random weights does now and then. */
export function listProjectFiles({ name }: { name: string }): ProjectFile[] {
  return [
    { path: `environments/${ENVIRONMENT}.ts`, text: environment },
    { path: `recipes/${RECIPE}.yaml`, text: recipe },
    { path: '.gitignore', text: gitignore },
    { path: 'README.md', text: readme(name) },
  ];
}

const environment = `import { defineEnvironment, runEnvironment, scored } from '${DOOR}';
import { z } from '${SCHEMAS}';

export const environment = defineEnvironment({
  name: '${ENVIRONMENT}',
  description: 'Replies full of vowels; the reward is their share.',

  // Own settings: --env.letters xyz. Descriptions become --help.
  config: z.object({
    letters: z.string().default('aeiou').describe('letters that are wanted'),
  }),
  defaults: { group_size: 16, batch_size: 64, max_token_length: 64, max_completion_tokens: 12 },

  // Training and evaluation never share an item.
  items: {
    train: ['Write a word.', 'Give a word.', 'Say a word.', 'Tell a word.'],
    evaluation: ['Send a word.', 'Name a word.'],
  },

  formatPrompt: (prompt) => prompt,

  // From 0 to 1. Change what is rewarded, and the model learns that instead.
  computeReward: (_prompt, { finalResponse }, { config }) => {
    const characters = [...finalResponse.toLowerCase()];
    const hits = characters.filter((character) => config.letters.includes(character)).length;
    return scored(characters.length === 0 ? 0 : hits / characters.length);
  },

  // \`lachesis env check\` grades both.
  examples: () => ({ right: 'aeiou', wrong: 'rhythm' }),
});

// node environments/${ENVIRONMENT}.ts serve|process|evaluate --env.group_size 8 …
if (import.meta.main) await runEnvironment(environment);
`;

const recipe = `# Twenty steps of a tiny model on this machine, without GPU, account or key.
# Another model: set tokenizer_name and base_model to its name, and TINKER_BASE_URL or TINKER_API_KEY.
environment: ${ENVIRONMENT}

env:
  group_size: 16
  batch_size: 64
  max_token_length: 64
  max_num_workers: 4
  max_batches_offpolicy: 1
  total_steps: 20
  steps_per_eval: 0
  rollout_server_url: http://localhost:8000
  use_wandb: false

# What an agent may set through the control API although it stands here; paths, addresses and code only if they are listed.
editable: [group_size, batch_size]

openai:
  - base_url: http://localhost:8001/v1
    api_key: x

tinker:
  # Whatever the engine has.
  base_model: engine
  lora_rank: 8
  learning_rate: 1.0e-3
  max_token_trainer_length: 128
  save_checkpoint_interval: 10
  mode: sync
`;

const gitignore = `node_modules/
checkpoints/
# Keys belong into \`lachesis config set\`, and never here.
.env
*.env
# What \`lachesis env process\` and \`evaluate\` write.
data/
`;

const readme = (name: string): string => `# ${name}

An agent that gets better: an environment that rewards, and a recipe that trains on it.

\`\`\`sh
lachesis doctor                                                  # is everything here?
lachesis env check environments/${ENVIRONMENT}.ts                  # does the environment work?
lachesis train --config recipes/${RECIPE}.yaml --start-engine     # twenty steps on this machine
\`\`\`

| file | |
|---|---|
| \`environments/${ENVIRONMENT}.ts\` | tasks and their reward; copy it, or \`lachesis env new my-task\` |
| \`recipes/${RECIPE}.yaml\` | model, batch, steps |

With a control server, for agents and several runs: \`lachesis up --recipe ${RECIPE}\`, then \`lachesis runs watch\`.
`;
