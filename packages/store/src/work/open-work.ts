import {
  adoptWork,
  forgetWorkJob,
  pauseRequests,
  readRequestPause,
  reserveRequests,
  retryFailedWork,
} from './change-work.ts';
import { changeWorkSettings, createWorkJob, digestInputs, extendWorkJob } from './create-work-job.ts';
import { acquireWork, releaseGoneWork, renewWork } from './lease-work.ts';
import { countWork, findWorkJob, findWorkWait, iterateWork, listWorkStates, readWorkTurns } from './read-work.ts';
import type { JobRef, WorkJob } from './work-job.ts';
import { failWork, finishWork, recordWorkTurn, releaseWork } from './write-work.ts';

/** What a step takes besides the job that it is done on. */
type Given<Step extends (options: never) => unknown> = Omit<Parameters<Step>[0], keyof JobRef>;

/** One job of many items: it is made, its items are leased, worked on and read through what this gives. */
export function openWork(ref: JobRef) {
  return {
    create: (given: Given<typeof createWorkJob>) => createWorkJob({ ...ref, ...given }),
    /** Undefined when there is none of that name. */
    find: () => findWorkJob(ref),
    /** Whether the job was made from the first of these inputs. */
    isMadeFrom: ({ inputDigest, itemCount }: WorkJob, inputs: readonly unknown[]) =>
      inputs.length >= itemCount && digestInputs(inputs, itemCount) === inputDigest,
    extend: (given: Given<typeof extendWorkJob>) => extendWorkJob({ ...ref, ...given }),
    changeSettings: (settings: unknown) => changeWorkSettings({ ...ref, settings }),
    /** Takes in an item that was done elsewhere. */
    adopt: (given: Given<typeof adoptWork>) => adoptWork({ ...ref, ...given }),
    retryFailed: (given: Given<typeof retryFailedWork>) => retryFailedWork({ ...ref, ...given }),
    forget: () => forgetWorkJob(ref),

    acquire: (given: Given<typeof acquireWork>) => acquireWork({ ...ref, ...given }),
    renew: (given: Given<typeof renewWork>) => renewWork({ ...ref, ...given }),
    release: (given: Given<typeof releaseWork>) => releaseWork({ ...ref, ...given }),
    releaseGone: (given: Given<typeof releaseGoneWork>) => releaseGoneWork({ ...ref, ...given }),
    recordTurn: (given: Given<typeof recordWorkTurn>) => recordWorkTurn({ ...ref, ...given }),
    finish: (given: Given<typeof finishWork>) => finishWork({ ...ref, ...given }),
    fail: (given: Given<typeof failWork>) => failWork({ ...ref, ...given }),

    count: () => countWork(ref),
    listStates: () => listWorkStates(ref),
    /** How long until an item can be acquired that cannot be now; undefined when nothing is left to do. */
    findWait: () => findWorkWait(ref),
    readTurns: (given: Given<typeof readWorkTurns>) => readWorkTurns({ ...ref, ...given }),
    iterate: (given: Given<typeof iterateWork>) => iterateWork({ ...ref, ...given }),

    /** The gate through which all workers of the job ask the model. */
    requests: {
      reserve: (count: number, intervalMs: number) => reserveRequests({ ...ref, count, intervalMs }),
      pause: (ms: number) => pauseRequests({ ...ref, ms }),
      readPause: () => readRequestPause(ref),
    },
  };
}
