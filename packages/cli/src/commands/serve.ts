import { defineCommand } from 'citty';
import { serveInferenceCommand } from './serve-inference.ts';
import { serveTrainerCommand } from './serve-trainer.ts';
import { serveTrajectoryApiCommand } from './serve-trajectory-api.ts';

export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Start one station of the loop and keep it up.' },
  subCommands: {
    inference: serveInferenceCommand,
    trainer: serveTrainerCommand,
    'trajectory-api': serveTrajectoryApiCommand,
  },
});
