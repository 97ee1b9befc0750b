import { randomBytes } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';

import { createSandboxOver } from '../command/create-sandbox-over.ts';
import { killFamily, rememberChildren } from '../command/kill-family.ts';
import type { Launcher, LaunchOptions, RawResult } from '../command/launcher.ts';
import { runCommand } from '../command/run-command.ts';
import { resolveLimits } from '../limits.ts';
import { SandboxError } from '../sandbox-error.ts';
import { refuseNetwork } from '../refuse-network.ts';
import type { Sandbox, SandboxProvider } from '../sandbox.ts';
import { quoteWords } from './quote-words.ts';

const PREFIX = 'lachesis-ssh';
const CONTROL_TIMEOUT_MS = 20_000;
/** By which processes on the other machine are found that left their group. */
const MARK = 'LACHESIS_SSH_SANDBOX';
const END_MARKED = `n=0; while p=$(grep -lsz "^${MARK}=$1$" /proc/[0-9]*/environ); [ -n "$p" ] && [ "$n" -lt 50 ]; do n=$((n + 1)); for e in $p; do e=\${e#/proc/}; kill -KILL "\${e%/environ}" 2>/dev/null; done; done; [ -z "$p" ]`;
/** ssh's own exit code for a connection that failed. */
const CONNECTION_FAILED = 255;

export interface SshProviderOptions {
  /** As ssh takes it: a name from its configuration, or `user@machine`. */
  readonly host: string;
  /** The program and its options before the host. Keys and known hosts are ssh's own matter. */
  readonly command?: readonly string[];
  /** Of the other machine. */
  readonly folder?: string;
}

/**
 * Commands on another machine, as the user ssh logs in as. The wall is that machine: give it nothing you would not give
 * the code. Work folders are under `folder`, so commands use relative paths; `/work` is understood by the file functions.
 */
