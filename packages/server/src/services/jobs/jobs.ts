import { type jobSchemas, LachesisError, redact, type Redactor } from '@lachesis/protocol';
import { listWorkFailures, listWorkJobs, type Store } from '@lachesis/store';
import type { z } from 'zod';
import { findJobName } from '../library/find-by-beginning.ts';

type JobList = z.output<typeof jobSchemas.list>;
type JobDetail = z.output<typeof jobSchemas.detail>;
type StoredJob = Awaited<ReturnType<typeof listWorkJobs>>[number];

/** In which database jobs are looked for, and whose they are. */
interface JobScope {
  store: Store;
  tenantId: string;
}

/** Enough to see what goes wrong; `failures.jsonl` of a batch has them all. */
const SHOWN_FAILURES = 20;

/** Jobs with how far each is, the newest first, and behind which one the next page begins. */
export async function listJobs({
  limit,
  before,
  ...scope
}: JobScope & z.output<typeof jobSchemas.query>): Promise<JobList> {
  const last = before === undefined ? undefined : await needJob({ ...scope, ref: before });
  const found = await listWorkJobs({ ...scope, before: last, limit: limit + 1 });
  const jobs = found.slice(0, limit).map((job) => describeJob(job));
  return { jobs, next: found.length > limit ? (jobs.at(-1)?.name ?? null) : null };
}

/** One job by its name or the beginning of it, with why the first of its items failed. */
export async function showJob({
  redactor,
  ...options
}: JobScope & { ref: string; redactor: Redactor }): Promise<JobDetail> {
  const job = await needJob(options);
  const failed = await listWorkFailures({ ...options, name: job.name, limit: SHOWN_FAILURES });
  const failures = failed.map(({ index, attempt, reason }) => ({
    // What a program or a server said when it failed may hold a key that it was given.
    ...{ index, attempts: attempt, reason: redact(reason, redactor).value },
  }));
  return { ...describeJob(job), failures };
}

/** Throws `not-found`. */
async function needJob({ ref, ...scope }: JobScope & { ref: string }): Promise<StoredJob> {
  const name = await findJobName({ ...scope, ref });
  const [job] = name === undefined ? [] : await listWorkJobs({ ...scope, name, limit: 1 });
  if (job !== undefined) return job;
  throw new LachesisError({
    code: 'not-found',
    message: `there is no job ${JSON.stringify(ref.slice(0, 100))}`,
    hint: '`lachesis batch list` lists them all, and GET /jobs.',
  });
}

/** As the wire has it. */
function describeJob({
  name,
  itemCount,
  counts,
  isWorkedOn,
  createdAt,
  changedAt,
}: StoredJob): JobList['jobs'][number] {
  const { cost, ...states } = counts;
  return {
    ...{ name, item_count: itemCount, counts: states, cost, is_worked_on: isWorkedOn },
    ...{ created_at: createdAt, changed_at: changedAt },
  };
}
