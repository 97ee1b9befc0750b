import { defineCommand } from 'citty';

/** Each station is loaded when it is asked for: the parent of a server stays as small as its job. */
export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Start one station of the loop and keep it up.' },
  subCommands: {
    control: () => import('./control.ts').then((module) => module.serveControlCommand),
    inference: () => import('./inference.ts').then((module) => module.serveInferenceCommand),
    reward: () => import('./reward.ts').then((module) => module.serveRewardCommand),
    trainer: () => import('./trainer.ts').then((module) => module.serveTrainerCommand),
    'trajectory-api': () => import('./trajectory-api.ts').then((module) => module.serveTrajectoryApiCommand),
  },
});
