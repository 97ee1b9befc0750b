import { defineCommand } from 'citty';

export const inferenceCommand = defineCommand({
  meta: { name: 'inference', description: 'Which model server commands ask when nobody names one.' },
  subCommands: { use: () => import('./use.ts').then((module) => module.inferenceUseCommand) },
});
