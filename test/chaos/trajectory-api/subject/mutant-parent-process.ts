import { readTrajectoryApiSettings } from '@lachesis/server';
import { startTrajectoryApi } from '@lachesis/server';

/** What `lachesis serve trajectory-api` does, with the serving module named by the first argument. */
const childModule = process.argv[2];
if (childModule === undefined) throw new Error('give the module that serves as the first argument');
const { values: settings } = readTrajectoryApiSettings({}, process.env);
const supervisor = await startTrajectoryApi({ settings, childModule });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void supervisor.stop());
await supervisor.ended;
