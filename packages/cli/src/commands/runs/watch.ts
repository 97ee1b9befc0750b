import { defineCommand } from 'citty';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { createFrame } from '../../terminal/create-frame.ts';
import { describeChanges } from '../../runs/describe-changes.ts';
import { renderRun } from '../../runs/render-run.ts';
import type { RunView } from '../../runs/run-view.ts';
import { watchRun } from '../../runs/watch-run.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { optionalRunArgument } from '../../flags/run-argument.ts';
import { findRunId } from '../../runs/find-run.ts';
import { serverFlags } from '../../flags/server.ts';
import { withControl } from '../../flags/library/find-control.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';

const flags = { ...serverFlags } as const;

export const runsWatchCommand = defineCommand({
  meta: {
    name: 'watch',
    description:
      'Watch a run until it ends: progress, rewards, staleness, failures. In a pipe one line for each change.',
  },
  args: { ...optionalRunArgument, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const { signal, hurry } = listenForShutdown();
    hurry.addEventListener('abort', () => process.exit());
    const show = args.json === true ? printAsJson() : process.stdout.isTTY ? renderLive() : printAsLines();
    const last = await withControl(args, async (client) => {
      const runId = await findRunId(client, args.run);
      let view: RunView | undefined;
      for await (view of watchRun({ client, runId, points: readScreen().columns, signal })) show(view);
      return view;
    });
    if (last?.status.status === 'failed') process.exitCode = EXIT_CODES.failed;
  },
});

type Show = (view: RunView) => void;

function renderLive(): Show {
  const { stdout } = process;
  const frame = createFrame({ write: (text) => void stdout.write(text), rows: () => readScreen().rows });
  let last: RunView | undefined;
  const render = (): void => {
    const { paint, columns } = readScreen();
    if (last !== undefined) frame.render(renderRun(last, { paint, columns: columns - 1, now: Date.now() }));
  };
  // However this ends, a refusal of the server included, the terminal gets its cursor back.
  process.once('exit', () => frame.settle());
  stdout.on('resize', () => {
    frame.clear();
    render();
  });
  return (view) => {
    last = view;
    render();
  };
}

function printAsLines(): Show {
  let before: RunView | undefined;
  return (view) => {
    for (const line of describeChanges(before, view)) process.stdout.write(`${new Date().toISOString()}  ${line}\n`);
    before = view;
  };
}

function printAsJson(): Show {
  let before: RunView | undefined;
  return (view) => {
    const changes = describeChanges(before, view);
    before = view;
    if (changes.length === 0) return;
    const { status, why } = view;
    writeJson({
      ...{ at: Date.now(), run_id: status.run_id, status: status.status, reason: status.reason, changes },
      ...{ metrics: status.metrics, total_steps: status.total_steps, process_details: status.process_details },
      why: why ?? null,
    });
  };
}
