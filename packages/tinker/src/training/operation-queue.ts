import { TinkerProtocolError } from '../errors/client-errors.ts';
import { TinkerConflictError, TinkerJobFailedError, TinkerPromiseExpiredError } from '../errors/server-errors.ts';
import { noteUnknownOutcome, TinkerError } from '../errors/tinker-error.ts';
import type { ServerLink } from '../link/server-link.ts';
import type { Deadline, WaitOptions } from '../transport/deadline.ts';
import type { Reply } from '../transport/reply.ts';
import { isOutcomeUnknown } from '../transport/transport.ts';
import { askSequence } from './ask-sequence.ts';
import { explainLostModel } from './explain-lost-model.ts';

/** One request of an operation. Posting it twice with one number must mean the same request. */
export interface OperationPart {
  /** Makes the request ready under the number it will likely have, while the one before is on its way. */
  prepare?(seqId: number): void;
  post(options: { seqId: number; deadline: Deadline; onAmbiguous: () => void }): Promise<{ requestId: string }>;
}

export interface Operation<T> {
  /** The word in errors and events, such as `optim_step`. */
  name: string;
  /** Whether the result may be protobuf. */
  binary: boolean;
  parts: readonly OperationPart[];
  /** It reads the weights or adds to the gradient; every other operation changes or saves them. */
  isPass?: boolean;
  /** Parts may be posted at once, the first one last. */
  parallel?: boolean;
  read(replies: Reply[]): T;
  /** The result of an operation the server carried out and whose answer was lost, where it can be told without it. */
  recover?(): T;
  /** Called when the server has taken a part. */
  onAccepted?(): void;
  /** Called on its turn, before anything is sent; what it throws keeps the operation back. */
  before?(): void;
}

/** A promise of the result that also tells when the server has taken the request. */
export type OperationHandle<T> = Promise<T> & {
  /** Resolves when the server has taken the request, which is when the next one may be sent. */
  readonly submitted: Promise<void>;
  /** The server's name for the (first) job, once it is known. */
  readonly requestId: string | undefined;
};

interface Submission {
  requestId: string;
  seqId: number;
  /** The result, where it had to be waited for before the next request could be sent. */
  settled?: Promise<Reply>;
}

export interface OperationQueueOptions {
  link: ServerLink;
  modelId: string;
  /** The number of the next request. */
  nextSeqId: number;
  /** Whether that number is a guess, as after a restart. */
  isUncertain?: boolean;
}

/** Numbers to try after a refusal that does not say which one is wanted. */
const MAX_RESYNCHRONISATIONS = 16;

/**
 * Sends the requests of one model in the order in which they were called, each after the server has acknowledged the one
 * before. A number is used up by an acknowledgement and by nothing else: a refused request leaves it to the next one.
 */
export class OperationQueue {
  readonly #link: ServerLink;
  readonly #modelId: string;
  #nextSeqId: number;
  /** The server may wait for another number than ours: the next result is awaited before anything else is sent. */
  #isUncertain: boolean;
  /** The highest number of a request that was given up without an answer, and may still arrive under it. */
  #mayArrive = -1;
  /** A request that may have arrived, on a server that would take another with its number for the same one. */
  #unresolved: { part: OperationPart; seqId: number } | undefined;
  /** Numbers beyond the next one that the server has taken, after a batch was accepted in part. */
  readonly #usedAhead = new Set<number>();
  #turn: Promise<unknown> = Promise.resolve();
  readonly #inFlight = new Set<Promise<unknown>>();
  /** What the server has taken and not answered yet, and whether it is a pass. */
  readonly #unanswered = new Map<Promise<unknown>, boolean>();

  constructor({ link, modelId, nextSeqId, isUncertain = false }: OperationQueueOptions) {
    this.#link = link;
    this.#modelId = modelId;
    this.#nextSeqId = nextSeqId;
    this.#isUncertain = isUncertain;
  }

  get nextSeqId(): number {
    return this.#nextSeqId;
  }

