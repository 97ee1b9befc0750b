import type { RunStatus } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import type { Paint } from '../../terminal/paint.ts';
import { renderRun } from '../../runs/render-run.ts';
import { toSeries, VIEW_SERIES } from '../../runs/run-view.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { optionalRunArgument } from '../../flags/run-argument.ts';
import { findRunId } from '../../runs/find-run.ts';
import { serverFlags } from '../../flags/server.ts';
import { withControl } from '../../flags/library/find-control.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';

const flags = { ...serverFlags } as const;

export const runsShowCommand = defineCommand({
  meta: { name: 'show', description: 'Show one run: its state, progress, metrics, processes and files.' },
  args: { ...optionalRunArgument, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withControl(args, async (client) => {
      const runId = await findRunId(client, args.run);
      const status = await client.readRun(runId);
      if (args.json === true) {
        writeJson(status);
        return;
      }
      const { paint, columns } = readScreen();
      const { history } = await client.readMetrics(runId, { series: VIEW_SERIES.join(','), limit: columns });
      const lines = renderRun({ status, series: toSeries(history) }, { paint, columns, now: Date.now() });
      process.stdout.write(`${[...lines, '', ...listPlaces(status, paint)].join('\n')}\n`);
    });
  },
});

function listPlaces(status: RunStatus, paint: Paint): string[] {
  const places = [
    ['config', status.config_path],
    ['inference', status.inference_url],
    ['weights', status.weights_path],
    ...status.process_details.map(({ role, log }) => [`${role} log`, log] as const),
  ] as const;
  return places.flatMap(([name, place]) =>
    place === null || place === '' ? [] : [`${paint.dim(name.padEnd(13))}${place}`],
  );
}
