import type { CommandAnswer, TypedCommand } from './command-typist.ts';

/** Thrown in place of the end of the process. */
class Ended extends Error {}

const first = { ...process.env, NO_COLOR: '1' };
process.env['NO_COLOR'] = '1';
const START = new URL('../../packages/cli/src/start.ts', import.meta.url).href;
let typed = 0;
// Each command listens for the end of its reader.
process.stdout.setMaxListeners(0);
process.setMaxListeners(0);

process.on('message', (command: TypedCommand) => void run(command).then((answer) => process.send?.(answer)));
process.send?.('ready');

async function run({ words, env = {}, cwd }: TypedCommand): Promise<CommandAnswer> {
  const said = { out: '', error: '' };
  let code: number | undefined;
  const wasExit = process.exit;
  const wasOut = process.stdout.write;
  const wasError = process.stderr.write;
  setVariables({ ...first, ...env });
  if (cwd !== undefined) process.chdir(cwd);
  process.exitCode = undefined;
  // What is said after the end is said by nobody.
  const collect = (side: 'error' | 'out') => (text: string | Uint8Array) => {
    if (code === undefined) said[side] += typeof text === 'string' ? text : Buffer.from(text).toString();
    return true;
  };
  process.stdout.write = collect('out');
  process.stderr.write = collect('error');
  process.exit = (given) => {
    code ??= Number(given ?? process.exitCode ?? 0);
    throw new Ended();
  };
  try {
    process.argv = [process.execPath, 'lachesis', ...words];
    // The query makes it a module that has not run yet; what it imports is there already.
    await import(`${START}?${(typed += 1)}`);
  } catch (error) {
    if (!(error instanceof Ended) && code === undefined) throw error;
  } finally {
    process.exit = wasExit;
    process.stdout.write = wasOut;
    process.stderr.write = wasError;
  }
  code ??= readExitCode();
  process.exitCode = undefined;
  return { code, ...said };
}

const readExitCode = (): number => Number(process.exitCode ?? 0);

function setVariables(wanted: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env))
    if (wanted[name] === undefined) Reflect.deleteProperty(process.env, name);
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) process.env[name] = value;
}