  /** Asks a server that tells which number it waits for. Called before anything else is, as after a restart. */
  async findSequence(deadline: Deadline): Promise<void> {
    await this.#makeSure(deadline);
  }

  /** Takes a place in the line. The place is taken before this returns. */
  run<T>(operation: Operation<T>, wait: WaitOptions): OperationHandle<T> {
    const before = this.#turn;
    const { handle, submissions } = this.#start(operation, wait, before);
    this.#turn = Promise.allSettled([before, submissions]);
    return handle;
  }

  /**
   * Takes one place for several operations that belong together: nothing called later is sent before the task has ended.
   * The task runs them with the function it is given.
   */
  runTogether<T>(
    name: string,
    wait: WaitOptions,
    task: (run: <R>(operation: Operation<R>, wait: WaitOptions) => OperationHandle<R>) => Promise<T>,
  ): OperationHandle<T> {
    const deadline = this.#link.deadline(wait);
    const before = this.#turn;
    let requestId: string | undefined;
    const first = Promise.withResolvers<void>();
    const result = (async () => {
      await this.#waitForTurn(before, name, deadline);
      let inner: Promise<unknown> = Promise.resolve();
      return task((operation, innerWait) => {
        const { handle, submissions } = this.#start(operation, innerWait, inner);
        inner = Promise.allSettled([inner, submissions]);
        handle.submitted.then(() => {
          requestId ??= handle.requestId;
          first.resolve();
        }, first.reject);
        return handle;
      });
    })();
    result.then(() => first.resolve(), first.reject);
    this.#turn = Promise.allSettled([before, result]);
    this.#track(result, name);
    return toHandle(result, first.promise, () => requestId);
  }

