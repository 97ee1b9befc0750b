import type { RunState } from '@lachesis/protocol';
import type { ControlClient } from '@lachesis/sdk';
import {
  findTrainingRun,
  listRunProcesses,
  listTrainingRuns,
  readMetricChart,
  readMetricEnds,
  type Store,
} from '@lachesis/store';

import { loopIdOf, TENANT } from './facts.ts';

export interface ChartRow {
  step: number;
  /** By name: mean, lowest, highest. */
  series: ReadonlyMap<string, readonly [value: number | null, low: number | null, high: number | null]>;
}

/** What is asked about runs, wherever the answers come from. */
export interface RunReader {
  list(query: { state?: RunState; environment?: string; before?: number; limit: number }): Promise<string[]>;
  /** The newest value of each series. */
  show(run: number): Promise<{ state: string; processes: number }>;
  chart(run: number, series: readonly string[], points: number): Promise<ChartRow[]>;
}

export function createStoreReader(store: Store, idOf: (run: number) => { runId: string; shortId: string }): RunReader {
  return {
    async list({ state, environment, before, limit }) {
      const beforeRunId = before === undefined ? undefined : idOf(before).runId;
      const runs = await listTrainingRuns({ store, tenantId: TENANT, state, environment, beforeRunId, limit });
      return runs.map(({ shortId }) => shortId);
    },
    async show(number) {
      const run = await findTrainingRun({ store, tenantId: TENANT, shortId: idOf(number).shortId });
      if (run === undefined) throw new Error(`run ${number} is not there`);
      const [processes] = await Promise.all([
        listRunProcesses({ store, tenantId: TENANT, runId: run.runId }),
        readMetricEnds({ store, tenantId: TENANT, runId: loopIdOf(number) }),
      ]);
      return { state: run.state, processes: processes.length };
    },
    async chart(run, series, points) {
      const rows = await readMetricChart({ store, tenantId: TENANT, runId: loopIdOf(run), series, points });
      return rows.map((row) => ({
        step: row.step,
        series: new Map([...row.series].map(([name, { value, low, high }]) => [name, [value, low, high]])),
      }));
    },
  };
}

export function createHttpReader(client: ControlClient, shortIdOf: (run: number) => string): RunReader {
  return {
    async list({ state, environment, before, limit }) {
      const { runs } = await client.listRuns({
        ...{ status: state, environment, limit },
        ...(before === undefined ? {} : { before: shortIdOf(before) }),
      });
      return runs.map(({ run_id: id }) => id);
    },
    async show(run) {
      const { status, process_details: processes } = await client.readRun(shortIdOf(run));
      return { state: status, processes: processes.length };
    },
    async chart(run, series, points) {
      const reply = await client.readMetrics(shortIdOf(run), { series: series.join(','), limit: points });
      const ranges = new Map((reply.ranges ?? []).map(({ step, ...rest }) => [step, rest]));
      return reply.history.map(({ step, ...values }) => ({
        step,
        series: new Map(
          Object.entries(values).map(([name, value]) => {
            const range = ranges.get(step)?.[name] as [number, number] | undefined;
            const mean = value as number | null;
            return [name, [mean, range?.[0] ?? mean, range?.[1] ?? mean]] as const;
          }),
        ),
      }));
    },
  };
}
