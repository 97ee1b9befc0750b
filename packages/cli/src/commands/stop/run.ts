import { isFinalRunState, realClock, type RunState } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { ClientError, type ControlClient } from '@lachesis/sdk';
import { existsSync } from 'node:fs';
import { fail } from '../../terminal/fail.ts';
import { findRunId, matchRunId } from '../../runs/find-run.ts';
import { DEFAULT_SERVER, describeControlError, openControl, readNamedServer } from '../../flags/server.ts';
import { writeJson } from '../../terminal/screen.ts';

export interface StopArguments {
  run: string;
  wait?: boolean | undefined;
  home?: string | undefined;
  'database-url'?: string | undefined;
  server?: string | undefined;
  token?: string | undefined;
  json?: boolean | undefined;
}

/** Where the run stood when we looked last. */
interface Outcome {
  runId: string;
  state: RunState;
  reason: string | null;
}

/** A stop takes 15 seconds at most, and as much again when the lease of a dead server has to run out. */
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 250;
/** The first pages of a list say enough to find a run by. */
const MOST_RUNS = 10_000;

/** Ends a run through the server, or on this machine when there is none. */
export async function stopNamedRun(args: StopArguments): Promise<void> {
  const outcome = isPlaceGiven(args) ? await stopHere(args) : await stopThere(args);
  const { runId, state, reason } = outcome;
  const hasEnded = isFinalRunState(state);
  if (args.json === true) writeJson({ run_id: runId, status: state, reason });
  else {
    const because = reason === null ? '' : `: ${reason}`;
    process.stdout.write(hasEnded ? `run ${runId} is ${state}${because}\n` : `run ${runId} is ending\n`);
  }
  if (!hasEnded && args.wait !== false) {
    fail(
      `run ${runId} has not ended after ${WAIT_MS / 1_000} seconds; it is ${state}. \`lachesis runs why ${runId}\` says what it waits for.`,
    );
  }
}

const isPlaceGiven = (args: StopArguments): boolean => args.home !== undefined || args['database-url'] !== undefined;

async function stopThere(args: StopArguments): Promise<Outcome> {
  const client = await openControl(args);
  try {
    await client.health();
  } catch (error) {
    // Only the address that nobody named stands for this machine.
    const isAway = ClientError.isInstance(error) && error.code === 'connection';
    if (isAway && readNamedServer(args) === undefined) return await stopHere(args);
    return fail(await describeControlError(error, client));
  }
  try {
    const runId = await findRunId(client, args.run);
    const { status } = await client.stopRun(runId);
    if (args.wait === false && !isFinalRunState(status)) return { runId, state: status, reason: null };
    return await waitForEnd(client, runId);
  } catch (error) {
    return fail(await describeControlError(error, client));
  }
}

async function waitForEnd(client: Pick<ControlClient, 'readRun'>, runId: string): Promise<Outcome> {
  const until = realClock.now() + WAIT_MS;
  for (;;) {
    const { status, reason } = await client.readRun(runId);
    if (isFinalRunState(status) || realClock.now() > until) return { runId, state: status, reason };
    await realClock.sleep(LOOK_EVERY_MS);
  }
}

/** Without a server: whoever holds the run is asked, and if nobody does we end it ourselves. */
async function stopHere(args: StopArguments): Promise<Outcome> {
  const [{ stopRun }, { listTrainingRuns }, { openLocalStore, readStorePlace }] = await Promise.all([
    import('@lachesis/server'),
    import('@lachesis/store'),
    import('../../flags/library/open-local-store.ts'),
  ]);
  const { home, databaseUrl } = readStorePlace({ home: args.home, 'database-url': args['database-url'] });
  // Opening would make an empty one.
  if (databaseUrl === undefined && !existsSync(homePaths(home).database)) {
    const asked = isPlaceGiven(args) ? '' : `no control server answers at ${DEFAULT_SERVER}, and `;
    fail(`${asked}${home} holds no runs. Say where they are with --server or --home.`);
  }
  try {
    let shortId: string;
    {
      await using local = await openLocalStore({ home, databaseUrl });
      const runs = await listTrainingRuns({ store: local.store, tenantId: LOCAL_TENANT, limit: MOST_RUNS });
      shortId = matchRunId(
        args.run,
        runs.map((run) => run.shortId),
      );
    }
    // Always waited for: when nobody else holds the run, it is ended by this process and by no other.
    const run = await stopRun({ home, databaseUrl, shortId, waitMs: WAIT_MS });
    if (run === undefined) return fail(`there is no run ${shortId} in ${home}.`);
    return { runId: shortId, state: run.state, reason: run.reason };
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}
