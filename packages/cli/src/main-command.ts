import { defineCommand, type CommandDef } from 'citty';
import { COMMANDS, VERSION } from './command-table.ts';

/** Every command, each loaded when it is asked for. The table that `--help` reads names them too. */
export const mainCommand = defineCommand({
  meta: { name: 'lachesis', version: VERSION, description: COMMANDS.description },
  subCommands: {
    agent: () => import('./commands/agent/index.ts').then((module) => module.agentCommand),
    audit: () => import('./commands/audit/index.ts').then((module) => module.auditCommand),
    backup: () => import('./commands/backup.ts').then((module) => module.backupCommand),
    batch: () => import('./commands/batch/index.ts').then((module) => module.batchCommand),
    compress: () => import('./commands/compress/index.ts').then((module) => module.compressCommand),
    chat: () => import('./commands/chat/index.ts').then((module) => module.chatCommand),
    completion: () => import('./commands/completion.ts').then((module) => module.createCompletionCommand(findCommand)),
    config: () => import('./commands/config.ts').then((module) => module.configCommand),
    data: () => import('./commands/data/index.ts').then((module) => module.dataCommand),
    demo: () => import('./commands/demo.ts').then((module) => module.demoCommand),
    doctor: () => import('./commands/doctor/index.ts').then((module) => module.doctorCommand),
    engine: () => import('./commands/engine/index.ts').then((module) => module.engineCommand),
    env: () => import('./commands/env/index.ts').then((module) => module.envCommand),
    feedback: () => import('./commands/feedback/index.ts').then((module) => module.feedbackCommand),
    gc: () => import('./commands/gc.ts').then((module) => module.gcCommand),
    // Its words are turned round before a command is looked for.
    help: defineCommand({ meta: { name: 'help', description: COMMANDS.commands?.['help']?.description ?? '' } }),
    improve: () => import('./commands/improve/index.ts').then((module) => module.improveCommand),
    inference: () => import('./commands/inference/index.ts').then((module) => module.inferenceCommand),
    init: () => import('./commands/init/index.ts').then((module) => module.initCommand),
    lineage: () => import('./commands/lineage.ts').then((module) => module.lineageCommand),
    logs: () => import('./commands/logs.ts').then((module) => module.logsCommand),
    mcp: () => import('./commands/mcp/index.ts').then((module) => module.mcpCommand),
    metrics: () => import('./commands/metrics.ts').then((module) => module.metricsCommand),
    models: () => import('./commands/models/index.ts').then((module) => module.modelsCommand),
    rate: () => import('./commands/rate.ts').then((module) => module.rateCommand),
    restore: () => import('./commands/restore.ts').then((module) => module.restoreCommand),
    rollouts: () => import('./commands/rollouts.ts').then((module) => module.rolloutsCommand),
    runs: () => import('./commands/runs/index.ts').then((module) => module.runsCommand),
    serve: () => import('./commands/serve/index.ts').then((module) => module.serveCommand),
    skills: () => import('./commands/skills/index.ts').then((module) => module.skillsCommand),
    sweeps: () => import('./commands/sweeps/index.ts').then((module) => module.sweepsCommand),
    stop: () => import('./commands/stop/index.ts').then((module) => module.stopCommand),
    token: () => import('./commands/token.ts').then((module) => module.tokenCommand),
    train: () => import('./commands/train/index.ts').then((module) => module.trainCommand),
    trajectories: () => import('./commands/trajectories/index.ts').then((module) => module.trajectoriesCommand),
    ui: () => import('./commands/ui.ts').then((module) => module.uiCommand),
    up: () => import('./commands/up/index.ts').then((module) => module.upCommand),
    weights: () => import('./commands/weights/index.ts').then((module) => module.weightsCommand),
    worker: () => import('./commands/worker/index.ts').then((module) => module.workerCommand),
  },
});

/** The command that these words name. */
export async function findCommand(path: readonly string[]): Promise<CommandDef> {
  let command: CommandDef = mainCommand;
  for (const word of path) {
    const below = await resolve(command.subCommands);
    const next = below?.[word];
    if (next === undefined) break;
    command = (await resolve(next)) as CommandDef;
  }
  return command;
}

/** What citty lets be a value, a promise or a function. */
export async function resolve<T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> {
  return typeof value === 'function' ? await (value as () => T | Promise<T>)() : await value;
}
