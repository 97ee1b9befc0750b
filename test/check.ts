/**
 * `pnpm check`: everything that can be known without starting a server. One line per step; a failed step shows what its
 * tool said. `pnpm check lint types` runs only the named steps.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { listPackages } from './architecture/packages.ts';
import { repositoryRoot } from './architecture/source-files.ts';

interface Step {
  name: string;
  /** A program of node_modules/.bin and its arguments. */
  command: readonly [program: string, ...args: string[]];
  /** The step whose files this one reads. */
  after?: string;
  /** Shown when the step fails. */
  remedy: string;
}

interface Result {
  step: Step;
  state: 'ok' | 'failed' | 'skipped';
  seconds: number;
  output: string;
}

/** No step takes a tenth of this; a tool that hangs is an error, not a wait. */
const stepTimeoutMs = 400_000;

const packages = listPackages();

const steps: readonly Step[] = [
  {
    name: 'build',
    command: ['tsc', '-b', ...packages.map(({ folder }) => folder)],
    remedy: 'Fix the types above; what is published is built from them.',
  },
  {
    name: 'types',
    command: ['tsc', '-p', 'tsconfig.json', '--noEmit'],
    remedy: 'Fix the types above.',
  },
  {
    name: 'types of the dashboard',
    command: ['tsc', '-p', 'apps/dashboard'],
    remedy: 'Fix the types above. The page runs in browsers: it has the DOM and nothing of Node.',
  },
  {
    name: 'lint',
    command: ['oxlint', '--type-aware', '--deny-warnings', '--report-unused-disable-directives'],
    remedy:
      'Each message says what to write instead. A rule that is silly is changed in .oxlintrc.json, with its reason.',
  },
  { name: 'format', command: ['oxfmt', '--check', '.'], remedy: 'Run `pnpm format`.' },
  {
    name: 'architecture',
    command: ['vitest', 'run', 'test/architecture'],
    remedy: 'test/architecture/README.md tells how each of these is changed on purpose.',
  },
  {
    name: 'unused',
    command: ['knip', '--no-progress', '--no-config-hints'],
    remedy: 'Delete what nobody uses. An entry that is found at run time gets a line in knip.json.',
  },
  ...packages.map(({ folder, manifest }) => ({
    name: `package ${manifest.name}`,
    command: ['publint', 'run', folder, '--strict', '--pack', 'pnpm'] as const,
    after: 'build',
    remedy: `Fix ${folder}/package.json: this is what people would install.`,
  })),
];

/** The processes of the steps that run now. Each leads a group, because tools start helpers that outlive them. */
const leaders = new Set<ChildProcess>();

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The group ended by itself between the question and the answer.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const leader of leaders) endGroup(leader);
    process.exit(1);
  });
}

function runStep(step: Step): Promise<Result> {
  const [program, ...args] = step.command;
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(repositoryRoot, 'node_modules/.bin', program), args, {
      cwd: repositoryRoot,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    leaders.add(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    const timer = setTimeout(() => {
      output += `\nstopped after ${stepTimeoutMs / 1000} s`;
      endGroup(child);
    }, stepTimeoutMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      leaders.delete(child);
      const seconds = (performance.now() - started) / 1000;
      resolve({ step, state: code === 0 ? 'ok' : 'failed', seconds, output: output.trim() });
    });
  });
}

/** Runs each step as soon as what it waits for is done and a core is free. */
async function runSteps(chosen: readonly Step[], report: (result: Result) => void): Promise<Result[]> {
  const waiting = [...chosen];
  const results: Result[] = [];
  const isChosen = (name: string) => chosen.some((step) => step.name === name);
  const stateOf = (name: string) => results.find(({ step }) => step.name === name)?.state;
  const running = new Set<Promise<void>>();

  const finish = (result: Result) => {
    results.push(result);
    report(result);
  };
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(
      ({ after }) => after === undefined || !isChosen(after) || stateOf(after) !== undefined,
    );
    const [step] = next >= 0 && running.size < availableParallelism() ? waiting.splice(next, 1) : [];
    if (step === undefined) {
      await Promise.race(running);
    } else if (step.after !== undefined && isChosen(step.after) && stateOf(step.after) !== 'ok') {
      finish({ step, state: 'skipped', seconds: 0, output: '' });
    } else {
      const run: Promise<void> = runStep(step).then((result) => {
        running.delete(run);
        finish(result);
      });
      running.add(run);
    }
  }
  return results;
}

const names = process.argv.slice(2);
const chosen = names.length === 0 ? steps : steps.filter(({ name }) => names.some((word) => name.startsWith(word)));
if (chosen.length === 0) {
  console.error(`No such step. The steps are: ${steps.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

const started = performance.now();
const results = await runSteps(chosen, ({ step, state, seconds }) => {
  console.log(`${state.padEnd(7)}  ${seconds.toFixed(1).padStart(5)} s  ${step.name}`);
});
const failed = results.filter(({ state }) => state === 'failed');
for (const { step, output } of failed) {
  console.error(`\n── ${step.name}: ${step.command.join(' ')}\n${output}\n\n${step.remedy}`);
}
const total = ((performance.now() - started) / 1000).toFixed(1);
const passed = results.filter(({ state }) => state === 'ok');
console.log(`\n${passed.length} of ${results.length} steps passed in ${total} s`);
process.exitCode = passed.length === results.length ? 0 : 1;