  #start<T>(
    operation: Operation<T>,
    wait: WaitOptions,
    before: Promise<unknown>,
  ): { handle: OperationHandle<T>; submissions: Promise<unknown> } {
    const deadline = this.#link.deadline(wait);
    let requestId: string | undefined;
    const submissions = this.#submitInTurn(before, operation, deadline, (id) => {
      requestId ??= id;
    });
    const result = submissions.then((all) =>
      all === undefined ? operation.recover!() : this.#collect(operation, all, deadline),
    );
    this.#track(result, operation.name);
    return { handle: toHandle(result, submissions.then(noResult), () => requestId), submissions };
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#turn;
    await Promise.allSettled(this.#inFlight);
  }

  /** A step that was sent ahead is often not awaited after the one before it failed; its failure is told as an event. */
  #track(result: Promise<unknown>, name: string): void {
    this.#inFlight.add(result);
    void result
      .catch((error: Error) =>
        this.#link.transport.onEvent({ type: 'operation-failed', modelId: this.#modelId, operation: name, error }),
      )
      .finally(() => this.#inFlight.delete(result));
  }

  /** `undefined` when the server had carried the operation out and its result can be told without asking. */
  async #submitInTurn<T>(
    before: Promise<unknown>,
    operation: Operation<T>,
    deadline: Deadline,
    onRequestId: (id: string) => void,
  ): Promise<Submission[] | undefined> {
    await this.#waitForTurn(before, operation.name, deadline);
    if (this.#link.profile.mayOvertake) await this.#waitForTurn(this.#otherKind(operation), operation.name, deadline);
    operation.before?.();
    try {
      return await this.#submitAll(operation, deadline, onRequestId);
    } catch (error) {
      if (operation.recover === undefined || !TinkerConflictError.isInstance(error) || !error.tookEffect) throw error;
      return undefined;
    }
  }

  async #submitAll<T>(
    operation: Operation<T>,
    deadline: Deadline,
    onRequestId: (id: string) => void,
  ): Promise<Submission[]> {
    const submit = async (part: OperationPart, seqId?: number): Promise<Submission> => {
      const submission = await this.#submitPart(operation, part, deadline, seqId);
      onRequestId(submission.requestId);
      operation.onAccepted?.();
      return submission;
    };
    const isCertain = !this.#isUncertain && this.#unresolved === undefined && this.#usedAhead.size === 0;
    if (operation.parallel === true && operation.parts.length > 1 && isCertain) {
      return this.#submitTogether(operation, submit);
    }
    const submissions: Submission[] = [];
    for (const [index, part] of operation.parts.entries()) {
      const likely = this.#nextSeqId + 1;
      try {
        const submission = submit(part);
        // After what can be written at once was written: the server reads that meanwhile.
        setImmediate(() => operation.parts[index + 1]?.prepare?.(likely));
        submissions.push(await submission);
      } catch (error) {
        this.#reportPartial(submissions.length, operation.parts.length);
        throw error;
      }
    }
    return submissions;
  }

  /** Resolves when no pass is unanswered before a step, and no step before a pass. */
  #otherKind<T>({ isPass = false }: Operation<T>): Promise<unknown> {
    return Promise.all([...this.#unanswered].filter(([, isOther]) => isOther !== isPass).map(([answer]) => answer));
  }

  /** The first part goes last: a server that runs by number then finds the whole batch waiting. */
  async #submitTogether<T>(
    { parts }: Operation<T>,
    submit: (part: OperationPart, seqId: number) => Promise<Submission>,
  ): Promise<Submission[]> {
    const first = this.#nextSeqId;
    const rest = await Promise.allSettled(parts.slice(1).map((part, index) => submit(part, first + 1 + index)));
    const accepted = rest.filter(({ status }) => status === 'fulfilled').length;
    const failed = rest.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) {
      for (const outcome of rest) if (outcome.status === 'fulfilled') this.#usedAhead.add(outcome.value.seqId);
      this.#reportPartial(accepted, parts.length);
      throw failed.reason;
    }
    const head = await submit(parts[0]!, first);
    this.#nextSeqId = first + parts.length;
    return [head, ...rest.map((outcome) => (outcome as PromiseFulfilledResult<Submission>).value)];
  }

  #reportPartial(submittedChunks: number, chunks: number): void {
    if (submittedChunks === 0) return;
    this.#link.transport.onEvent({ type: 'partial-step', modelId: this.#modelId, submittedChunks, chunks });
  }

  #freeFrom(seqId: number): number {
    let free = seqId;
    while (this.#usedAhead.delete(free)) free += 1;
    return free;
  }

  async #waitForTurn(before: Promise<unknown>, operation: string, deadline: Deadline): Promise<void> {
    const controller = new AbortController();
    const giveUp = (): void => controller.abort();
    deadline.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      const patience = this.#link.transport.clock.sleep(deadline.remainingMs(), controller.signal);
      const isTurn = await Promise.race([before.then(() => true), patience.then(() => false)]);
      const facts = { operation, waitingFor: 'its turn', lastFailure: this.#link.transport.trouble };
      if (isTurn) deadline.check(facts);
      else deadline.fail(facts);
    } finally {
      giveUp();
      deadline.signal?.removeEventListener('abort', giveUp);
    }
  }

  async #submitPart<T>(
    operation: Operation<T>,
    part: OperationPart,
    deadline: Deadline,
    fixedSeqId?: number,
  ): Promise<Submission> {
    if (this.#unresolved !== undefined) await this.#postUnresolved(deadline);
    const wasSure = await this.#makeSure(deadline);
    for (let tries = 0; ; tries += 1) {
      const seqId = fixedSeqId ?? this.#nextSeqId;
      let wasAmbiguous = false;
      let requestId: string;
      try {
        ({ requestId } = await part.post({
          seqId,
          deadline,
          onAmbiguous: () => {
            wasAmbiguous = true;
          },
        }));
      } catch (error) {
        const conflict = asSequenceConflict(error);
        if (conflict !== undefined && fixedSeqId === undefined && tries < MAX_RESYNCHRONISATIONS) {
          this.#resynchronise({ operation, conflict, seqId, wasAmbiguous, wasSure });
          continue;
        }
        throw this.#noteFailedPost(error, part, seqId);
      }
      // From here the server has the request. A crash before the journal is written loses its name, not its number:
      // the next process asks the server which number it waits for.
      if (fixedSeqId === undefined) this.#nextSeqId = this.#freeFrom(seqId + 1);
      this.#link.journal?.write({
        kind: 'submitted',
        modelId: this.#modelId,
        seqId,
        requestId,
        operation: operation.name,
        binary: operation.binary,
      });
      const submission: Submission = { requestId, seqId };
      const mustConfirm = this.#link.profile.sequence === 'strict' && (wasAmbiguous || this.#isUncertain);
      if (!mustConfirm) {
        this.#isUncertain = false;
        return submission;
      }
      const conflict = await this.#confirm(operation, submission, deadline);
      if (conflict === undefined) return submission;
      if (fixedSeqId !== undefined || tries >= MAX_RESYNCHRONISATIONS) throw conflict;
      this.#resynchronise({ operation, conflict, seqId, wasAmbiguous, wasSure });
    }
  }

  /**
   * Finds out which number a strict server waits for when that is not known, and says whether it now is. Without it a refusal
   * could not be told apart from one that an earlier request of unknown outcome has caused. A request that was given up and has
   * not arrived yet may do so at any time later, and then takes the number that the server waits for now.
   */
  async #makeSure(deadline: Deadline): Promise<boolean> {
    if (!this.#isUncertain || this.#link.profile.sequence !== 'strict') return true;
    const expected = await askSequence({ link: this.#link, modelId: this.#modelId, deadline });
    if (expected === undefined) return false;
    this.#moveTo(expected);
    return expected > this.#mayArrive;
  }

  #moveTo(seqId: number): void {
    const from = this.#nextSeqId;
    this.#nextSeqId = seqId;
    if (seqId === from) return;
    this.#link.transport.onEvent({ type: 'sequence-resynchronised', modelId: this.#modelId, from, to: seqId });
  }

  /** Waits for the result in turn; returns the conflict when the server did not run the request for its number. */
  async #confirm<T>(
    operation: Operation<T>,
    submission: Submission,
    deadline: Deadline,
  ): Promise<TinkerConflictError | undefined> {
    const settled = this.#poll(operation, submission, deadline);
    try {
      await settled;
    } catch (error) {
      const conflict = asSequenceConflict(error);
      if (conflict !== undefined) return conflict;
      if (!TinkerJobFailedError.isInstance(error)) {
        this.#isUncertain = true;
        throw error;
      }
      // The server ran it, so the number was right; the failure is read with the result.
    }
    this.#isUncertain = false;
    submission.settled = settled;
    return undefined;
  }

  /** Takes the number the server wants. Throws when the request had been carried out already, or may have been. */
  #resynchronise<T>(options: {
    operation: Operation<T>;
    conflict: TinkerConflictError;
    seqId: number;
    wasAmbiguous: boolean;
    wasSure: boolean;
  }): void {
    const { operation, conflict, seqId, wasAmbiguous, wasSure } = options;
    const { expected, requestId, status } = conflict;
    this.#nextSeqId = seqId;
    this.#moveTo(expected ?? seqId + 1);
    this.#isUncertain = this.#link.profile.sequence === 'strict';
    if (!wasAmbiguous || expected !== seqId + 1) return;
    const facts = { operation: operation.name, requestId, status, conflict: 'sequence', expected, got: seqId } as const;
    // The number was taken by this request or by one before it, and nothing tells by which.
    if (!wasSure) throw new TinkerConflictError({ ...facts, outcomeUnknown: true });
    this.#isUncertain = false;
    operation.onAccepted?.();
    throw new TinkerConflictError({ ...facts, tookEffect: true });
  }

  /** Decides what a post that failed means for the numbers after it. */
  #noteFailedPost(error: unknown, part: OperationPart, seqId: number): unknown {
    if (TinkerConflictError.isInstance(error) && error.tookEffect) {
      this.#nextSeqId = Math.max(this.#nextSeqId, this.#freeFrom(seqId + 1));
      return error;
    }
    // An answer that cannot be read was an answer: the server has taken the request.
    const isUnreadable = TinkerProtocolError.isInstance(error);
    if (!isUnreadable && !isOutcomeUnknown(error)) return explainLostModel(error);
    this.#isUncertain = true;
    this.#mayArrive = Math.max(this.#mayArrive, seqId);
    if (this.#link.profile.sequence === 'ordered') this.#unresolved = { part, seqId };
    return noteUnknownOutcome(error);
  }

  /** Sends the unresolved request again under its own number, so that no other request is taken for it. */
  async #postUnresolved(deadline: Deadline): Promise<void> {
    const { part, seqId } = this.#unresolved!;
    try {
      await part.post({ seqId, deadline, onAmbiguous: () => undefined });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The server does not want it and never did, so its number is free.
      this.#unresolved = undefined;
      return;
    }
    this.#unresolved = undefined;
    this.#nextSeqId = Math.max(this.#nextSeqId, seqId + 1);
  }

  async #collect<T>(operation: Operation<T>, submissions: readonly Submission[], deadline: Deadline): Promise<T> {
    const polls = submissions.map((submission) => submission.settled ?? this.#poll(operation, submission, deadline));
    // All are waited for: the first failure must not leave the others' rejections unheard.
    const answer = Promise.allSettled(polls);
    this.#unanswered.set(answer, operation.isPass === true);
    const outcomes = await answer;
    this.#unanswered.delete(answer);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) {
      const conflict = asSequenceConflict(failed.reason);
      if (conflict?.expected !== undefined) this.#nextSeqId = conflict.expected;
      // A job the server has no more may be one it has undone, with its number.
      if (conflict !== undefined || TinkerPromiseExpiredError.isInstance(failed.reason)) this.#isUncertain = true;
      throw failed.reason;
    }
    const replies = outcomes.map((outcome) => (outcome as PromiseFulfilledResult<Reply>).value);
    try {
      return operation.read(replies);
    } catch (error) {
      throw TinkerProtocolError.isInstance(error) ? noteUnknownOutcome(error) : error;
    }
  }

  async #poll<T>({ name, binary }: Operation<T>, { requestId }: Submission, deadline: Deadline): Promise<Reply> {
    try {
      const reply = await this.#link.future({ requestId, operation: name, binary, deadline });
      this.#link.journal?.write({ kind: 'settled', requestId });
      return reply;
    } catch (error) {
      if (isFinal(error)) this.#link.journal?.write({ kind: 'settled', requestId });
      if (!TinkerError.isInstance(error) || isVerdict(error)) throw explainLostModel(error);
      throw noteUnknownOutcome(error);
    }
  }
}

