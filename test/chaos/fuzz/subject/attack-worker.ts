import { parentPort, workerData } from 'node:worker_threads';

import { ATTACKS, type AttackName } from '../cases/attacks.ts';

/** An attack, beside the thread that measures: making sixty megabytes takes time too. */
const { attack, port, token } = workerData as { attack: AttackName; port: number; token: string };
await ATTACKS[attack]({ port, token, signal: new AbortController().signal });
parentPort?.postMessage('done');
