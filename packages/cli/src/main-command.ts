import { defineCommand } from 'citty';

/** Every command, each loaded when it is asked for. */
export const mainCommand = defineCommand({
  meta: { name: 'lachesis', version: '0.1.0', description: 'The open post-training loop for LLM agents.' },
  subCommands: {
    data: () => import('./commands/data.ts').then((module) => module.dataCommand),
    demo: () => import('./commands/demo.ts').then((module) => module.demoCommand),
    engine: () => import('./commands/engine.ts').then((module) => module.engineCommand),
    env: () => import('./commands/env.ts').then((module) => module.envCommand),
    feedback: () => import('./commands/feedback.ts').then((module) => module.feedbackCommand),
    rate: () => import('./commands/rate.ts').then((module) => module.rateCommand),
    serve: () => import('./commands/serve.ts').then((module) => module.serveCommand),
    train: () => import('./commands/train.ts').then((module) => module.trainCommand),
    token: () => import('./commands/token.ts').then((module) => module.tokenCommand),
    trajectories: () => import('./commands/trajectories.ts').then((module) => module.trajectoriesCommand),
    up: () => import('./commands/up.ts').then((module) => module.upCommand),
  },
});
