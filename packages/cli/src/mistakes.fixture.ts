/** What somebody types, the exit code, and every word of the reply. `<home>` stands for the home, `<folder>` for where it is typed, `<shipped>` for our recipes. */
export type Mistake = readonly [typed: string, code: number, sentence: string];

/** Files of the folder in which the mistakes are made. */
export const FILES: Readonly<Record<string, string>> = {
  'broken.yaml': 'env:\n  group_size: 4\n   total_steps: 3\n',
  'tab.yaml': 'env:\n\tgroup_size: 4\n',
  'setting.yaml': 'tinker:\n  lora_rnk: 4\n',
  'section.yaml': 'envv:\n  group_size: 4\n',
  'value.yaml': 'env:\n  group_size: four\n',
  'rules.yaml': '- name: polite\n  kind: contains\n',
  'rows.jsonl': 'not json\n',
};

const NO_ENGINE =
  'there is no engine to train on. Three ways: `lachesis engine up` starts a small one on this machine; TINKER_BASE_URL=http://… names a Tinker server; TINKER_API_KEY=… uses the managed service.';

const NO_RUNS = 'no run was started here yet. `lachesis train`, `lachesis runs start` or POST /runs starts one.';

/** Mistakes that people make by nature. Each reply names the cause and what to type. */
export const MISTAKES: readonly Mistake[] = [
  // Words.
  ['trajectory list', 2, 'there is no command lachesis trajectory. Did you mean lachesis trajectories?'],
  ['runs strat', 2, 'there is no command lachesis runs strat. Did you mean lachesis runs start?'],
  ['help trian', 2, 'there is no command lachesis trian. Did you mean lachesis train?'],
  ['upp', 2, 'there is no command lachesis upp. Did you mean lachesis up?'],
  ['finetune', 2, 'there is no command lachesis finetune. Did you mean lachesis train sft?'],
  ['kubernetes', 2, 'there is no command lachesis kubernetes. `lachesis --help` lists what there is.'],
  ['--jsn', 2, 'there is no option --jsn before a command. `lachesis --help` lists them.'],
  ['completion tcsh', 2, 'completion is there for bash, zsh, fish, and "tcsh" was given: lachesis completion bash.'],
  [
    'improve --model talker stop',
    2,
    '"stop" belongs to no option. The name of a command comes before all options: `lachesis improve --help` lists them.',
  ],
  ['ui extra', 2, '"extra" belongs to no option: `lachesis ui --help` lists what it takes.'],
  ['models list --json talker', 2, '"talker" belongs to no option: `lachesis models list --help` lists what it takes.'],
  // Guides.
  [
    'skills view author-an-enviroment',
    1,
    'there is no skill "author-an-enviroment". Did you mean author-an-environment?',
  ],
  [
    'skills install official/mlops/feedback',
    1,
    'there is no skill "official/mlops/feedback". Did you mean learn-from-feedback?',
  ],
  ['skills view kubernetes', 1, 'there is no skill "kubernetes". `lachesis skills browse` lists them.'],
  ['skills install', 1, 'say which guide to install, or --all.'],
  ['skills install --all --for cursor', 2, '--for wants agents, claude or lachesis, and "cursor" was given.'],
  ['skills search zzzz', 1, 'no skill has "zzzz" in it. `lachesis skills browse` lists all.'],
  // Options.
  ['trajectories list --modle gpt', 2, 'there is no option --modle. Did you mean --model?'],
  ['up --upstream http://localhost:11434/v1', 2, 'there is no option --upstream. Did you mean --upstream-url?'],
  [
    'up --upstream-url localhost:11434',
    78,
    '--upstream-url is "localhost:11434": it must be an http:// or https:// URL (OpenAI-compatible server to pass requests on to instead, with its /v1; its key is LACHESIS_UPSTREAM_API_KEY)',
  ],
  [
    'up --port 99999 --upstream-url http://localhost:11434/v1',
    78,
    '--port is "99999": it must be between 0 and 65535 (port to listen on; 0 takes a free one)',
  ],
  [
    'up --capture false --upstream-url http://localhost:11434/v1',
    2,
    '--capture is a switch and takes no value. Leave "false" out, or turn it off with --no-capture.',
  ],
  ['trajectories list --limit ten', 1, '--limit wants a whole number, and "ten" was given.'],
  [
    'trajectories list --since yesterday',
    1,
    '--since wants 30m, 12h, 7d or a date such as 2026-11-15, and "yesterday" was given.',
  ],
  ['trajectories list --has-error maybe', 1, '--has-error wants true or false, and "maybe" was given.'],
  ['trajectories stats --by colour', 2, '--by wants one of model, user, key, run, day, and "colour" was given.'],
  [
    'chat llama --base-url localhost:11434',
    1,
    '--base-url wants an address such as http://localhost:11434/v1, and "localhost:11434" was given.',
  ],
  [
    'trajectories list --server localhost:8080',
    1,
    'the address of the control server must be one such as http://127.0.0.1:8080, and "localhost:8080" was given with --server or LACHESIS_URL.',
  ],
  // Nothing said.
  [
    'up',
    1,
    'there is no model to record. Give one of: --upstream-url https://…/v1 (any OpenAI-compatible server; its key is LACHESIS_UPSTREAM_API_KEY), --engine-url http://… (a Tinker server), TINKER_API_KEY (the managed service), --recipe cpu_tiny (starts a small engine on this machine).',
  ],
  ['agent', 1, 'say what to do: lachesis agent "Train Qwen3-8B on GSM8K", or --interactive.'],
  [
    'train --environment digits --grid tinker.learning_rat=1',
    1,
    'There is no setting tinker.learning_rat, which the command line gives. Did you mean tinker.learning_rate?',
  ],
  ['train sft', 2, 'give what to learn from: --dataset name@version.'],
  ['improve', 1, 'say which model gets better: --model name.'],
  [
    'improve --model nosuch',
    1,
    'nothing is recorded or registered by the name "nosuch". `lachesis up` records what an agent does, and `lachesis rate` rates it.',
  ],
  [
    'models export',
    2,
    'lachesis models export wants <model>: name (its newest version), name@version, an id, run:step or a tinker:// path. `lachesis models export --help` says more.',
  ],
  ['models compare a b', 1, 'say on what to measure: --environment name, or --dataset name@version.'],
  ['worker', 1, 'say which run: lachesis worker --batch my_run --database-url postgres://…'],
  [
    'serve inference',
    1,
    'there is nothing to sample from. Give one of: --engine-url http://… (a Tinker server; `lachesis engine up` starts one here), TINKER_API_KEY (the managed service), --upstream-url http://…/v1 (any OpenAI-compatible server).',
  ],
  ['train sft --dataset good@1', 1, NO_ENGINE],
  [
    'train --tinker.loss nosuch.ts',
    1,
    'tinker.loss names <folder>/nosuch.ts, and there is no such file. In a recipe a path counts from the folder of the recipe.',
  ],
  [
    'env evaluate nosuch.yaml',
    78,
    'The file nosuch.yaml cannot be read: there is no such file. Check the path after `env evaluate`.',
  ],
  // Names of things that are not there.
  ['data sets show nosuch', 1, 'there is no data set nosuch. `lachesis data sets list` shows them.'],
  ['models show talker@7', 1, 'there is no model "talker@7". `lachesis models list` shows them.'],
  ['chat talker', 1, 'there is no model "talker". `lachesis models list` shows them.'],
  ['trajectories show 42', 1, 'there is no trajectory 42. `lachesis trajectories list` shows them.'],
  ['runs show abcd', 1, `there is no run "abcd"; ${NO_RUNS}`],
  ['weights download abcd', 1, `there is no run "abcd"; ${NO_RUNS}`],
  [
    'env check nosuch',
    1,
    'There is no environment nosuch. There are gsm8k, arithmetic-toy, digits, terminal-tasks, code-repair, rlhf. A file is named with its path.',
  ],
  [
    'data export shargpt',
    1,
    'there is no format "shargpt". The formats are jsonl, openai, openai-fine-tuning, parquet, sharegpt, sharegpt-openai-roles, trl, hub, axolotl, trl-handoff, unsloth.',
  ],
  [
    'train --config nosuch',
    1,
    'there is no recipe nosuch in recipes or <home>/recipes or <shipped>; there are cpu_tiny, default, quick_test, qwen3_8b, qwen3_8b_ppo, rlhf. Give one of these names, or a YAML file.',
  ],
  // Files.
  ['data import nosuch.jsonl', 1, 'there is no file nosuch.jsonl. Check the path.'],
  [
    'data import rows.jsonl',
    1,
    'the format of rows.jsonl could not be told from its beginning; say --format with one of groups, hermes-database, hermes-sessions, jsonl, openai, parquet, sharegpt, trl.',
  ],
  ['feedback rule --file nosuch.yaml', 1, 'there is no file nosuch.yaml. Check the path after --file.'],
  ['audit verify --file nosuch', 1, 'there is no file nosuch. Check the path after --file.'],
  ['audit verify --against nosuch', 1, 'there is no file nosuch. Check the path after --against.'],
  ['gc --keep-history=-5', 1, '--keep-history wants a whole number of days, or all, and "-5" was given.'],
  ['gc --run a', 1, 'say what the run keeps: lachesis gc --run 3f2a --keep-payloads 30.'],
  [
    'restore nosuch',
    1,
    'nosuch has no manifest.json: the backup was not finished, or lies elsewhere. Nothing was changed.',
  ],
  ['compress --input nosuch', 1, 'there is no file nosuch. Check the path after --input.'],
  [
    'feedback rule --file rules.yaml',
    1,
    'rules.yaml: rule 1 has the field "kind"; there are name, when, score, otherwise.',
  ],
  [
    'train --environment nosuch.ts',
    1,
    'there is no file nosuch.ts. Check the path after --environment; `lachesis env list` shows those with a name.',
  ],
  [
    'train --config broken.yaml',
    1,
    'broken.yaml, line 2, column 15: the line below stands further to the right, and this one has a value already. Look at group_size and the line above it.',
  ],
  [
    'train --config tab.yaml',
    1,
    'tab.yaml, line 2, column 1: it begins with a tab, and YAML wants spaces. Look at group_size and the line above it.',
  ],
  [
    'train --config setting.yaml',
    1,
    'setting.yaml, line 2: There is no setting tinker.lora_rnk, which the file gives. Did you mean tinker.lora_rank?',
  ],
  [
    'train --config section.yaml',
    1,
    'section.yaml, line 1: a recipe has no section envv. Did you mean env? There are environment, environments, openai, editable, slurm, testing, env, tinker.',
  ],
  [
    'train --config value.yaml',
    1,
    'value.yaml, line 2: The setting env.group_size, which the file gives, cannot be used: Invalid input: expected number, received string. Given was "four".',
  ],
  [
    'config set tinker_api_key',
    1,
    '"tinker_api_key" is not a name: capital letters, digits and underscores, a letter first, such as TINKER_API_KEY.',
  ],
];
