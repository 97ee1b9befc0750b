import { defineCommand } from 'citty';

/** Each station is loaded when it is asked for: the parent of a server stays as small as its job. */
export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Start one station of the loop and keep it up.' },
  subCommands: {
    control: () => import('./serve-control.ts').then((module) => module.serveControlCommand),
    inference: () => import('./serve-inference.ts').then((module) => module.serveInferenceCommand),
    reward: () => import('./serve-reward.ts').then((module) => module.serveRewardCommand),
    trainer: () => import('./serve-trainer.ts').then((module) => module.serveTrainerCommand),
    'trajectory-api': () => import('./serve-trajectory-api.ts').then((module) => module.serveTrajectoryApiCommand),
  },
});
