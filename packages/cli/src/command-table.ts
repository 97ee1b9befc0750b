export const VERSION = '0.1.0';

/** A command, or a group of them. */
export interface CommandEntry {
  readonly description: string;
  readonly commands?: Readonly<Record<string, CommandEntry>>;
  /** It does something without one of its commands too. */
  readonly isRunAlone?: true;
}

/** What each command is for. Help is made from it, so that asking for help loads no command; a test keeps it to what the commands say of themselves. */
export const COMMANDS: CommandEntry = {
  description: 'The open post-training loop for LLM agents.',
  commands: {
    agent: { description: 'Give a task in words to an agent that trains: lachesis agent "Train Qwen3-8B on GSM8K".' },
    audit: {
      description: 'Who did what: list, verify and export the signed log of this machine.',
      commands: {
        export: {
          description:
            'Write the log as lines of JSON with their signatures. It verifies elsewhere with the public key alone.',
        },
        key: { description: 'Print the public key that the log of this home is signed with.' },
        list: {
          description: 'Show who did what, on which thing, from where, with which result. Newest last.',
        },
        verify: {
          description: 'Say whether the log is as it was written. Ends with 1 and names the first line that is not.',
        },
      },
    },
    backup: {
      description: 'Write the database and its payloads, as of one moment, to a new folder. Servers may go on.',
    },
    batch: {
      description: 'Let an agent answer a file of prompts, and keep its conversations as training data.',
      isRunAlone: true,
      commands: {
        list: { description: 'List jobs, the newest first: how far each is, and whether somebody works on it.' },
        show: { description: 'Show one job: how far it is, what it cost, and why items of it failed.' },
      },
    },
    chat: { description: 'Talk to a model in the terminal: one that you trained, or any other server.' },
    completion: { description: 'Print what bash, zsh or fish needs to complete commands and options.' },
    compress: { description: 'Make long trajectories fit: summarise the middle, keep both ends.' },
    config: {
      description: 'Keep keys such as TINKER_API_KEY in a file that only you can read.',
      commands: {
        get: { description: 'Say whether a key is set and where it comes from. Its value is never shown.' },
        list: { description: 'Show the names that are kept, and when each was set.' },
        set: { description: 'Keep a key in a file that only you can read. Commands see it as a variable.' },
        unset: { description: 'Remove a key from the file.' },
      },
    },
    data: {
      description: 'Data sets: make, check, export and import them.',
      commands: {
        check: {
          description:
            'Say what would go wrong in training: which rows, and what to do. Ends with 1 when there are errors.',
        },
        export: { description: 'Write rows in a format that trainers read. Says what it leaves out.' },
        'from-rollouts': {
          description:
            'Make a data set of what a run has rolled out: the best attempt of each group, or pairs of best and worst.',
        },
        import: { description: 'Read a file into a data set, and say what was repaired and what could not be read.' },
        query: {
          description: 'Ask a question in SQL about conversations and groups that left the database for files.',
        },
        reroll: {
          description: 'Make pairs of disliked replies: a better one is sampled from the same tokens.',
        },
        sets: {
          description: 'Make, list, show and delete data sets.',
          commands: {
            delete: { description: 'Delete one version with its rows; what it held out is free again.' },
            list: { description: 'Show data sets and their versions.' },
            make: { description: 'Make a version of a data set from what was recorded. It never changes again.' },
            show: { description: 'Show one version: what it was made by, and its rows by split.' },
          },
        },
      },
    },
    demo: { description: 'From nothing to a rising reward: engine, model, warm-up, training, all on this machine.' },
    doctor: { description: 'Look at what Lachesis needs on this machine, and say how to fix what is wrong.' },
    engine: {
      description: 'Keep a local training engine (SkyRL on the CPU) that speaks the Tinker API.',
      commands: {
        up: { description: 'Start the engine, and make it first where it is not made yet (Python 3.12, 0.9 GB).' },
        status: { description: 'Show whether the engine runs, where, and with which model.' },
        down: { description: 'Stop the engine. Saved checkpoints stay; models that were not saved are gone.' },
        'make-tiny-model': { description: 'Make a small random Qwen3 that trains within seconds on a CPU.' },
        get: { description: 'Get a real small model: smollm2 (SmolLM2-135M-Instruct, 93 MB to download).' },
      },
    },
    env: {
      description: 'Run, check and make environments.',
      commands: {
        check: {
          description: 'Go through what an environment must be able to do; with --openai.base_url on a real model.',
        },
        describe: { description: 'List the settings of an environment, its own first.' },
        evaluate: {
          description: 'Grade the evaluation split: pass@k with intervals, metrics.json, samples.jsonl, a page.',
        },
        examples: {
          description:
            'Print prompts of training with a reply of the right form each, as JSON lines: what a warm-up teaches.',
        },
        grade: {
          description:
            'Score replies to prompts of an environment: a JSON list of {prompt, response, expected?} on standard input.',
        },
        list: {
          description:
            'List environments in ./environments, in installed packages and in LACHESIS_ENV_PATH; none is run.',
        },
        mix: {
          description:
            'Roll out several environments for one run, each in a process of its own; a run with `environments:` starts it.',
        },
        new: { description: 'Write the file of a new environment.' },
        process: { description: 'Write groups to a JSONL file and a page; no trainer is needed.' },
        reverify: {
          description:
            'Grade groups that `env process` wrote with the verifier of today, and show what changes. No model is asked.',
        },
        sample: {
          description:
            'Roll out tasks with replies that whoever started it gives, as JSON lines: questions and rewards on standard output, replies on standard input.',
        },
        serve: {
          description:
            'Roll out for the trainer of a run. Settings are --env.* and --openai.*: `lachesis env describe <name>`.',
        },
      },
    },
    feedback: {
      description: 'What people, rules and judges think of what was recorded.',
      commands: {
        add: { description: 'Say what you think of a trajectory or of one reply in it.' },
        agreement: { description: 'How far judges, or rules, say what people say.' },
        judge: { description: 'Let a model score trajectories by a rubric. A judge that fails gives no number.' },
        list: { description: 'Show feedback that holds.' },
        rule: { description: 'Let rules of your own score trajectories. Run again, they revise what they said.' },
        withdraw: { description: 'Take feedback back. It no longer counts; that it was given stays known.' },
      },
    },
    gc: { description: 'Let go of what runs no longer keep, and of payloads that nothing refers to.' },
    help: { description: 'Say what a command does and takes: lachesis help train sft.' },
    improve: {
      description: 'From ratings to a better model in service: data set, training, evaluation, promotion, with gates.',
      isRunAlone: true,
      commands: {
        resume: { description: 'Resume an improvement that was stopped or killed, with its own settings.' },
        show: { description: 'Show one improvement: where it stands, what each stage came to, how it ended.' },
        status: { description: 'Show improvements, the newest first: where each stands, and how it ended.' },
        stop: { description: 'End an improvement, here or on a server; its ratings are there for the next one.' },
      },
    },
    inference: {
      description: 'Which model server commands ask when nobody names one.',
      commands: {
        use: {
          description: 'Show or set the model server that env, batch, agent and judges ask when nobody names one.',
        },
      },
    },
    init: { description: 'Begin a project: an environment that works, a recipe, and what to type next.' },
    lineage: {
      description: 'What something was made from, and what was made of it: a rating, a reply, a data set, a model.',
    },
    logs: { description: 'Read or follow (-f) what the processes of a run say.' },
    mcp: {
      description: 'Serve the ten training tools, logs, metrics and skills to agents over the Model Context Protocol.',
    },
    metrics: { description: 'Draw metrics of a run as charts: lachesis metrics <run> reward/mean train/loss.' },
    models: {
      description: 'What was trained: list, compare, promote, take back, hand to other servers.',
      commands: {
        compare: { description: 'Measure two models on the same items: paired differences with a 95 % interval.' },
        export: {
          description:
            'Write the adapter and merged weights for vLLM, SGLang, Ollama or llama.cpp, with the commands that serve them.',
        },
        list: { description: 'List models, the newest version first. A star is what a name serves.' },
        promote: {
          description:
            'Make a version the one its name serves. Inference servers with --model take it within a second.',
        },
        rollback: { description: 'Go back to what a name served before its last promotion.' },
        show: {
          description: 'Show one model: what it was made from and with, how it did, and when it was promoted.',
        },
      },
    },
    rate: { description: 'Rate trajectories, one key each.' },
    restore: { description: 'Make a home of a backup: a new database, SQLite or PostgreSQL, and its payloads.' },
    rollouts: {
      description: 'Read what a run was trained on: replies with rewards, advantages, tokens and log probabilities.',
    },
    runs: {
      description: 'Training runs: start, resume, list, show, watch, compare, and say what they wait for.',
      commands: {
        compare: {
          description:
            'Compare runs: curves over each other, settings that differ, paired evaluation, seeds as a band. The first is what the others are compared with.',
        },
        list: { description: 'List runs, newest first, those that have ended too.' },
        resume: {
          description: 'Go on with a run that has ended, or that nobody looks after, from what it saved.',
        },
        show: { description: 'Show one run: its state, progress, metrics, processes and files.' },
        start: {
          description: 'Start a run, on a server or at home, and follow it; --detach leaves it alone.',
        },
        watch: {
          description:
            'Watch a run until it ends: progress, rewards, staleness, failures. In a pipe one line for each change.',
        },
        why: {
          description:
            'Say what a run waits for (who for whom, since when, holding what), and when it moves and does not learn.',
        },
      },
    },
    serve: {
      description: 'Start one station of the loop and keep it up.',
      commands: {
        control: {
          description: 'Serve runs and their tools, and the library of trajectories, feedback and data sets.',
        },
        inference: {
          description:
            'Serve completions of the newest weights as an OpenAI-compatible API, or pass them on to a server.',
        },
        reward: { description: 'Answer with a reward model what a reply is worth: POST /v1/rewards.' },
        trainer: {
          description: 'Train on batches of the trajectory API through a Tinker server, and serve the newest weights.',
        },
        'trajectory-api': {
          description:
            'Accept rollout groups from environments and hand batches to trainers (Atropos wire and native).',
        },
      },
    },
    skills: {
      description: 'Guides for agents and people, one for each kind of task.',
      commands: {
        browse: { description: 'List the guides that come with the command, by category.' },
        check: {
          description: 'Say which versions a guide was held against, which are here, and how installed copies are.',
        },
        install: { description: 'Copy a guide to where your agent finds it.' },
        list: { description: 'List the guides that come with the command: `skills browse`.' },
        search: { description: 'Find the guides in which all words are, by name, description and text.' },
        update: { description: 'Replace installed guides by those of this version, where nobody changed them.' },
        view: { description: 'Print a guide.' },
      },
    },
    sweeps: {
      description: 'Sweeps of `lachesis train --grid`: list them, show one as a table and a chart.',
      commands: {
        list: { description: 'List sweeps, newest first: how many runs of each have ended.' },
        show: { description: 'Show a sweep: the table of its settings and seeds, and the curves.' },
      },
    },
    stop: { description: 'End a run: environment, trainer, trajectory API. What it has learned stays.' },
    token: {
      description: 'Make, list, rotate and revoke access tokens.',
      commands: {
        create: { description: 'Make a token. It is shown once; only its hash is kept.' },
        list: { description: 'Show tokens, without their secrets.' },
        revoke: { description: 'End a token; servers refuse it within a second.' },
        rotate: { description: 'Make a token that may do the same; the old one ends after the overlap.' },
      },
    },
    train: {
      description: 'Train: trajectory API, trainer with inference, and environment, as one tree of processes.',
      isRunAlone: true,
      commands: {
        dpo: { description: 'Learn from pairs of a data set: the better reply more, the worse one less.' },
        kto: { description: 'Learn from single rated replies of a data set; a lone bad one counts too.' },
        reward: { description: 'Learn from pairs of a data set what a reply is worth: a reward model.' },
        rlhf: {
          description:
            'Learn from what a reward model, your own file or your own server says of sampled replies, held near the start.',
        },
        'warm-up': {
          description: 'Teach examples of an environment, so that the first rollouts of a run can earn something.',
        },
        sft: { description: 'Learn the replies of the conversations of a data set.' },
      },
    },
    trajectories: {
      description: 'Find, read, compare, tag and forget what was recorded.',
      commands: {
        diff: { description: 'Compare two runs of the same task, or two batches, evaluations or models task by task.' },
        forget: { description: 'Delete a trajectory, or everything of a user, for good.' },
        list: { description: 'List trajectories, newest first.' },
        search: { description: 'Find trajectories by what was said in them.' },
        show: { description: 'Read one trajectory.' },
        stats: { description: 'Add up cost, latency and tokens of calls, by model, user, key, run or day.' },
        tag: { description: 'Add and remove tags, or change what may be done with a trajectory.' },
      },
    },
    ui: { description: 'Open the page of the control server: runs, rollouts, ratings, models.' },
    up: {
      description:
        'Start everything on this machine: control, the recording gateway, and an engine when the recipe wants one.',
    },
    weights: {
      description: 'What a run has learned, as files.',
      commands: {
        download: { description: 'Download what a run has learned, as a folder that PEFT loads.' },
      },
    },
    worker: {
      description: 'Work on a run of `lachesis batch` from another process or machine, over one PostgreSQL.',
    },
  },
};