export function createSshProvider({
  host,
  command = ['ssh', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10'],
  folder = '/tmp',
}: SshProviderOptions): SandboxProvider {
  if (host === '' || host.startsWith('-')) {
    throw new SandboxError({
      kind: 'bad-options',
      reason: `The ssh host ${JSON.stringify(host)} cannot be used.`,
      hint: 'Give a name that `ssh <name>` accepts.',
    });
  }
  const living = new Map<string, Sandbox>();
  const running = new Set<ChildProcess>();
  const connect = async (
    words: readonly string[],
    options: Partial<LaunchOptions> & { onKill?: () => void } = {},
  ): Promise<RawResult> =>
    runCommand({
      ...{ timeoutMs: CONTROL_TIMEOUT_MS, outputBytes: 1024 * 1024, ...options },
      argv: [...command, host, '--', quoteWords(words)],
      cwd: '/',
      env: pickHostEnvironment(),
      isDetached: true,
      kill: (child) => {
        killFamily(child);
        options.onKill?.();
      },
      spawn: rememberChildren(running),
    });
  const control = async (script: string, ...words: string[]): Promise<RawResult> => {
    const result = await connect(['/bin/sh', '-c', script, 'sh', ...words]);
    if (result.exitCode === 0) return result;
    throw new SandboxError({
      kind: 'failed',
      reason: `The machine ${host} answered ${result.exitCode ?? result.end} (${result.stderr.toString('utf8').trim().slice(-300)}).`,
      hint: `Check that \`ssh ${host} true\` works without a question.`,
    });
  };
  return {
    name: 'ssh',
    async create(options) {
      refuseNetwork('ssh', options);
      const limits = resolveLimits(options.limits);
      const id = randomBytes(6).toString('hex');
      const home = `${folder}/${PREFIX}-${id}`;
      // The owner is written before the folder can be used, so that a reaper finds it whatever happens next.
      await control(
        'umask 077; mkdir -p -- "$1/work" "$1/running" "$1/ended" && printf %s "$2" > "$1/owner"',
        home,
        options.owner,
      );
      const end = (pattern: string): Promise<RawResult> =>
        control(
          // One that has not noted its group yet finds that it is to end.
          '[ "$2" = "*" ] || touch -- "$1/ended/$2" 2>/dev/null; for f in "$1"/running/$2; do [ -e "$f" ] || continue; kill -s KILL -- "-$(cat "$f")" 2>/dev/null; rm -f -- "$f"; done; true',
          ...[home, pattern],
        );
      let count = 0;
      const launcher: Launcher = {
        root: `${home}/work`,
        isContained: false,
        async launch(argv, launchOptions) {
          count += 1;
          const name = String(count);
          // A broken connection leaves the remote command running, so its group is noted where a second one finds it.
          const script =
            'h=$1 n=$2 c=$3; shift 3; cd -- "$c" || exit 125; ulimit -c 0; setsid -w sh -c \'echo $$ > "$0/running/$1"; [ ! -e "$0/ended/$1" ] || exit 137; shift; exec "$@"\' "$h" "$n" "$@"; s=$?; rm -f -- "$h/running/$n"; exit $s';
          const variables = Object.entries({ HOME: `${home}/work`, ...launchOptions.env, [MARK]: id });
          // While the connection is cut, so that nothing over there goes on for as long as cutting it takes.
          let ending: Promise<unknown> | undefined;
          const onKill = (): void => {
            ending ??= end(name);
            // It is waited for below, where it is told.
            ending.catch(() => undefined);
          };
          const result = await connect(
            [
              ...['/bin/sh', '-c', script, 'sh', home, name, launchOptions.cwd],
              ...['env', `--`, ...variables.map(([key, value]) => `${key}=${value}`)],
              ...['/bin/sh', '-c', `ulimit -t ${Math.ceil(limits.cpuSeconds)}; exec "$@"`, 'sh', ...argv],
            ],
            { ...launchOptions, onKill },
          );
          await ending;
          if (
            result.exitCode === CONNECTION_FAILED &&
            /^ssh:|Connection|closed by/m.test(result.stderr.toString('utf8'))
          ) {
            throw new SandboxError({
              kind: 'failed',
              reason: `The connection to ${host} broke during a command.`,
              hint: 'Whether the command ran to its end is not known; create another sandbox.',
            });
          }
          return result;
        },
        async endLeftovers() {
          await end('*');
          await control(END_MARKED, id);
        },
        async destroy() {
          // A command that was just starting may still write its note while the folder goes, so both are tried again.
          await control(
            `n=0; while [ -e "$2" ] && [ "$n" -lt 50 ]; do n=$((n + 1)); [ "$n" = 1 ] || sleep 0.05; (${END_MARKED}); rm -rf -- "$2" 2>/dev/null; done; [ ! -e "$2" ]`,
            ...[id, home],
          );
        },
      };
      const sandbox = await createSandboxOver({ id, launcher, limits, options, onDestroyed: () => living.delete(id) });
      living.set(id, sandbox);
      return sandbox;
    },
    async reap(owner) {
      const script = `for d in "$1"/${PREFIX}-*; do [ -f "$d/owner" ] && [ "$(cat "$d/owner")" = "$2" ] || continue; case " $3 " in *" \${d##*-} "*) continue;; esac; for f in "$d"/running/*; do [ -e "$f" ] && kill -s KILL -- "-$(cat "$f")" 2>/dev/null; done; rm -rf -- "$d"; echo x; done; true`;
      const { stdout } = await control(script, folder, owner, [...living.keys()].join(' '));
      return stdout.toString('utf8').split('x').length - 1;
    },
    async close() {
      await Promise.all([...living.values()].map((sandbox) => sandbox.destroy()));
    },
  };
}

/** ssh needs its agent and its home; a sandbox needs nothing of ours. */
function pickHostEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'USER', 'SSH_AUTH_SOCK'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