const noResult = (): void => undefined;

function toHandle<T>(
  result: Promise<T>,
  submitted: Promise<void>,
  requestId: () => string | undefined,
): OperationHandle<T> {
  // Awaiting the result tells about a failed submission; `submitted` alone must not end the process.
  submitted.catch(noResult);
  return Object.defineProperties(result, {
    submitted: { value: submitted, enumerable: true },
    requestId: { get: requestId, enumerable: true },
  }) as OperationHandle<T>;
}

const asSequenceConflict = (error: unknown): TinkerConflictError | undefined =>
  TinkerConflictError.isInstance(error) && error.conflict === 'sequence' && !error.tookEffect ? error : undefined;

/** The server will not answer differently, so a restarted process need not ask. */
const isFinal = (error: unknown): boolean =>
  TinkerJobFailedError.isInstance(error) ||
  TinkerPromiseExpiredError.isInstance(error) ||
  TinkerConflictError.isInstance(error);

/** The server says that it did not carry the job out. Any other end of a wait leaves that open. */
const isVerdict = (error: unknown): boolean =>
  TinkerJobFailedError.isInstance(error) || TinkerConflictError.isInstance(error);

/** The server has read the request and will not take it, however often it is sent. */
const isRefusal = (error: unknown): boolean =>
  TinkerError.isInstance(error) &&
  !error.outcomeUnknown &&
  (error.kind === 'validation' || error.kind === 'not-found' || error.kind === 'conflict');
