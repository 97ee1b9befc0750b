/** The batches both trainers are given. */
export interface Workload {
  readonly name: string;
  readonly groups: number;
  readonly groupSize: number;
  readonly promptTokens: number;
  readonly replyTokens: number;
}

/** The toy of the tiny model: short replies, so that what a step costs is mostly calls. */
export const TOY: Workload = { name: 'the toy', groups: 4, groupSize: 16, promptTokens: 16, replyTokens: 8 };

/** A batch of the default recipe, with replies of a usual length. */
export const RECIPE: Workload = { name: 'the recipe', groups: 8, groupSize: 16, promptTokens: 128, replyTokens: 896 };

export const batchSizeOf = ({ groups, groupSize }: Workload): number => groups * groupSize;

/** One group in the words of the Atropos wire, the same on both sides for the same number. */
export function makeGroup(workload: Workload, number: number): object {
  const { groupSize, promptTokens, replyTokens } = workload;
  const length = promptTokens + replyTokens;
  const rows = Array.from({ length: groupSize }, (_, row) =>
    Array.from({ length }, (_unused, place) => (number * 31 + row * 17 + place * 7) % 200),
  );
  return {
    tokens: rows,
    masks: rows.map((row) => row.map((token, place) => (place < promptTokens ? -100 : token))),
    scores: rows.map((_, row) => row / groupSize),
    inference_logprobs: rows.map((row, index) =>
      row.map((_, place) => (place < promptTokens ? 1 : -(1 + ((index + place) % 97)) / 32)),
    ),
  };
}

/** Registers a run and sends all its groups before there is a trainer, so that it never waits for one nor shares the machine with this. */
export async function fillQueue(url: string, workload: Workload, batches: number): Promise<void> {
  await post(`${url}/register`, {
    wandb_group: 'bench',
    wandb_project: 'bench',
    batch_size: batchSizeOf(workload),
    max_token_len: 8192,
    checkpoint_dir: '',
    save_checkpoint_interval: 0,
    starting_step: 0,
    num_steps: batches,
  });
  for (let number = 0; number < batches * workload.groups; number += 1) {
    await post(`${url}/scored_data`, makeGroup(workload, number));
  }
}

async function post(url: string, body: object): Promise<void> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`);
}
