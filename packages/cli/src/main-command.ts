import { defineCommand } from 'citty';
import { COMMANDS, VERSION } from './command-table.ts';

/** Every command, each loaded when it is asked for. The table that `--help` reads names them too. */
export const mainCommand = defineCommand({
  meta: { name: 'lachesis', version: VERSION, description: COMMANDS.description },
  subCommands: {
    agent: () => import('./commands/agent.ts').then((module) => module.agentCommand),
    audit: () => import('./commands/audit.ts').then((module) => module.auditCommand),
    batch: () => import('./commands/batch.ts').then((module) => module.batchCommand),
    compress: () => import('./commands/compress.ts').then((module) => module.compressCommand),
    config: () => import('./commands/config.ts').then((module) => module.configCommand),
    data: () => import('./commands/data.ts').then((module) => module.dataCommand),
    demo: () => import('./commands/demo.ts').then((module) => module.demoCommand),
    doctor: () => import('./commands/doctor.ts').then((module) => module.doctorCommand),
    engine: () => import('./commands/engine.ts').then((module) => module.engineCommand),
    env: () => import('./commands/env.ts').then((module) => module.envCommand),
    feedback: () => import('./commands/feedback.ts').then((module) => module.feedbackCommand),
    improve: () => import('./commands/improve.ts').then((module) => module.improveCommand),
    init: () => import('./commands/init.ts').then((module) => module.initCommand),
    lineage: () => import('./commands/lineage.ts').then((module) => module.lineageCommand),
    logs: () => import('./commands/logs.ts').then((module) => module.logsCommand),
    mcp: () => import('./commands/mcp.ts').then((module) => module.mcpCommand),
    metrics: () => import('./commands/metrics.ts').then((module) => module.metricsCommand),
    models: () => import('./commands/models.ts').then((module) => module.modelsCommand),
    rate: () => import('./commands/rate.ts').then((module) => module.rateCommand),
    runs: () => import('./commands/runs.ts').then((module) => module.runsCommand),
    serve: () => import('./commands/serve.ts').then((module) => module.serveCommand),
    skills: () => import('./commands/skills.ts').then((module) => module.skillsCommand),
    stop: () => import('./commands/stop.ts').then((module) => module.stopCommand),
    token: () => import('./commands/token.ts').then((module) => module.tokenCommand),
    train: () => import('./commands/train.ts').then((module) => module.trainCommand),
    trajectories: () => import('./commands/trajectories.ts').then((module) => module.trajectoriesCommand),
    up: () => import('./commands/up.ts').then((module) => module.upCommand),
    weights: () => import('./commands/weights.ts').then((module) => module.weightsCommand),
    worker: () => import('./commands/worker.ts').then((module) => module.workerCommand),
  },
});
