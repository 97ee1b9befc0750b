import { defineCommand } from 'citty';
import { serveTrajectoryApiCommand } from './serve-trajectory-api.ts';

export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Start one station of the loop and keep it up.' },
  subCommands: { 'trajectory-api': serveTrajectoryApiCommand },
});
