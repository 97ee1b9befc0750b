import { defineCommand } from 'citty';

export const weightsCommand = defineCommand({
  meta: { name: 'weights', description: 'What a run has learned, as files.' },
  subCommands: {
    download: () => import('./download.ts').then((module) => module.weightsDownloadCommand),
  },
});
