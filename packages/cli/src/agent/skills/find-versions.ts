import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CheckedVersion } from './skill.ts';

const run = promisify(execFile);

/** A registry that does not answer within this is taken as none. */
const LONGEST_MS = 60_000;
/** For each of two tries; the clients' own minutes are for installations. */
const CONNECT_SECONDS = 15;

/** Runs a program; rejects with its output in `stdout` and `stderr` when it fails, as `execFile` does. */
type RunProgram = (command: string, words: readonly string[]) => Promise<{ stdout: string }>;

const runProgram: RunProgram = (command, words) => run(command, words, { timeout: LONGEST_MS });

/** The version of each that Python finds on this machine, by name; none where there is no Python. */
export async function findInstalledVersions(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const program = `import importlib.metadata as m, json, sys
def find(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return None
print(json.dumps({name: find(name) for name in sys.argv[1:]}))`;
  const stdout = await runProgram('python3', ['-c', program, ...names]).then(
    (done) => done.stdout,
    () => '{}',
  );
  const found = Object.entries(JSON.parse(stdout) as Record<string, string | null>);
  return new Map(found.flatMap(([name, version]) => (version === null ? [] : [[name, version]])));
}

/** The versions that a registry has, newest first, none of a name that it does not know; or why it said nothing. */
export type RegistryAnswer = { readonly versions: readonly string[] } | { readonly silent: string };

/** Asks a registry by its ordinary client. */
export async function askRegistry(
  { registry, name }: Pick<CheckedVersion, 'registry' | 'name'>,
  { run: runs = runProgram }: { run?: RunProgram } = {},
): Promise<RegistryAnswer> {
  try {
    if (registry === 'npm') {
      const limits = ['--fetch-retries', '1', '--fetch-timeout', String(CONNECT_SECONDS * 1000)];
      const { stdout } = await runs('npm', ['view', name, 'versions', '--json', ...limits]);
      return { versions: [JSON.parse(stdout) as string | string[]].flat().toReversed() };
    }
    // A version for another Python than the one here exists too.
    const words = ['-m', 'pip', 'index', 'versions', '--ignore-requires-python'];
    const limits = ['--retries', '1', '--timeout', String(CONNECT_SECONDS)];
    const { stdout } = await runs('python3', [...words, ...limits, name]);
    const versions = /^Available versions: (.*)$/m.exec(stdout)?.[1]?.split(', ');
    return versions === undefined ? { silent: 'pip printed no versions' } : { versions };
  } catch (error) {
    return readFailure(error as Failure);
  }
}

interface Failure {
  readonly message: string;
  readonly stderr?: string;
  readonly killed?: boolean;
}

/** pip says "No matching distribution" of a name that is not there and of a registry that is away; only of the latter it tried again. */
function readFailure({ message, stderr = '', killed = false }: Failure): RegistryAnswer {
  if (killed) return { silent: `no answer within ${LONGEST_MS / 1000} s` };
  const isUnknown = /\bE404\b|No matching distribution found/.test(stderr);
  if (isUnknown && !/Retrying|Could not fetch/.test(stderr)) return { versions: [] };
  const [first = message] = stderr.split('\n').filter((line) => /error|Retrying|Could not fetch|No module/i.test(line));
  return { silent: first.trim().slice(0, 160) };
}
