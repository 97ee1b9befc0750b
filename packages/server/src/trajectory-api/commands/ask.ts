import { LachesisError } from '@lachesis/protocol';
import { LeaseLostError, StoreConflictError } from '@lachesis/store';
import type { TrajectoryApiSettings } from '../../http/settings/trajectory-api-settings.ts';
import { isRetryable } from '../run-queue.ts';
import type { RunDirectory } from '../run-directory.ts';
import { NotOwnerError } from '../replicas/not-owner-error.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { RunOwner } from '../replicas/run-owner.ts';
import { readAnswer, type AskMessage } from '../replicas/ask-message.ts';
import { decide, type CommandInput, type CommandName, type CommandOutput } from './commands.ts';
import type { CommandContext } from './command.ts';

/** The run a call is about. */
export interface RunOfCall {
  principal: { tenantId: string };
  runName: string;
}

export type Ask = <Name extends CommandName>(
  call: RunOfCall,
  name: Name,
  input: CommandInput<Name>,
  options?: { deadlineMs?: number },
) => Promise<CommandOutput<Name>>;

export interface AskOptions {
  runs: RunDirectory;
  settings: TrajectoryApiSettings;
  monotonic: () => number;
  nextId: () => string;
  replicas: Replicas | null;
  pause?: (ms: number) => Promise<void>;
  random?: () => number;
}

const DEADLINE_MS = 20_000;

/** Asks a run something: where this server is alone, or owns the run, it decides; otherwise the owner does. */
export function createAsk(options: AskOptions): Ask {
  const { runs, replicas } = options;
  return (call, name, input, { deadlineMs = DEADLINE_MS } = {}) => {
    const run = runs.open(call.principal.tenantId, call.runName);
    const context = toContext(options, call);
    if (run.owner === null || replicas === null) return decide(context, name, input);
    return askOwner({ ...options, replicas, owner: run.owner, context }, call, { name, input, deadlineMs });
  };
}

/** What decides a command about a run in this process. */
export function toContext(
  { runs, settings, monotonic, replicas }: Omit<AskOptions, 'nextId'>,
  { principal, runName }: RunOfCall,
): CommandContext {
  const silentMs = replicas === null || settings.strictAtropos ? null : settings.silentSeconds * 1000;
  return { run: runs.open(principal.tenantId, runName), settings, monotonic, silentMs };
}

interface OwnedRun extends AskOptions {
  replicas: Replicas;
  owner: RunOwner;
  context: CommandContext;
}

async function askOwner<Name extends CommandName>(
  asked: OwnedRun,
  call: RunOfCall,
  { name, input, deadlineMs }: { name: Name; input: CommandInput<Name>; deadlineMs: number },
): Promise<CommandOutput<Name>> {
  const { owner, replicas, context, monotonic, nextId } = asked;
  const { pause = wait, random = Math.random } = asked;
  const until = monotonic() + deadlineMs;
  // One id for all tries: an owner that was slow to answer decides it once.
  const id = nextId();
  for (let round = 0; ; round += 1) {
    let place: string | null | undefined;
    try {
      place = await owner.find();
      if (place === null) return await decide(context, name, input);
      const message: AskMessage = {
        ...{ id, from: replicas.name, tenantId: call.principal.tenantId, runName: call.runName },
        ...{ command: name, input: name === 'settleReceipt' ? markForwarded(input) : input },
      };
      const left = Math.min(until - monotonic(), replicas.leaseSeconds * 1000);
      return readAnswer(await replicas.ask(place, message, left)) as CommandOutput<Name>;
    } catch (error) {
      if (!isPassing(error, place)) throw error;
      if (place !== undefined) owner.forget(place);
      const ms = Math.min(20 * 2 ** round, 500) * (0.5 + random());
      if (monotonic() + ms >= until) throw toUnreachable(error);
      await pause(ms);
    }
  }
}

/** Whether another look at who owns the run can help: nothing was decided, or what was decided is not decided again. */
function isPassing(error: unknown, place: string | null | undefined): boolean {
  if (NotOwnerError.isInstance(error) || LeaseLostError.isInstance(error)) return true;
  if (LachesisError.isInstance(error) || StoreConflictError.isInstance(error)) return false;
  // Here the queue has tried for as long as it may.
  return place !== null && (place !== undefined || isRetryable(error));
}

/** The owner notes at once that a reply of ours got lost: we live on when it dies. */
const markForwarded = (input: unknown): unknown => ({ ...(input as object), isForwarded: true });

function toUnreachable(error: unknown): LachesisError {
  return new LachesisError({
    code: 'unavailable',
    message: 'the server that owns this run does not answer, and its lease is not over',
    hint: 'Nothing was acknowledged; send the same request again.',
    retryAfterSeconds: 1,
    cause: error,
  });
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
