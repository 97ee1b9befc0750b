import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('command-typist-child.ts', import.meta.url));

/** A command as a person types it. */
export interface TypedCommand {
  readonly words: readonly string[];
  /** On top of what the typist was started with; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What a keyboard or a pipe would give it. */
  readonly cwd?: string;
}

export interface CommandAnswer {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

export interface CommandTypist extends AsyncDisposable {
  type(command: TypedCommand): Promise<CommandAnswer>;
}

/**
 * A process that runs commands of the CLI one after the other, as `lachesis` would, and loads its code once: a hundred
 * commands take the time that ten processes need to start. `hooks` are modules that it loads before the code of the CLI.
 */
export async function startCommandTypist(options: { hooks?: readonly string[] } = {}): Promise<CommandTypist> {
  const { hooks = [] } = options;
  const child = fork(CHILD, {
    execArgv: ['--conditions=lachesis-source', ...hooks.flatMap((hook) => ['--import', hook])],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await answerOf(child, 'its start');
  let last: Promise<unknown> = Promise.resolve();
  return {
    // One at a time: the variables and the output of a process are its own.
    type(command) {
      const answer = last.then(() => ask(child, command));
      last = answer.catch(() => undefined);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function ask(child: ChildProcess, command: TypedCommand): Promise<CommandAnswer> {
  const answered = answerOf(child, command.words.join(' '));
  child.send(command);
  return (await answered) as CommandAnswer;
}

/** The next message; a typist that ends instead is a fault of ours. */
async function answerOf(child: ChildProcess, what: string): Promise<unknown> {
  const ended = new AbortController();
  const gone = (code: number | null): void =>
    ended.abort(new Error(`the typist ended with ${String(code)} at ${what}`));
  child.once('exit', gone);
  try {
    return ((await once(child, 'message', { signal: ended.signal })) as [unknown])[0];
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    child.off('exit', gone);
  }
}
