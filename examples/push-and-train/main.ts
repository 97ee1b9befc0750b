/** Both sides of the trajectory API: an environment pushes groups of rollouts, a trainer takes batches under a lease. */
import { createTrajectoryClient } from '@lachesis/sdk';

const GROUPS = 4;
const STEPS = 2;

const url = process.env['TRAJECTORY_API_URL'];
if (url === undefined) {
  console.error('Set TRAJECTORY_API_URL to the address of `lachesis serve trajectory-api`, http://127.0.0.1:8000.');
  process.exit(2);
}
const client = createTrajectoryClient({
  url: `${url}/run/example-${process.pid}`, // a run exists from its first registration on; each has its own address
  token: process.env['LACHESIS_TOKEN'],
  retryForMs: 10_000, // while the server is away or busy
});

async function train(): Promise<void> {
  await client.register({ batch_size: 8, max_token_len: 64, num_steps: STEPS });
  for (let step = 1; step <= STEPS; step += 1) {
    const batch = await client.leaseBatch({ waitSeconds: 20, leaseSeconds: 30 });
    if (batch === null) throw new Error('no batch formed');
    const groups = await client.fetchBatchGroups(batch);
    // Here a trainer would make a step of the optimiser. If it dies, the batch comes back when its lease ends.
    await client.ack(batch, { step });
    console.log(`step ${step}: trained on ${groups.length} groups`);
  }
}

async function rollOut(): Promise<void> {
  // Waits until the trainer has asked for its first batch.
  const { env_id } = await client.registerEnvironment({ name: 'example', groupSize: 4, maxTokenLength: 64 });
  for (let group = 0; group < GROUPS; group += 1) {
    // Four replies to one prompt. The prompt is masked with -100; ids and log probabilities are those that were sampled.
    const replies = [10, 11, 12, 13];
    const { status } = await client.pushGroup(
      {
        header: { env_id, environment: 'example' },
        tokens: joinRows(replies.map((reply) => [1, 2, 3, reply])),
        masks: joinRows(replies.map((reply) => [-100, -100, -100, reply])),
        inferenceLogprobs: joinRows(replies.map(() => [0, 0, 0, -0.7])),
        scores: Float64Array.of(1, 0, 0, 1),
      },
      // The key belongs to the group for ever: sent twice, it counts once.
      { idempotencyKey: crypto.randomUUID() },
    );
    console.log(`group ${group}: ${status}`);
  }
}

/** The packed form: the rows one after another, and how long each is. */
function joinRows(rows: readonly number[][]): { values: Float64Array; rowLengths: Uint32Array } {
  return { values: Float64Array.from(rows.flat()), rowLengths: Uint32Array.from(rows, ({ length }) => length) };
}

await Promise.all([train(), rollOut()]);
const { trained, produced } = await client.ledger();
console.log(`ledger: ${trained} of ${produced} groups trained`);
if (trained !== produced) process.exitCode = 1;
